/**
 * Reads a package from a Git repository. Nothing is checked out: the files are read from the objects of the fetched commit, so no hook,
 * filter, submodule or link of the repository has an effect.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  FILE_ENDING,
  MANIFEST,
  MAX_FILE_BYTES,
  MAX_JSON_BYTES,
  packageOf,
  readManifest,
  readPackageText,
  type SharedPackage,
  SharingError,
} from '../../../app/sharing/shared-package.ts';
import { holdsKey } from '../../../core/keys.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { decodeText } from '../../../workspace/content.ts';

/** An address of Git. `ref` is a branch, a tag or a commit, and `path` a folder or file of the repository. */
export type GitAddress = { url: string; protocol: 'https' | 'ssh' | 'file'; ref: string; path: string };

const REF = /^[A-Za-z0-9](?:[\w./-]{0,198}[\w-])?$/;
const SEGMENT = /^[\w][\w. -]*$/;
const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?';

/** Returns undefined for a text that is no address of Git. @throws SharingError for an address that is not used */
export function gitAddress(text: string): GitAddress | undefined {
  const [url = '', ...fragments] = text.split('#');
  const protocol = protocolOf(url);
  if (!protocol) return undefined;
  const [ref = '', ...paths] = fragments.join('#').split(':');
  const path = paths.join(':').replace(/^\/+|\/+$/g, '');
  if (ref !== '' && (!REF.test(ref) || /\.\.|\/\/|\.lock$|@\{/.test(ref)))
    throw new SharingError('The address names no valid branch, tag or commit after its #.');
  if (path !== '' && !path.split('/').every((segment) => SEGMENT.test(segment) && segment !== '..'))
    throw new SharingError('The address names no valid path after its #.');
  return { url, protocol, ref: ref || 'HEAD', path };
}

function protocolOf(url: string): GitAddress['protocol'] | undefined {
  if (/[\s\p{C}\\]/u.test(url)) return undefined;
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url) ?? [];
  if (/^[\w.-]+::/.test(url)) throw new SharingError('Kedge reads packages from https, ssh and file addresses of Git only.');
  if (scheme === undefined) return new RegExp(`^(?:[A-Za-z0-9_][\\w.-]*@)${HOST}:(?!-|//)[^:]+$`).test(url) ? 'ssh' : undefined;
  if (!/^(?:https|ssh|file)$/.test(scheme)) throw new SharingError('Kedge reads packages from https, ssh and file addresses of Git only.');
  const hasHost = new RegExp(`^(?:https://(?:[^/@:]+@)?|ssh://(?:[A-Za-z0-9_][\\w.-]*@)?)${HOST}(?::\\d+)?/[^-]`).test(url);
  if (/^\w+:\/\/[^/@]*:[^/@]*@/.test(url)) throw new SharingError('The address contains a password, which would be stored. Leave it out.');
  if (holdsKey(url)) throw new SharingError('The address contains a key, which would be stored. Leave it out.');
  if (scheme === 'file' ? !/^file:\/\/\/./.test(url) : !hasHost) throw new SharingError('The address names no repository.');
  return scheme as GitAddress['protocol'];
}

const TIMEOUT_MS = 180_000;
/** The maximum size of what is fetched, in bytes. */
const MAX_FETCHED = 200_000_000;
const WATCH_MS = 250;

/** @throws SharingError */
export async function packageFromGit(address: GitAddress, signal: AbortSignal): Promise<{ pack: SharedPackage; commit: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'kedge-package-'));
  const tooLarge = new AbortController();
  const watch = setInterval(() => sizeOf(directory) > MAX_FETCHED && tooLarge.abort(), WATCH_MS);
  try {
    const git = gitIn(directory, address.protocol, AbortSignal.any([signal, tooLarge.signal]));
    await git(['init', '--bare', '--quiet', '--template=', directory]);
    const quiet = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-auto-maintenance', '--no-write-commit-graph'];
    await git(['fetch', ...quiet, '--end-of-options', address.url, address.ref]);
    const commit = (await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])).toString().trim();
    const read = (path: string, most: number) => blobAt(git, commit, path, most);
    return { pack: await packageAt(address.path, read), commit };
  } catch (error) {
    signal.throwIfAborted();
    if (tooLarge.signal.aborted) throw new SharingError(`The repository has more than ${MAX_FETCHED / 1_000_000} MB, so it was not read.`);
    throw error;
  } finally {
    clearInterval(watch);
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

type Read = (path: string, most: number) => Promise<string>;

async function packageAt(path: string, read: Read): Promise<SharedPackage> {
  if (path.endsWith(FILE_ENDING)) return readPackageText(await read(path, MAX_JSON_BYTES));
  const below = (inner: string) => (path === '' ? inner : `${path}/${inner}`);
  const manifest = readManifest(await read(below(MANIFEST), MAX_JSON_BYTES));
  if (manifest.texts) return packageOf(manifest, manifest.texts);
  const texts = new Map<string, string>();
  for (const each of manifest.paths) texts.set(each, await read(below(each), MAX_FILE_BYTES));
  return packageOf(manifest, texts);
}

type Git = (args: readonly string[]) => Promise<Buffer>;

/** Reads a plain file of the commit. @throws SharingError for a link, a submodule, and a file that is too large or no text */
async function blobAt(git: Git, commit: string, path: string, most: number): Promise<string> {
  const entry = (await git(['ls-tree', '-z', '-l', '--full-tree', commit, '--', path])).toString();
  const [, mode, id, size] = /^(\d+) \w+ ([0-9a-f]{40,64}) +(\d+|-)\t/.exec(entry) ?? [];
  if (mode === undefined || id === undefined) throw new SharingError(`The repository has no file ${path}.`);
  if (mode !== '100644' && mode !== '100755')
    throw new SharingError(`In the repository, ${path} is a link, a folder or a submodule, so it was not read.`);
  if (Number(size) > most) throw new SharingError(`${path} is larger than ${most / 1_000} kB.`);
  const text = decodeText(await git(['cat-file', 'blob', id]));
  if (text === undefined) throw new SharingError(`${path} is not a text file.`);
  return text;
}

const SETTINGS = [
  ...[`core.hooksPath=${devNull}`, 'core.fsmonitor=false', 'core.askPass=', 'safe.bareRepository=explicit', 'protocol.allow=never'],
  ...['gc.auto=0', 'maintenance.auto=false', 'submodule.recurse=false', 'fetch.recurseSubmodules=false', 'fetch.fsckObjects=true'],
];
/** Variables that only say how a connection is made. The others could let Git work in another repository. */
const KEPT = /^GIT_(?:SSH_COMMAND|SSH|SSH_VARIANT|SSL_\w+|PROXY_\w+|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|EXEC_PATH|HTTP_\w+)$/;

function gitIn(directory: string, protocol: GitAddress['protocol'], signal: AbortSignal): Git {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
  const env = {
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    ...Object.fromEntries(own),
    // Git asks nobody for a password: neither in a terminal nor in a window.
    ...{ GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never', GIT_ASKPASS: '', SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never' },
    ...{ GIT_ALLOW_PROTOCOL: protocol, GIT_LITERAL_PATHSPECS: '1', GIT_NO_LAZY_FETCH: '1', GIT_PAGER: 'cat', LC_ALL: 'C' },
  };
  const settings = [...SETTINGS, `protocol.${protocol}.allow=always`].flatMap((setting) => ['-c', setting]);
  return async (args) => {
    try {
      const options = {
        cwd: directory,
        env,
        signal,
        encoding: 'buffer' as const,
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_JSON_BYTES * 2,
        windowsHide: true,
      };
      return (await promisify(execFile)('git', ['--no-pager', `--git-dir=${directory}`, ...settings, ...args], options)).stdout;
    } catch (error) {
      signal.throwIfAborted();
      const { code, stderr, killed } = error as NodeJS.ErrnoException & { stderr?: Buffer; killed?: boolean };
      if (code === 'ENOENT') throw new SharingError('Git is not installed.');
      if (killed) throw new SharingError('Git took too long, so the repository was not read.');
      // The words can be those of a server.
      const why = visibleLine(stderr?.toString().trim().split('\n').at(-1)?.slice(0, 300) ?? '');
      throw new SharingError(`Git could not read the repository${why ? `: ${why}` : '.'}`);
    }
  };
}

function sizeOf(directory: string): number {
  let total = 0;
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
      if (entry.isFile()) total += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // Git moves its files meanwhile.
  }
  return total;
}

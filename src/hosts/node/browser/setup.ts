/**
 * Gets the library that controls the browser, with the user's own npm and from the registry that it is configured for. Only a package whose
 * digest is the one in our source is put in place.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import crossSpawn from 'cross-spawn';
import { makeDirectory } from '../../../sessions/directory.ts';
import { ProcessGroup } from '../commands/process-group.ts';
import { findLibrary, LIBRARY, type Library, libraryPlace } from './library.ts';

/** A failure whose message tells the user what to do. */
export class SetupError extends Error {
  override name = 'SetupError';
}

export const SETUP_QUESTION = `Kedge gets ${LIBRARY.name} ${LIBRARY.version} (about 3 MB) with your npm and checks its digest. No scripts of the package are run.`;

const MAX_OUTPUT = 4_000;

type SetupOptions = { data: string; library?: Library; env?: NodeJS.ProcessEnv };

/** Returns false if the library was there already. @throws SetupError if it could not be put in place */
export async function setUpBrowser({ data, library = LIBRARY, env = process.env }: SetupOptions, signal: AbortSignal): Promise<boolean> {
  if (library === LIBRARY && findLibrary(data)) return false;
  const parent = join(data, 'browser');
  makeDirectory(parent);
  const draft = mkdtempSync(join(parent, 'setup-'));
  try {
    // The configuration of npm in a workspace does not apply here, because npm runs in this directory.
    writeFileSync(join(draft, 'package.json'), '{"private":true}');
    await npm(['pack', `${library.name}@${library.version}`, '--silent'], { cwd: draft, env, signal });
    const file = readdirSync(draft).find((name) => name.endsWith('.tgz'));
    if (!file) throw new SetupError('npm did not get the package. Try again.');
    const digest = `sha512-${createHash('sha512')
      .update(readFileSync(join(draft, file)))
      .digest('base64')}`;
    if (digest !== library.integrity)
      throw new SetupError(
        `The package that npm got is not the expected ${library.name} ${library.version}: its digest differs. It was deleted. Check the registry that your npm is configured for.`,
      );
    const quiet = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--no-package-lock', '--no-bin-links', '--offline'];
    await npm(['install', `./${file}`, ...quiet], { cwd: draft, env, signal });
    rmSync(join(draft, file));
    putInPlace(draft, libraryPlace(data, library));
    return true;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Another process may have done the same meanwhile. */
function putInPlace(draft: string, place: string): void {
  try {
    renameSync(draft, place);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    rmSync(place, { recursive: true, force: true });
    renameSync(draft, place);
  }
}

type Running = { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal };

function npm(args: readonly string[], { cwd, env, signal }: Running): Promise<void> {
  signal.throwIfAborted();
  // On Windows, cross-spawn finds npm.cmd.
  const child = crossSpawn('npm', args, {
    cwd,
    env,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const group = new ProcessGroup(child);
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (output.length < MAX_OUTPUT) output += chunk.toString();
  });
  const stop = () => group.stop();
  signal.addEventListener('abort', stop, { once: true });
  return new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new SetupError('npm was not found. Install Node.js with npm, and run the set-up again.')
          : new SetupError(`npm could not be started: ${error.message}`),
      ),
    );
    child.once('close', (code) => {
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve();
      else
        reject(new SetupError(`npm failed: ${reasonIn(output) || `exit code ${code}`}. Check your network and the configuration of npm.`));
    });
  }).finally(() => {
    signal.removeEventListener('abort', stop);
    group.forget();
  });
}

/** Returns the first line with which npm says what went wrong. */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^npm (?:error|ERR!)\s*/i, '').trim());
  return (lines.find((line) => line !== '' && !/^(?:code|npm warn)\b/i.test(line)) ?? '').slice(0, 300).replace(/\.$/, '');
}

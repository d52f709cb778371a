// A real VS Code for the tests and for `npm start`, without a download from the vendor: the npm package code-server contains the
// whole VS Code server and workbench, and any Chromium is its window (chromium.ts).
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm } from './npm.mjs';

/** code-server 4.x.y is VS Code 1.x.y. */
const version = '4.139.1';
const integrity = 'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';

export const root = resolve(import.meta.dirname, '..');
/** Everything the scripts keep between runs; may be deleted at any time. */
export const cache = join(root, '.vscode-test');
const serverRoot = join(cache, `code-server-${version}`);

export const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** A new empty folder under the cache. */
export async function freshDirectory(name: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  return mkdtemp(join(cache, `${name}-`));
}

/** Sets the editor up once and returns its folder. It is built beside its place and renamed, so half a set-up never counts. */
export async function ensureEditor(log: (line: string) => void = console.log): Promise<string> {
  if (await exists(serverRoot)) return serverRoot;
  log(`Setting up VS Code 1.${version.slice(2)} for the first time (code-server ${version}, 45 MB) ...`);
  const work = await freshDirectory('set-up');
  try {
    await npm(['pack', `code-server@${version}`, '--ignore-scripts'], work);
    const server = await unpack(work, `code-server-${version}.tgz`);
    await npm(['install', '--omit=dev', '--ignore-scripts'], server);
    await npm(['install', '--omit=dev', '--ignore-scripts'], join(server, 'extensions'));
    await rename(server, serverRoot).catch(async (error: unknown) => {
      // Another process may have been faster; its result is as good.
      if (!(await exists(serverRoot))) throw error;
    });
    return serverRoot;
  } catch (error) {
    throw new Error(`VS Code could not be set up: check the network and run this again. ${(error as Error).message}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Of the package only the VS Code server is needed, not code-server's own front. */
async function unpack(work: string, archive: string): Promise<string> {
  const hash = createHash('sha512')
    .update(await readFile(join(work, archive)))
    .digest('base64');
  if (`sha512-${hash}` !== integrity) throw new Error(`${archive} is not the file it was when this version was chosen.`);
  const server = join(work, 'server');
  await mkdir(server);
  execFileSync('tar', ['-xzf', archive, '-C', 'server', '--strip-components=3', 'package/lib/vscode'], { cwd: work });
  return server;
}

/** The ripgrep that comes with VS Code, which is the one the extension uses there. */
export async function ripgrepOfEditor(): Promise<string> {
  const { platform, arch } = process;
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  return join(await ensureEditor(), 'node_modules', '@vscode', 'ripgrep-universal', 'bin', `${platform}-${arch}`, name);
}

/** Where an editor keeps its state. Extensions may be shared by editors that run one after another with state of their own. */
export interface Profile {
  data: string;
  extensions: string;
}

export async function freshProfile(name: string): Promise<Profile> {
  const folder = await freshDirectory(name);
  return { data: join(folder, 'data'), extensions: join(folder, 'extensions') };
}

export interface EditorOptions {
  profile: Profile;
  /** A folder, or a .code-workspace file for several. */
  open: string;
  /** An extension loaded from its folder instead of from the installed ones. */
  extensionDevelopmentPath?: string;
  /** A module whose `run()` is called in the extension host; needs `extensionDevelopmentPath`. */
  extensionTestsPath?: string;
  /** 0, the default, takes any free one. A browser keeps its state by port, so a lasting editor wants a lasting port. */
  port?: number;
  /** User settings, written where the server's workbench reads them; they stay as they are when this is left out. */
  settings?: Record<string, unknown>;
  /** Lets the workbench report to `codeAutomationLog` and `codeAutomationExit`, functions of the page. */
  smokeTest?: boolean;
  /** Keep VS Code's question whether the folder can be trusted; without it everything is trusted. */
  askForTrust?: boolean;
  env?: Record<string, string>;
}

export interface Editor {
  url: string;
  port: number;
  /** Resolves when the server has ended, whoever ended it. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

function serverArguments(profile: Profile): string[] {
  return [
    join(serverRoot, 'out', 'server-main.js'),
    '--accept-server-license-terms',
    '--disable-telemetry',
    ...['--server-data-dir', profile.data],
    ...['--extensions-dir', profile.extensions],
  ];
}

/** Variables of an editor whose terminal this runs in would make the server take itself for a part of that editor. */
function serverEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_)/.test(name));
  return { ...Object.fromEntries(own), ...extra };
}

export async function installVsix(vsix: string, profile: Profile): Promise<void> {
  await ensureEditor();
  const child = spawn(process.execPath, [...serverArguments(profile), '--install-extension', vsix, '--force'], {
    env: serverEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0 || !output.includes('was successfully installed')) throw new Error(`${vsix} could not be installed:\n${output}`);
}

/** Starts the server; resolves when it listens. */
export async function startEditor(options: EditorOptions): Promise<Editor> {
  await ensureEditor();
  const { profile, port = 0 } = options;
  if (options.settings) await writeSettings(profile, options.settings);
  await mkdir(profile.data, { recursive: true });
  const args = [...serverArguments(profile), '--host', '127.0.0.1', '--port', `${port}`, '--without-connection-token'];
  if (options.smokeTest) args.push('--enable-smoke-test-driver');
  if (!options.askForTrust) args.push('--disable-workspace-trust');
  const secrets = ['--import', pathToFileURL(join(import.meta.dirname, 'mint-key.mjs')).href];
  const server = spawn(process.execPath, [...secrets, ...args], {
    env: serverEnvironment({ ...options.env, KEDGE_EDITOR_KEY: join(profile.data, 'key-half') }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that stop() reaches the extension hosts and terminals too, which the server does not wait for.
    detached: process.platform !== 'win32',
  });
  running.add(server);
  const ended = new Promise<void>((done) => server.once('close', () => done()));
  const stop = () => stopGroup(server, ended);
  try {
    const bound = await listening(server, join(profile.data, 'server.log'));
    return { url: address(bound, options), port: bound, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeSettings(profile: Profile, settings: Record<string, unknown>): Promise<void> {
  // Settings of the scope `machine` are read where the server is, all others where the user is.
  for (const place of ['User', 'Machine']) {
    const folder = join(profile.data, 'data', place);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settings.json'), JSON.stringify(settings, null, 2));
  }
}

/** The port from the line that the server prints when it listens. */
function listening(server: ChildProcess, logFile: string): Promise<number> {
  const log = createWriteStream(logFile, { flags: 'a' });
  let output = '';
  return new Promise((done, failed) => {
    const limit = setTimeout(() => failed(new Error(`The editor did not start in three minutes:\n${output}`)), 180_000);
    const read = (chunk: Buffer) => {
      log.write(chunk);
      output = (output + chunk).slice(-10_000);
      const port = /Extension host agent listening on (\d+)/.exec(output)?.[1];
      if (port) settle(() => done(Number(port)));
      // It would stay, and serve nothing.
      if (output.includes('EADDRINUSE')) settle(() => failed(new Error(`The port is taken: EADDRINUSE\n${output}`)));
    };
    const settle = (end: () => void) => {
      clearTimeout(limit);
      end();
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.once('error', (error) => settle(() => failed(error)));
    server.once('close', () => {
      log.end();
      settle(() => failed(new Error(`The editor ended instead of starting:\n${output}`)));
    });
  });
}

function address(port: number, options: EditorOptions): string {
  const remote = (path: string) => `vscode-remote://127.0.0.1:${port}${asUrlPath(path)}`;
  const payload: string[][] = [];
  if (options.extensionDevelopmentPath) payload.push(['extensionDevelopmentPath', remote(options.extensionDevelopmentPath)]);
  if (options.extensionTestsPath) payload.push(['extensionTestsPath', remote(options.extensionTestsPath)], ['skipWelcome', 'true']);
  const what = options.open.endsWith('.code-workspace') ? 'workspace' : 'folder';
  const query = `${what}=${encodeURI(asUrlPath(options.open))}`;
  return `http://127.0.0.1:${port}/?${query}${payload.length > 0 ? `&payload=${encodeURIComponent(JSON.stringify(payload))}` : ''}`;
}

/** C:\a becomes /c:/a. */
function asUrlPath(path: string): string {
  const slashes = resolve(path).replaceAll('\\', '/');
  return slashes.startsWith('/') ? slashes : `/${slashes[0]?.toLowerCase()}${slashes.slice(1)}`;
}

/** Servers that this process has to take with it, however it ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) signalGroup(server, 'SIGKILL');
});

function signalGroup(server: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (server.pid && process.platform !== 'win32') process.kill(-server.pid, signal);
    else server.kill(signal);
  } catch {
    // It is gone already.
  }
}

async function stopGroup(server: ChildProcess, ended: Promise<void>): Promise<void> {
  signalGroup(server, 'SIGTERM');
  const force = setTimeout(() => signalGroup(server, 'SIGKILL'), 3000);
  await ended;
  clearTimeout(force);
  // The server is gone; what it started may not be.
  signalGroup(server, 'SIGKILL');
  running.delete(server);
}

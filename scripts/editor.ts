// Sets up and starts a real VS Code for the tests and for `npm start`, without a download from the vendor: the npm package code-server
// contains the complete VS Code server and workbench, and any Chromium (chromium.ts) can show it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm } from './npm.mjs';

/** code-server 4.x.y contains VS Code 1.x.y. */
const version = '4.139.1';
const integrity = 'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';

export const root = resolve(import.meta.dirname, '..');
/** The folder for files that the scripts reuse in later runs. It can be deleted at any time. */
export const cache = join(root, '.vscode-test');
const serverRoot = join(cache, `code-server-${version}`);

export const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Creates a new empty folder in the cache. */
export async function freshDirectory(name: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  return mkdtemp(join(cache, `${name}-`));
}

/**
 * Sets up the editor once and returns its folder. It is built in a temporary folder and then renamed, so that an interrupted set-up is
 * never used.
 */
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
      // Another process may have finished first. Its result is the same.
      if (!(await exists(serverRoot))) throw error;
    });
    return serverRoot;
  } catch (error) {
    throw new Error(`VS Code could not be set up. Check the network and try again. ${(error as Error).message}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Unpacks only the VS Code server of the package, without the code of code-server itself. */
async function unpack(work: string, archive: string): Promise<string> {
  const hash = createHash('sha512')
    .update(await readFile(join(work, archive)))
    .digest('base64');
  if (`sha512-${hash}` !== integrity) throw new Error(`${archive} does not match its checksum.`);
  const server = join(work, 'server');
  await mkdir(server);
  execFileSync('tar', ['-xzf', archive, '-C', 'server', '--strip-components=3', 'package/lib/vscode'], { cwd: work });
  return server;
}

/** Returns the path of the ripgrep that comes with VS Code. */
export async function ripgrepOfEditor(): Promise<string> {
  const { platform, arch } = process;
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  return join(await ensureEditor(), 'node_modules', '@vscode', 'ripgrep-universal', 'bin', `${platform}-${arch}`, name);
}

/** The folders in which an editor keeps its state. Several editors can share one extensions folder if they run one after another. */
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
  /** A folder, or a .code-workspace file for several folders. */
  open: string;
  /** The folder of an extension that is loaded without being installed. */
  extensionDevelopmentPath?: string;
  /** A module whose `run()` is called in the extension host. It requires `extensionDevelopmentPath`. */
  extensionTestsPath?: string;
  /**
   * With 0, the default, any free port is used. A browser stores its state by port, so an editor that keeps its state needs a fixed port.
   */
  port?: number;
  /** The user settings to write. Without them, the existing settings are kept. */
  settings?: Record<string, unknown>;
  /** Makes the workbench call `codeAutomationLog` and `codeAutomationExit`, which the page provides. */
  smokeTest?: boolean;
  /** Keeps VS Code's prompt for workspace trust. Without it, every folder is trusted. */
  askForTrust?: boolean;
  env?: Record<string, string>;
}

export interface Editor {
  url: string;
  port: number;
  /** Resolves when the server has ended for any reason. */
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

/** Removes the variables that VS Code sets in its terminals, because they would make the server connect to that instance. */
function serverEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_)/.test(name));
  return { ...Object.fromEntries(kept), ...extra };
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

/** Starts the server and resolves when it is listening. */
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
    env: serverEnvironment({
      // Kedge's data belongs to the profile, and not to the user who starts the editor.
      KEDGE_HOME: join(profile.data, 'kedge'),
      ...options.env,
      KEDGE_EDITOR_KEY: join(profile.data, 'key-half'),
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // The server gets its own process group, so that stop() also ends its extension hosts and terminals. The server does not wait for them.
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

/**
 * Returns the path of the user settings. Settings with the scope `machine` are read from `Machine`, those with the scope `application` from
 * `User`, and all others from both. An open editor notices when `Machine` changes.
 */
export const settingsFile = (profile: Pick<Profile, 'data'>, place: 'User' | 'Machine') =>
  join(profile.data, 'data', place, 'settings.json');

async function writeSettings(profile: Profile, settings: Record<string, unknown>): Promise<void> {
  for (const place of ['User', 'Machine'] as const) {
    const file = settingsFile(profile, place);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(settings, null, 2));
  }
}

/** Resolves to the port, from the line that the server prints when it is listening. */
function listening(server: ChildProcess, logFile: string): Promise<number> {
  const log = createWriteStream(logFile, { flags: 'a' });
  let output = '';
  return new Promise((done, failed) => {
    const limit = setTimeout(() => failed(new Error(`The editor did not start within three minutes:\n${output}`)), 180_000);
    const read = (chunk: Buffer) => {
      log.write(chunk);
      output = (output + chunk).slice(-10_000);
      const port = /Extension host agent listening on (\d+)/.exec(output)?.[1];
      if (port) settle(() => done(Number(port)));
      // If its port is in use, the server keeps running without serving anything.
      if (output.includes('EADDRINUSE')) settle(() => failed(new Error(`The port is in use: EADDRINUSE\n${output}`)));
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

/** Converts a path for a URL: C:\a becomes /c:/a. */
function asUrlPath(path: string): string {
  const slashes = resolve(path).replaceAll('\\', '/');
  return slashes.startsWith('/') ? slashes : `/${slashes[0]?.toLowerCase()}${slashes.slice(1)}`;
}

/** The servers to end when this process exits. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) signalGroup(server, 'SIGKILL');
});

function signalGroup(server: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (server.pid && process.platform !== 'win32') process.kill(-server.pid, signal);
    else server.kill(signal);
  } catch {
    // The process may have already ended.
  }
}

async function stopGroup(server: ChildProcess, ended: Promise<void>): Promise<void> {
  signalGroup(server, 'SIGTERM');
  const force = setTimeout(() => signalGroup(server, 'SIGKILL'), 3000);
  await ended;
  clearTimeout(force);
  // The server has ended, but processes that it started may still be running.
  signalGroup(server, 'SIGKILL');
  running.delete(server);
}

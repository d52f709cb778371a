// `npm start`: builds Kedge, installs it into a separate VS Code, and opens a sample workspace there.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cache, type Editor, type EditorOptions, ensureEditor, installVsix, root, startEditor } from './editor.ts';
import { packageExtension } from './package.ts';

const usage = `Usage: npm start [-- options]

  --folder DIR   open DIR instead of a copy of the sample workspace
  --fresh        reset the sample workspace
  --chat         keep VS Code's own Chat, to try @kedge there (see below)
  --port N       serve at this port (default: 8421, or a free port if 8421 is in use)
  --desktop      install Kedge into the VS Code of this machine and open it there
  --help         show this help

VS Code's own Chat asks to sign in to GitHub Copilot when a message does not address an extension, so it is turned off without --chat.`;

/** The settings of a new profile. They hide the pages that VS Code shows at its first start, and the sign-in for other products. */
const firstSettings = (chat: boolean) => ({
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'chat.titleBar.signIn.enabled': false,
  'chat.disableAIFeatures': !chat,
});

/** The port is fixed, because a browser stores the state of the editor (chat sessions, layout) by port. */
const defaultPort = 8421;

const options = {
  folder: { type: 'string' },
  fresh: { type: 'boolean' },
  chat: { type: 'boolean' },
  port: { type: 'string' },
  desktop: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(usage);
  const port = values.port === undefined ? undefined : portNumber(values.port);
  const folder = values.folder === undefined ? await sampleFolder(values.fresh) : await existingFolder(values.folder);
  if (!values.desktop) await ensureEditor();
  const vsix = await packageExtension();
  if (values.desktop) return openDesktop(vsix, folder);
  // The sample workspace is trusted without asking the user.
  await serve(vsix, { open: folder, askForTrust: values.folder !== undefined, chat: values.chat === true }, port);
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--port must be a number from 1 to 65535, not "${text}".`);
  return port;
}

async function existingFolder(path: string): Promise<string> {
  // npm runs this script in the repository, but the path is relative to the folder in which the user ran npm.
  const folder = resolve(process.env.INIT_CWD ?? '.', path);
  if (!existsSync(folder)) throw new Error(`The folder ${folder} does not exist. Choose another folder with --folder.`);
  return folder;
}

async function sampleFolder(fresh = false): Promise<string> {
  const sample = join(cache, 'sample');
  if (fresh) await rm(sample, { recursive: true, force: true });
  if (!existsSync(sample)) await copySample(sample);
  return sample;
}

/** Copies the sample. If Git is installed, the copy is a Git repository, so that the user can see the changes of a run. */
async function copySample(to: string): Promise<void> {
  await cp(join(root, 'test', 'sample'), to, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Kedge', '-c', 'user.email=kedge@localhost', ...args], { cwd: to, stdio: 'ignore' });
  try {
    git('init');
    git('add', '.');
    git('commit', '-m', 'The harbour as it was');
  } catch {
    // The sample also works without Git.
  }
}

type Served = Pick<EditorOptions, 'open' | 'askForTrust'> & { chat: boolean };

async function serve(vsix: string, { chat, ...what }: Served, port?: number): Promise<void> {
  // The settings with and without the Chat differ, so each has its own profile.
  const place = join(cache, chat ? 'start-chat' : 'start');
  const profile = { data: join(place, 'data'), extensions: join(place, 'extensions') };
  await installVsix(vsix, profile);
  // Settings are written only the first time. After that, they belong to the user.
  const settings = existsSync(join(profile.data, 'data', 'User', 'settings.json')) ? undefined : firstSettings(chat);
  const editor = await startAt(port, { ...what, profile, settings });
  console.log(welcome(editor.url, what.open, chat));
  openBrowser(editor.url);
  const stop = () => void editor.stop();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  await editor.ended;
  console.log('Stopped.');
}

async function startAt(port: number | undefined, options: EditorOptions): Promise<Editor> {
  try {
    return await startEditor({ ...options, port: port ?? defaultPort });
  } catch (error) {
    if (!String(error).includes('EADDRINUSE')) throw error;
    if (port !== undefined) throw new Error(`Port ${port} is in use. Choose another port with --port.`);
    return startEditor(options);
  }
}

const welcome = (url: string, folder: string, chat: boolean) => `
  Kedge is running in VS Code:  ${url}
  It has opened:                ${folder}

  Try these in Kedge's panel (Ctrl+Alt+K), in the mode before the colon:
    Ask:    Where is draught used?
    Plan:   Rename calc to waterLevel in src/**
    Agent:  Replace 'Little Harbour' with 'Old Harbour'

  ${chat ? 'In the Chat view (Ctrl+Alt+I), begin with @kedge, @kedge /plan or @kedge /agent.' : "VS Code's own Chat is turned off here. To try @kedge there, start with: npm start -- --chat"}
  Press Ctrl+C to stop it.
`;

/** Opens a browser if there is a display. Otherwise the user opens the printed address elsewhere. */
function openBrowser(url: string): void {
  const { platform, env } = process;
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return;
  const [file, ...args] =
    platform === 'darwin' ? ['open', url] : platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', url] : ['xdg-open', url];
  spawn(file as string, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

async function openDesktop(vsix: string, folder: string): Promise<void> {
  await code('--install-extension', vsix, '--force');
  await code(folder);
  console.log('Kedge was installed into VS Code, which opens now. To remove it, run "code --uninstall-extension kedge.kedge".');
}

function code(...args: string[]): Promise<void> {
  const windows = process.platform === 'win32';
  const child = spawn(windows ? 'code.cmd' : 'code', windows ? args.map((arg) => `"${arg}"`) : args, { stdio: 'inherit', shell: windows });
  return new Promise((done, failed) => {
    child.on('error', () => {
      failed(
        new Error(
          'The "code" command was not found. In VS Code, run "Shell Command: Install \'code\' command in PATH", or start without --desktop.',
        ),
      );
    });
    child.on('close', (status) => (status === 0 ? done() : failed(new Error(`code ${args[0]} failed with code ${status}.`))));
  });
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

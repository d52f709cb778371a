// Drives a real VS Code workbench like a user, with the packed extension installed. Every workbench has its own server, user profile,
// browser profile and workspace. Only the installed extension and the browser process are shared. Opening a workbench takes 20 seconds of
// processor time, more than most tests, so the suites share one workbench unless they need a fresh profile.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Browser, type BrowserContext, chromium, errors, type Frame, type Locator, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.ts';
import { type Editor, freshDirectory, root, settingsFile, startEditor } from '../../scripts/editor.ts';
import { until } from '../support/until.ts';
import { Chat } from './chat.ts';
import { endsOfLogs } from './logs.ts';

export { until };

export interface WorkbenchOptions {
  /** The folder that is copied into the workspace. Without it, the workspace is empty at first. */
  folder?: string;
  /** The texts of further files in the workspace, by path. */
  files?: Record<string, string>;
  /** The files of each folder, by the name of the folder. With this option, the workspace has several folders. */
  folders?: Record<string, Record<string, string>>;
  settings?: Record<string, unknown>;
  viewport?: { width: number; height: number };
  theme?: 'light' | 'dark';
  /** Environment variables of the extension host. */
  env?: Record<string, string>;
  askForTrust?: boolean;
}

const themes = { light: 'Light 2026', dark: 'Dark 2026' };
/** Settings that turn off distractions: greetings, tips, updates, and Git in the repository that contains the workspace. */
const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'git.openRepositoryInParentFolders': 'never',
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'remote.autoForwardPorts': false,
  // One language server for TypeScript is enough, and it needs no downloads.
  'typescript.tsserver.useSyntaxServer': 'never',
  'typescript.disableAutomaticTypeAcquisition': true,
  // A title is one more request to the model, which the answers of a test would have to expect.
  'kedge.sessions.titles': false,
};
/** A model whose context window is small, in tokens. VS Code reads this setting only when it starts. */
export const SMALL_MODEL = { id: 'openai-chat/small-model', window: 8_192 };
/** The settings of the workbench that suites share, besides those of a suite. */
const common = { ...quiet, 'kedge.models': { [SMALL_MODEL.id]: { contextWindow: SMALL_MODEL.window } } };
const usualViewport = { width: 1400, height: 900 };

let browser: Browser | undefined;
const open = new Set<Workbench>();

/** How long Playwright waits for an element, in milliseconds. Only a test that fails waits this long. */
const patience = 120_000;

async function theBrowser(): Promise<Browser> {
  browser ??= await chromium.launch({ executablePath: await ensureChromium(), args: chromiumFlags });
  return browser;
}

async function newContext({ viewport = usualViewport, theme = 'light' }: WorkbenchOptions): Promise<BrowserContext> {
  return (await theBrowser()).newContext({ viewport, colorScheme: theme, permissions: ['clipboard-read', 'clipboard-write'] });
}

/** Opens a workbench and resolves when it can be used. A workbench that a test does not dispose of is disposed of at the end. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const extensions = process.env.KEDGE_EXTENSIONS;
  if (!extensions) throw new Error('Run these tests with "npm run test:e2e": it installs the extension that they drive.');
  const place = await freshDirectory('e2e-workbench');
  const workspace = await makeWorkspace(place, options);
  const editor = await startEditor({
    profile: { data: join(place, 'data'), extensions },
    open: workspace,
    settings: { ...quiet, 'workbench.colorTheme': themes[options.theme ?? 'light'], ...options.settings },
    askForTrust: options.askForTrust,
    env: options.env,
  });
  const context = await newContext(options).catch(async (error) => {
    // Otherwise the server would keep this process from ending.
    await editor.stop();
    throw error;
  });
  context.setDefaultTimeout(patience);
  const workbench = new Workbench(await context.newPage(), context, editor, place);
  open.add(workbench);
  await workbench.page.goto(editor.url);
  await workbench.ready();
  // On the first start in a profile, Kedge brings its panel to the front. A view that a test opens before would be hidden.
  await workbench.waitForPanel();
  return workbench;
}

/** The state that suites can change in the workbench that they share. Settings with the scope `application` cannot be changed. */
export type SuiteOptions = Pick<WorkbenchOptions, 'folder' | 'files' | 'settings' | 'viewport'>;

let shared: Workbench | undefined;

/**
 * Provides one workbench for all suites. Each test begins with these files and settings and no open editor, but with the sessions of the
 * tests before it. After a failed test, the next test gets a new workbench. `isNew` is true for the first test in a workbench.
 */
export function sharedWorkbench(options: () => SuiteOptions): () => Promise<{ workbench: Workbench; isNew: boolean }> {
  afterEach(async function () {
    if (this.currentTest?.state === 'passed') return;
    await shared?.dispose();
    shared = undefined;
  });
  return async () => {
    const isNew = !shared;
    shared ??= await openWorkbench({ settings: common });
    await shared.beginAgain(options());
    return { workbench: shared, isNew };
  };
}

/** Returns the path that the editor opens: the folder, or the workspace file for several folders. */
async function makeWorkspace(place: string, { folder, files = {}, folders }: WorkbenchOptions): Promise<string> {
  const workspace = join(place, 'workspace');
  await mkdir(workspace);
  await fill(workspace, { folder, files });
  if (!folders) return workspace;
  for (const [name, contents] of Object.entries(folders)) await writeFiles(join(workspace, name), contents);
  const file = join(workspace, 'several.code-workspace');
  await writeFile(file, JSON.stringify({ folders: Object.keys(folders).map((path) => ({ path })) }));
  return file;
}

async function fill(workspace: string, { folder, files = {} }: WorkbenchOptions): Promise<void> {
  if (folder) await cp(folder, workspace, { recursive: true });
  await writeFiles(workspace, files);
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Returns false for the error of an action that did not end in time, and throws all others. */
function isTimeout(error: unknown): false {
  if (error instanceof errors.TimeoutError) return false;
  throw error;
}

const picture = (name: string) => join(root, 'out', 'screenshots', `${name}.png`);

export class Workbench {
  readonly page: Page;
  readonly chat: Chat;
  /** The folder of the workspace on disk. If the workspace has several folders, it is the folder that contains them. */
  readonly folder: string;
  readonly #context: BrowserContext;
  readonly #editor: Editor;
  readonly #place: string;
  #reloaded = false;

  constructor(page: Page, context: BrowserContext, editor: Editor, place: string) {
    this.page = page;
    this.chat = new Chat(page);
    this.folder = join(place, 'workspace');
    this.#context = context;
    this.#editor = editor;
    this.#place = place;
  }

  /** Resolves when the workbench is visible. Its extensions start later, and the methods of this class wait for them if necessary. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
  }

  /** Closes what the previous test opened, and resets the files and the settings. It does not start a new session. */
  async beginAgain(options: SuiteOptions): Promise<void> {
    const input = this.page.locator('.quick-input-widget:visible .quick-input-box input');
    await this.#close(input);
    await this.page.setViewportSize(options.viewport ?? usualViewport);
    if (await this.page.locator('.editor-group-container .tab').count()) await this.command('View: Close All Editors');
    if (await this.page.locator('.part.panel').isVisible()) await this.command('View: Hide Panel');
    if (await this.page.locator('.notification-toast').count()) await this.command('Notifications: Clear All Notifications');
    for (const entry of await readdir(this.folder)) await rm(join(this.folder, entry), { recursive: true });
    await fill(this.folder, options);
    await this.#changeSettings({ ...common, ...options.settings });
    this.#reloaded = false;
  }

  /** Resolves when the workbench uses these settings. The settings that it uses can be told by its title. */
  async #changeSettings(settings: Record<string, unknown>): Promise<void> {
    const file = settingsFile({ data: join(this.#place, 'data') }, 'Machine');
    // Connecting a model changes the settings too.
    const { 'window.title': title, ...before } = JSON.parse(await readFile(file, 'utf8'));
    if (isDeepStrictEqual(before, settings)) return;
    const next = `Settings ${Number(title?.split(' ')[1] ?? 0) + 1}`;
    await writeFile(file, JSON.stringify({ ...settings, 'window.title': next }));
    await until('the settings', async () => (await this.page.title()) === next);
  }

  /** Reloads the window with VS Code's own command, so that VS Code saves its state first. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.command('Developer: Reload Window');
    await loaded;
    this.#reloaded = true;
    await this.ready();
  }

  /** Opens a window without a folder in the same profile. */
  async openEmptyWindow(): Promise<void> {
    await this.page.goto(new URL('/?ew=true', this.#editor.url).href);
    await this.ready();
  }

  /** Runs a command by its title in the command palette, such as 'View: Toggle Terminal'. */
  async command(title: string): Promise<void> {
    await this.#pick(`>${title}`, title);
  }

  /**
   * Selects an entry of the palette. The palette is opened again if the entry is not listed yet, because extensions may add it later, and if
   * the palette was closed because something else got the focus, such as a panel that VS Code has just shown.
   */
  async #pick(text: string, label: string): Promise<void> {
    // Each attempt waits twice as long as the previous attempt, because the machine may be slow.
    for (let wait = 4000; wait < patience; wait *= 2) {
      const input = await this.quickInput(text);
      if (await this.clickQuickItem(label, wait).then(() => true, isTimeout)) return;
      await this.#close(input);
    }
    throw new Error(`There is no "${label}" in the command palette.`);
  }

  /**
   * Closes the quick input if it is open. Escape is sent only to the input, because elsewhere the key has another effect, such as stopping a
   * run. A busy editor ignores the key, and an input that is about to close may be gone before the key arrives.
   */
  async #close(input: Locator): Promise<void> {
    await until('the quick input to close', async () => {
      if (await input.isVisible()) await input.press('Escape', { timeout: 2000 }).catch(isTimeout);
      return !(await input.isVisible());
    });
  }

  /** Opens the quick input with this text: the name of a file, or '>' and the title of a command. */
  async quickInput(text: string): Promise<Locator> {
    const input = this.page.locator('.quick-input-widget:visible .quick-input-box input');
    await until('the command palette', async () => {
      // An editor that is still starting ignores the key. VS Code gives a view the focus with a delay, which closes the palette.
      await this.page.keyboard.press('F1');
      await input.fill(text, { timeout: 2000 });
      return input.isVisible();
    });
    return input;
  }

  /** The hover of an item on which the mouse still rests would cover the items below it. */
  async clickQuickItem(label: string, timeout?: number): Promise<void> {
    await this.quickItem(label).click({ timeout });
    await this.page.mouse.move(0, 0);
  }

  quickItem(label: string): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: label }).first();
  }

  async openFile(path: string): Promise<void> {
    const name = path.split('/').at(-1) ?? path;
    await this.#pick(path, name);
    await this.page.locator(`.tab[data-resource-name="${name}"]`).waitFor();
  }

  /** Shows the panel and resolves to the frame of its document. */
  async panelFrame(): Promise<Frame> {
    // After a reload, the panel opens by itself, and the palette would take the focus from it.
    if (!this.#reloaded && !(await this.#panelIsVisible())) await this.command('Kedge: Focus on Kedge View');
    return until('the panel', () => this.#panel());
  }

  /** Waits until the panel is shown without being asked for. */
  waitForPanel(): Promise<Frame> {
    return until('the panel', () => this.#panel());
  }

  /** VS Code keeps the document of a hidden panel, and hides the frame around it. */
  async #panelIsVisible(): Promise<boolean> {
    const around = await (await this.#panel())?.parentFrame()?.frameElement();
    return around?.isVisible() ?? false;
  }

  async #panel(): Promise<Frame | undefined> {
    const [panel] = await this.#framesWith((frame) => frame.locator('#kedge-panel'));
    return panel;
  }

  /** Waits until a text is visible anywhere: in the workbench or in a webview. Resolves to its element. */
  waitForText(text: string | RegExp): Promise<Locator> {
    const visible = (frame: Frame) => frame.getByText(text).filter({ visible: true }).first();
    const find = async () => (await this.#framesWith(visible)).map(visible)[0];
    return until(`the text ${text}`, find);
  }

  /** Returns the frames that contain the element now. A frame that is loading may not answer, so it is skipped. */
  async #framesWith(element: (frame: Frame) => Locator): Promise<Frame[]> {
    const counts = this.page.frames().map(async (frame) => {
      const answer = element(frame).count();
      const count = await Promise.race([answer.catch(() => 0), new Promise<number>((late) => setTimeout(late, 1000, 0))]);
      return count > 0 ? [frame] : [];
    });
    return (await Promise.all(counts)).flat();
  }

  /** Presses a button of a notification or a dialog. */
  async clickNotification(label: string): Promise<void> {
    await this.page.locator('.notifications-toasts, .monaco-dialog-box').getByRole('button', { name: label }).first().click();
  }

  /** Saves a screenshot as out/screenshots/NAME.png. */
  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: picture(name) });
  }

  /** Returns details that help to explain a failure on another machine: the text of the panel, and the last lines of the server's logs. */
  async evidence(): Promise<string> {
    const text = await (await this.#panel())?.locator('body').innerText({ timeout: 2000 });
    return `The panel:\n${text ?? 'It is not there.'}\n\n${await endsOfLogs(join(this.#place, 'data'))}`;
  }

  async dispose(): Promise<void> {
    open.delete(this);
    await pictureOf(this);
    await this.#context.close();
    await this.#editor.stop();
    await rm(this.#place, { recursive: true, force: true });
  }
}

// Every failure gets a screenshot. A workbench may be disposed of before mocha reports the result of the test, so a screenshot of every
// workbench is taken, and deleted if the test passed.
let test: Mocha.Test | undefined;
let pictures: string[] = [];
let evidence: string[] = [];

async function pictureOf(workbench: Workbench): Promise<void> {
  if (!test || test.state === 'passed') return;
  const number = pictures.length > 0 ? `-${pictures.length + 1}` : '';
  const name = `failed-${test.fullTitle().replaceAll(/[^\w-]+/g, '-')}${number}`;
  pictures.push(name);
  await workbench.screenshot(name).catch(() => {});
  evidence.push(await workbench.evidence().catch((error) => `${error}`));
}

beforeEach(function () {
  test = this.currentTest;
  pictures = [];
  evidence = [];
});

afterEach(async () => {
  await Promise.all([...open].map(pictureOf));
  if (test?.state !== 'passed') for (const each of evidence) console.log(each);
  else await Promise.all(pictures.map((name) => rm(picture(name), { force: true })));
});

after(async () => {
  test = undefined;
  await Promise.all([...open].map((workbench) => workbench.dispose()));
  await browser?.close();
});

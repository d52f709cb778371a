/** The browser of a run, which a process of its own controls. The process is started with the first page. */
import { type ChildProcess, fork } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { abortable } from '../../../core/abort.ts';
import { ToolError } from '../../../core/run/tool.ts';
import type { Browser, PageAction, PageView } from '../../../tools/network/browse.ts';
import { type EnvironmentRules, NO_ENVIRONMENT_RULES, withheldFrom } from '../commands/command-environment.ts';
import { isPrivateHost } from '../fetch/address.ts';
import { installedBrowser } from './installed.ts';
import { findLibrary } from './library.ts';
import type { DriverAnswer, DriverOptions, DriverRequest } from './messages.ts';

const HEAP_MB = 512;
/** How long the process has to end the browser before it is killed. */
const CLOSE_MS = 6_000;

export type RunBrowserOptions = {
  /** The directory of Kedge's data. */
  data: string;
  /** The path of the browser that the user has set. */
  path?: string | undefined;
  environment?: () => EnvironmentRules;
};

type Waiting = { resolve(view: PageView): void; reject(error: Error): void };

const GONE = 'The browser has ended. Open a page again.';

export class RunBrowser implements Browser {
  readonly #options: RunBrowserOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** The process that answers. */
  #process: ChildProcess | undefined;
  /** The process that was started last. It can still be ending the browser. */
  #last: { child: ChildProcess; ended: Promise<void> } | undefined;
  #id = 0;
  #isGone = true;
  #isClosed = false;

  constructor(options: RunBrowserOptions) {
    this.#options = options;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  isPrivate(url: URL): boolean {
    return isPrivateHost(url);
  }

  async act(action: PageAction, signal: AbortSignal): Promise<PageView> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new ToolError('The run has ended.');
    if (!this.#process && action.do !== 'open') throw new ToolError(GONE);
    this.#process ??= this.#start();
    const child = this.#process;
    const id = ++this.#id;
    const answer = new Promise<PageView>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      child.send({ id, action } satisfies DriverRequest, (error) => error && this.#fail(child));
    });
    try {
      return await abortable(answer, signal);
    } catch (error) {
      // A stop ends what the page is doing, too.
      if (signal.aborted) void this.#end();
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  #start(): ChildProcess {
    const { data, path, environment = () => NO_ENVIRONMENT_RULES } = this.#options;
    const library = findLibrary(data);
    if (!library)
      throw new ToolError(
        'The browser tool is not set up. The user can do that: kedge browser setup, or the command Kedge: Set Up the Browser Tool.',
      );
    if (path !== undefined && !isAbsolute(path)) throw new ToolError('The path of the browser in the settings is not absolute.');
    const executable = path ?? installedBrowser();
    if (!executable)
      throw new ToolError(
        'No Chrome, Chromium or Edge was found. The user can install one, or set its path in kedge.browser.path or KEDGE_BROWSER.',
      );
    // The program is bundled, but not in tests.
    const file = import.meta.url.endsWith('.ts') ? './driver.ts' : './browser.js';
    const names = withheldFrom(process.env, environment()).names;
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.includes(name) && name !== 'NODE_OPTIONS'));
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify({ library, executable } satisfies DriverOptions)], {
      // The program of the editor is Node only with this variable.
      env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      // A Ctrl+C in the terminal is for Kedge, which then ends this process.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
    this.#last = { child, ended };
    child.on('message', (answer: DriverAnswer) => this.#receive(child, answer));
    for (const event of ['exit', 'error', 'disconnect']) child.once(event, () => this.#fail(child));
    return child;
  }

  #receive(child: ChildProcess, answer: DriverAnswer): void {
    if (child !== this.#process) return;
    this.#isGone = answer.isGone;
    const waiting = this.#waiting.get(answer.id);
    if ('view' in answer) waiting?.resolve(answer.view);
    else waiting?.reject(new ToolError(answer.problem));
  }

  #fail(child: ChildProcess): void {
    if (child !== this.#process) return;
    this.#process = undefined;
    this.#isGone = true;
    for (const { reject } of this.#waiting.values()) reject(new ToolError(GONE));
    this.#waiting.clear();
  }

  /** The process ends the browser and itself when the connection to it ends. */
  async #end(): Promise<void> {
    if (!this.#last) return;
    const { child, ended } = this.#last;
    this.#fail(child);
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
    await ended;
    clearTimeout(timer);
  }
}

/** A conversation on a terminal that can redraw lines. It reads keys, and shows a transcript with the prompt below it. */
import type { AgentEvent } from '../../../core/session/events.ts';
import type { RunView } from '../../../core/view/run-view.ts';
import { type Output, oneLine, type Paint, paintFor } from '../output/terminal.ts';
import type { Choice, Prompter } from '../questions.ts';
import type { Controls, Front } from './front.ts';
import { Asked } from './input/asked.ts';
import { droppedImage } from './input/dropped.ts';
import { type EditorState, edit, emptyEditor, submitted, withText } from './input/editor.ts';
import { rowsOf } from './input/editor-rows.ts';
import { type Input, type Key, KeyReader } from './input/keys.ts';
import { type Offered, offerLines } from './input/offers.ts';
import { Quiet } from './input/quiet.ts';
import { Suspension } from './input/suspension.ts';
import { ChatRenderer } from './output/chat-renderer.ts';
import { Live } from './output/live.ts';
import { type Bottom, Screen } from './output/screen.ts';
import { cut, plain } from './output/styled.ts';
import { Transcript } from './output/transcript.ts';

/** A screen with fewer rows has no room for empty lines. */
const MIN_ROWS = 10;
const STOPPING = 'Stopping. To leave without waiting, press Ctrl+C again.';
const LEAVE = 'To leave, press Ctrl+C again, or Ctrl+D.';

type Streams = { stdin: Input; stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream };
type Pending = { asked: Asked; resolve(answer: string | undefined): void; isReady: boolean };

export class Terminal implements Front {
  readonly paint: Paint;
  readonly bell: Output;
  readonly prompter: Prompter;
  readonly #stdout: NodeJS.WriteStream;
  readonly #screen: Screen;
  readonly #keys: KeyReader;
  readonly #suspension = new Suspension({ leave: () => this.#close(), enter: () => this.#open() });
  readonly #live: Live;
  readonly #transcript: Transcript;
  readonly #remember: (entry: string) => void;
  #controls: Controls | undefined;
  #editor: EditorState;
  #pending: Pending | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #quiet = new Quiet();
  #completion: Offered | undefined;
  #notice = '';
  #skipWait: () => void = () => undefined;
  #leave: () => void = () => undefined;

  /** `history` is what was sent in earlier conversations, and `remember` adds to it. */
  constructor(history: readonly string[], remember: (entry: string) => void, { stdin, stdout, stderr }: Streams = process) {
    const write: (text: string) => unknown = stdout.write.bind(stdout);
    this.#stdout = stdout;
    this.bell = { write, isTTY: true };
    this.#remember = remember;
    this.#editor = emptyEditor(history);
    this.paint = paintFor(stdout);
    const output = {
      write,
      get columns() {
        return stdout.columns;
      },
      get rows() {
        return stdout.rows;
      },
    };
    this.#screen = new Screen(output, () => this.#bottom(), this.paint.bold('') !== '');
    this.#live = new Live(this.paint, () => this.#screen.update());
    this.#transcript = new Transcript(this.#screen, this.paint, [stdout, stderr]);
    this.#keys = new KeyReader(
      stdin,
      write,
      (key) => this.#key(key),
      () => this.#leave(),
    );
    this.prompter = {
      readsKeys: true,
      paint: this.paint,
      show: (text) => this.#transcript.block(text.replace(/^\n|\n$/g, '')),
      ask: (prompt, signal, choices, words) => {
        const answer = this.#turn.then(() => this.#ask(prompt, signal, choices, words));
        this.#turn = answer;
        return answer;
      },
    };
  }

  async converse(controls: Controls): Promise<void> {
    this.#controls = controls;
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    const resize = () => this.#screen.update();
    this.#stdout.on('resize', resize);
    const release = this.#transcript.capture();
    const close = () => this.#screen.close();
    process.on('exit', close);
    this.#keys.start();
    this.#suspension.start();
    this.#screen.update();
    try {
      await left;
    } finally {
      this.#suspension.stop();
      this.#stdout.off('resize', resize);
      process.off('exit', close);
      this.#live.end();
      this.#keys.stop();
      this.#transcript.end();
      this.#screen.close();
      release();
    }
  }

  /** Leaves. What the run asks stays open, so that it is asked again when the session continues. */
  leave(): void {
    this.#leave();
  }

  draft(text: string): void {
    const typed = this.#editor.text;
    this.#editor = withText(this.#editor, typed === '' ? text : `${text}\n${typed}`);
    this.update();
  }

  show(run: RunView | undefined, isVerbose: () => boolean): { handle(event: AgentEvent): void } {
    const redrawn = { ...this.#live.redrawn, heldChars: 0, paint: this.paint, undo: '/undo' };
    const { answers, steps } = this.#transcript;
    const renderer = new ChatRenderer(answers, steps, this.paint, run, redrawn, isVerbose);
    this.#skipWait = () => renderer.skipWait();
    return {
      handle: (event) => {
        renderer.handle(event);
        if (event.type === 'message_added' || event.type === 'run_finished' || event.type === 'run_paused') this.#transcript.end();
        this.update();
      },
    };
  }

  say(text: string): void {
    this.#transcript.line(plain(text));
  }

  echo(text: string): void {
    this.#transcript.line(`${this.paint.bold('›')} ${plain(text).replaceAll('\n', '\n  ')}`, true);
  }

  markdown(text: string): void {
    this.#transcript.answers.write(text);
    this.#transcript.end();
  }

  update(): void {
    if (this.#notice === STOPPING && !this.#controls?.isRunning) this.#notice = '';
    this.#live.running(this.#controls?.isRunning === true && !this.#pending?.isReady);
    this.#screen.update();
  }

  release<T>(use: () => T): T {
    this.#close();
    try {
      return use();
    } finally {
      this.#open();
    }
  }

  #open(): void {
    this.#screen.open();
    this.#keys.start();
  }

  #close(): void {
    this.#keys.stop();
    this.#screen.close();
  }

  #ask(prompt: string, signal: AbortSignal, choices?: readonly Choice[], words?: boolean): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const lines = prompt.replace(/^\n/, '').split('\n');
    const last = lines.pop() ?? '';
    if (lines.length > 0) this.#transcript.block(lines.join('\n'));
    return new Promise((resolve) => {
      const end = (answer: string | undefined) => {
        this.#quiet.end();
        signal.removeEventListener('abort', abandon);
        this.#pending = undefined;
        this.update();
        resolve(answer);
      };
      const abandon = () => end(undefined);
      signal.addEventListener('abort', abandon, { once: true });
      this.#pending = { asked: new Asked(last, choices, words), resolve: end, isReady: false };
      this.#waitForQuiet();
    });
  }

  #waitForQuiet(): void {
    this.#quiet.wait(() => {
      if (this.#pending) this.#pending.isReady = true;
      this.update();
    });
  }

  #key(key: Key): void {
    if (key.name === 'ctrl+c') this.interrupt();
    else if (key.name === 'ctrl+l') this.#screen.clear();
    else if (key.name === 'ctrl+z') this.#suspension.suspend();
    else if (this.#pending?.isReady) {
      const answer = this.#pending.asked.answer(key);
      if (answer !== undefined) this.#pending.resolve(answer);
    } else {
      this.#quiet.typed();
      if (this.#pending) this.#waitForQuiet();
      this.#notice = '';
      this.#typed(key);
    }
    this.update();
  }

  #typed(key: Key): void {
    const controls = this.#controls;
    if (key.name === 'tab') return void this.#complete();
    this.#completion = undefined;
    const isSearching = this.#editor.search !== undefined;
    if (key.name === 'shift+tab') controls?.nextMode();
    else if (key.name === 'escape' && !isSearching) controls?.pauseOrContinue();
    else if (key.name === 'ctrl+d' && this.#editor.text === '') this.leave();
    else {
      const mention = key.name === 'paste' ? droppedImage(key.text ?? '') : undefined;
      const next = edit(this.#editor, mention ? { ...key, text: mention } : key);
      if (next) this.#editor = next;
      else if (key.name === 'enter') this.#submit();
    }
  }

  #submit(): void {
    const text = this.#editor.text.trim();
    if (text === '') {
      if (this.#controls?.retryNow()) this.#skipWait();
      return;
    }
    this.#remember(text);
    this.#editor = submitted(this.#editor);
    this.echo(text);
    void this.#controls?.submit(text);
  }

  /** Ctrl+C stops the run, or empties the input. If there is neither, or while a run is being stopped, pressing it twice leaves. */
  interrupt(): void {
    const controls = this.#controls;
    if (controls?.interrupt()) {
      this.#notice = STOPPING;
    } else if (controls?.isRunning) this.leave();
    else if (this.#pending) this.#pending.resolve(undefined);
    else if (this.#editor.text !== '' || this.#editor.search !== undefined) this.#editor = emptyEditor(this.#editor.history);
    else if (this.#notice === LEAVE) this.leave();
    else this.#notice = LEAVE;
    this.#completion = undefined;
    this.update();
  }

  /** Inserts the best completion. Each further Tab inserts the next one. */
  async #complete(): Promise<void> {
    const { text, caret } = this.#editor;
    const shown = this.#completion;
    const next = shown
      ? { ...shown, at: (shown.at + 1) % shown.items.length }
      : await this.#controls?.complete(text, caret).then(
          (found) => found && { ...found, at: 0 },
          () => undefined,
        );
    if (!next || this.#editor.text !== text) return;
    const from = shown ? shown.from : next.from;
    const insert = next.items[next.at]?.insert ?? '';
    this.#editor = withText(this.#editor, `${text.slice(0, from)}${insert}${text.slice(caret)}`, from + insert.length);
    this.#completion = next.items.length > 1 ? next : undefined;
    this.update();
  }

  #bottom(): Bottom {
    const { columns, rows: screenRows } = this.#screen;
    const asked = this.#pending?.isReady ? this.#pending.asked.rows(columns, this.paint) : undefined;
    const { text, caret, search } = this.#editor;
    const prompt = asked ?? rowsOf(text, caret, columns);
    const below = asked ? [] : [...offerLines(text, this.#completion, columns, this.paint), this.#footer(columns)];
    const found = search === undefined || asked ? [] : [cut(this.paint.dim(`search: ${oneLine(search)}`), columns)];
    const queued = (this.#controls?.queued ?? []).map((each) => cut(this.paint.dim(`queued: ${oneLine(each)}`), columns));
    const status = [...this.#live.lines(columns), ...queued.slice(-3), ...found];
    const room = Math.max(0, screenRows - 2 - status.length - prompt.lines.length - below.length);
    const open = this.#transcript.openLines();
    const above = [...(room > 0 ? open.slice(-room) : []), ...(screenRows > MIN_ROWS ? [''] : []), ...status];
    return { lines: [...above, ...prompt.lines, ...below], row: above.length + prompt.row, column: prompt.column };
  }

  #footer(columns: number): string {
    const facts = this.#notice ? [this.#notice] : [...(this.#controls?.facts ?? []), '/help'];
    return cut(this.paint.dim(facts.map((fact) => oneLine(fact)).join(' · ')), columns);
  }
}

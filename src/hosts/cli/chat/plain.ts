/** A conversation that only writes lines, for screen readers and for terminals that cannot move the cursor. */
import type { AgentEvent } from '../../../core/session/events.ts';
import type { RunView } from '../../../core/view/run-view.ts';
import { paintFor } from '../output/terminal.ts';
import type { Redrawn } from '../output/text-renderer.ts';
import { linesOf, type Prompter } from '../questions.ts';
import type { Controls, Front } from './front.ts';
import { ChatRenderer } from './output/chat-renderer.ts';
import { plain, safe } from './output/styled.ts';

/** The time without other output after which a line says what the run waits for. */
const STATUS_MS = 1_500;

export class Plain implements Front {
  readonly paint = paintFor(process.stderr);
  readonly prompter: Prompter = {
    show: (text) => void process.stderr.write(`${safe(text).replace(/\n$/, '')}\n`),
    ask: (prompt, signal) => linesOf(process.stdin).ask(prompt, signal),
  };
  readonly bell = process.stderr;
  readonly #left = new AbortController();
  #controls: Controls | undefined;
  #isWarned = false;

  async converse(controls: Controls): Promise<void> {
    this.#controls = controls;
    const lines = linesOf(process.stdin);
    const { signal } = this.#left;
    const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (!signal.aborted) {
      const text = await this.#read();
      if (text === undefined) break;
      this.#isWarned = false;
      if (text.trim() === '') continue;
      const stopListening = lines.listen((line) => this.#typed(line.trim()));
      await Promise.race([controls.submit(text.trim()), left]);
      stopListening();
    }
  }

  /** Ctrl+C stops the run. Without a run, or while it is being stopped, the second one leaves. */
  interrupt(): void {
    process.stderr.write('\n');
    if (this.#controls?.interrupt()) this.say('Stopping. To leave without waiting, press Ctrl+C again.');
    else if (this.#controls?.isRunning || this.#isWarned) this.leave();
    else {
      this.#isWarned = true;
      this.say('To leave, press Ctrl+C again, or Ctrl+D.');
    }
  }

  leave(): void {
    this.#left.abort();
  }

  show(run: RunView | undefined, isVerbose: () => boolean): { handle(event: AgentEvent): void } {
    const { paint } = this;
    return new ChatRenderer(process.stdout, process.stderr, paint, run, { progressLine: statusLines(), undo: '/undo' }, isVerbose);
  }

  say(text: string): void {
    process.stderr.write(`${plain(text)}\n`);
  }

  echo(text: string): void {
    this.say(`> ${text}`);
  }

  markdown(text: string): void {
    process.stdout.write(plain(text));
  }

  draft(text: string): void {
    this.say(`This message was not sent: ${text}`);
  }

  update(): void {}

  release<T>(use: () => T): T {
    return use();
  }

  /** Reads a message. A line that ends with a backslash continues in the next line. */
  async #read(): Promise<string | undefined> {
    let text = '';
    for (let prompt = `\n${this.#controls?.facts.join(' · ')} > `; ; prompt = '… ') {
      const line = await linesOf(process.stdin).ask(prompt, this.#left.signal);
      if (line === undefined) return undefined;
      if (!line.endsWith('\\')) return text + line;
      text += `${line.slice(0, -1)}\n`;
    }
  }

  #typed(line: string): void {
    if (line !== '' && !line.startsWith('/') && this.#controls?.isRunning) this.say('Your message is sent with the model’s next turn.');
    if (line !== '') void this.#controls?.submit(line);
    else this.#controls?.retryNow();
  }
}

function statusLines(): NonNullable<Redrawn['progressLine']> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    return false;
  };
  return {
    begin: (text) => {
      end();
      timer = setTimeout(() => process.stderr.write(`${plain(text)} …\n`), STATUS_MS).unref();
    },
    end,
  };
}

/** Reads the user's input line by line. A line answers the open question. If no question is open, the listener receives the line. */
import { createInterface, type Interface } from 'node:readline';

export class LineReader {
  readonly #input: NodeJS.ReadableStream;
  #interface: Interface | undefined;
  #resolveQuestion: ((line: string | undefined) => void) | undefined;
  #listener: ((line: string) => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(input: NodeJS.ReadableStream) {
    this.#input = input;
  }

  /**
   * Asks a question after all earlier questions. Resolves to undefined if the input ends or the signal aborts. Raw mode is off, so that
   * Ctrl+C sends a signal.
   */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const answer = this.#turn.then(() => this.#ask(prompt, signal));
    this.#turn = answer;
    return answer;
  }

  /** Calls `listener` with every line that does not answer a question. Returns a function that stops listening. */
  listen(listener: (line: string) => void): () => void {
    this.#listener = listener;
    this.#open();
    return () => {
      this.#listener = undefined;
      this.#closeIfIdle();
    };
  }

  #ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const abandon = () => this.#resolveQuestion?.(undefined);
      this.#resolveQuestion = (line) => {
        this.#resolveQuestion = undefined;
        signal.removeEventListener('abort', abandon);
        resolve(line);
        this.#closeIfIdle();
      };
      signal.addEventListener('abort', abandon, { once: true });
      process.stderr.write(prompt);
      this.#open();
    });
  }

  #open(): void {
    if (this.#interface) return;
    this.#interface = createInterface({ input: this.#input, output: process.stderr, terminal: false });
    this.#interface.on('line', (line) => (this.#resolveQuestion ? this.#resolveQuestion(line) : this.#listener?.(line)));
    this.#interface.on('close', () => {
      this.#interface = undefined;
      // The prompt has no line end, so the next output would continue its line.
      if (this.#resolveQuestion) process.stderr.write('\n');
      this.#resolveQuestion?.(undefined);
    });
  }

  /** Stops reading when no line is expected, because an open stdin would keep the program running. */
  #closeIfIdle(): void {
    if (this.#resolveQuestion || this.#listener) return;
    this.#interface?.close();
    this.#input.pause();
  }
}

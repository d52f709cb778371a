/** What a person types, line by line: first the answers to what is asked, one question after the other; else whatever listens. */
import { createInterface, type Interface } from 'node:readline';

export class Lines {
  readonly #input: NodeJS.ReadableStream;
  #interface: Interface | undefined;
  #asked: ((line: string | undefined) => void) | undefined;
  #listener: ((line: string) => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(input: NodeJS.ReadableStream) {
    this.#input = input;
  }

  /** Undefined when there are no more lines, or the signal aborts. The terminal stays as it is, so that Ctrl+C is a signal. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const answer = this.#turn.then(() => this.#ask(prompt, signal));
    this.#turn = answer;
    return answer;
  }

  /** Calls `listener` with every line that nobody asked for. Returns how to end that. */
  listen(listener: (line: string) => void): () => void {
    this.#listener = listener;
    this.#open();
    return () => {
      this.#listener = undefined;
      this.#rest();
    };
  }

  #ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const abandon = () => this.#asked?.(undefined);
      this.#asked = (line) => {
        this.#asked = undefined;
        signal.removeEventListener('abort', abandon);
        resolve(line);
        this.#rest();
      };
      signal.addEventListener('abort', abandon, { once: true });
      process.stderr.write(prompt);
      this.#open();
    });
  }

  #open(): void {
    if (this.#interface) return;
    this.#interface = createInterface({ input: this.#input, output: process.stderr, terminal: false });
    this.#interface.on('line', (line) => (this.#asked ? this.#asked(line) : this.#listener?.(line)));
    this.#interface.on('close', () => {
      this.#interface = undefined;
      // What is written next does not stand behind the question.
      if (this.#asked) process.stderr.write('\n');
      this.#asked?.(undefined);
    });
  }

  /** Where nobody waits for a line, the program may end. */
  #rest(): void {
    if (this.#asked || this.#listener) return;
    this.#interface?.close();
    this.#input.pause();
  }
}

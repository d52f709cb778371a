/** The part of the screen that is printed once: answers as Markdown, and lines of steps and notices, in the order in which they arrive. */
import type { Output, Paint } from '../../output/terminal.ts';
import { MarkdownStream } from './markdown-stream.ts';
import type { Screen } from './screen.ts';
import { safe, unstyled, wrap } from './styled.ts';

type Kind = 'answer' | 'lines' | 'start';

/** The beginning of a line that its further lines are indented by: spaces, a bullet or number, or the first column of a list. */
const HANGING = /^ +\S+(?: \S+)? {2,}|^ *(?:[•›] |\d+\. )?/;

export class Transcript {
  /** Receives the text of answers. */
  readonly answers: Output = { isTTY: true, write: (text) => this.#answer(text) };
  /** Receives lines of text. An incomplete line is shown at the bottom until it is complete. */
  readonly steps: Output;
  readonly #screen: Screen;
  readonly #streams: readonly Pick<NodeJS.WriteStream, 'write'>[];
  readonly #markdown: MarkdownStream;
  #partial = '';
  #last: Kind = 'start';

  /** `streams` are those that `capture` captures. */
  constructor(screen: Screen, paint: Paint, streams: readonly Pick<NodeJS.WriteStream, 'write'>[]) {
    this.#screen = screen;
    this.#streams = streams;
    this.#markdown = new MarkdownStream(
      (lines) => this.#print(lines, 'answer'),
      paint,
      () => screen.columns,
    );
    this.steps = { isTTY: true, write: (text) => this.#step(text) };
  }

  /** Prints a text between empty lines, after everything that is incomplete. */
  block(text: string): void {
    this.end();
    this.line(text, true);
  }

  /**
   * Prints a text on lines of its own, above what is incomplete, because an answer can continue. With `apart`, an empty line separates it from what
   * precedes it.
   */
  line(text: string, apart = false): void {
    if (apart && this.#last === 'lines') this.#screen.print('');
    this.#print(text.split('\n'), 'lines');
    if (apart) this.#last = 'answer';
  }

  /** Prints what is incomplete, because nothing follows it. */
  end(): void {
    this.#markdown.end();
    if (this.#partial) this.#print([this.#partial], 'lines');
    this.#partial = '';
  }

  /** Returns the lines that are not complete yet. */
  openLines(): string[] {
    const open = this.#partial ? wrap(safe(this.#partial), this.#screen.columns) : [];
    return [...this.#markdown.openLines(), ...open];
  }

  /**
   * Prints what other code writes to stdout and stderr, such as warnings, in the transcript, because it would destroy the lines at the bottom.
   * Returns a function that ends this.
   */
  capture(): () => void {
    const streams = this.#streams;
    const writes = streams.map(({ write }) => write);
    for (const stream of streams) {
      stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
        this.#step(typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk));
        const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
        done?.();
        return true;
      }) as typeof stream.write;
    }
    return () => {
      for (const [index, stream] of streams.entries()) stream.write = writes[index] as typeof stream.write;
    };
  }

  #answer(text: string): void {
    this.#markdown.add(text);
    this.#screen.update();
  }

  #step(text: string): void {
    this.#markdown.end();
    const lines = `${this.#partial}${text}`.split('\n');
    this.#partial = lines.pop() ?? '';
    if (lines.length > 0) this.#print(lines, 'lines');
    this.#screen.update();
  }

  #print(lines: readonly string[], kind: Kind): void {
    const isSeparated = this.#last !== 'start' && this.#last !== kind;
    if (isSeparated) this.#screen.print('');
    this.#last = kind;
    // A single empty line is enough to separate texts.
    for (const line of isSeparated && lines[0] === '' ? lines.slice(1) : lines)
      this.#screen.print(line, indentOf(line, kind, this.#screen.columns));
  }
}

/**
 * Returns the beginning of the further lines of a line that is wrapped. Outside of answers, none begins in the first column, so that the end
 * of a long command or file cannot look like a line of Kedge. In a diff, each shows its sign.
 */
function indentOf(line: string, kind: Kind, columns: number): string {
  const text = unstyled(line);
  const sign = kind === 'lines' ? /^[-+]/.exec(text)?.[0] : undefined;
  if (sign) return `${sign} `;
  const length = HANGING.exec(text)?.[0].length ?? 0;
  const fitting = length + 8 < columns ? length : 0;
  return ' '.repeat(kind === 'lines' ? Math.max(fitting, 2) : fitting);
}

/**
 * Collects the output of one command. The first and last lines are held in memory. A file contains the complete output, which can be read
 * later.
 */
import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { TerminalText } from '../../../tools/commands/command-text.ts';
import type { Excerpt } from '../../../workspace/commands.ts';

/** The limits for the output in one tool result, in lines and characters. */
export const MAX_LINES = 200;
export const MAX_CHARS = 12_000;
const MAX_LINE = 2_000;
/** The limit for a stored output, in characters. The rest is dropped, so that an endless output does not fill the disk. */
const MAX_FILE = 256_000_000;

export class CommandOutput {
  readonly file: string;
  readonly #text: TerminalText;
  #fd: number | undefined;
  #first = '';
  #last = '';
  #length = 0;
  #finalLines = 0;
  /** Resolves `more()`. */
  #wake = () => {};
  #more: Promise<void>;

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.file = file;
    this.#fd = openSync(file, 'wx', 0o600);
    this.#text = new TerminalText((text) => this.#keep(text));
    this.#more = this.#nextWake();
  }

  write(text: string): void {
    this.#text.write(text);
    this.#notifyReaders();
  }

  end(): void {
    this.#text.end();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#notifyReaders();
  }

  /** The number of lines so far, including an incomplete last line. */
  get lines(): number {
    const open = this.#text.open;
    const end = open || this.#last;
    return this.#finalLines + newlines(open) + (end !== '' && !end.endsWith('\n') ? 1 : 0);
  }

  /** The number of complete lines so far. */
  get wholeLines(): number {
    return this.#finalLines + newlines(this.#text.open);
  }

  /** Resolves when more output arrives, or when the output ends. */
  more(): Promise<void> {
    return this.#more;
  }

  excerpt(): Excerpt {
    const open = this.#text.open;
    const { lines } = this;
    if (this.#length + open.length <= MAX_CHARS && lines <= MAX_LINES) return { head: readable(this.#first + open) };
    const head = firstLines(`${this.#first}${open}`, MAX_LINES / 2, MAX_CHARS / 2);
    const tail = lastLines(`${this.#last}${open}`, MAX_LINES / 2, MAX_CHARS / 2);
    const gap = { from: newlines(head) + 1, to: Math.max(newlines(head) + 1, lines - newlines(tail.replace(/\n$/, '')) - 1) };
    return { head: readable(head), tail: readable(tail), gap };
  }

  /** Returns the last lines, for display. */
  tail(lines: number, chars: number): string {
    return readable(lastLines(`${this.#last}${this.#text.open}`.trimEnd(), lines, chars));
  }

  /** Returns complete lines from `fromLine` on, cut off when they are very long. `to` is the number of the last line. */
  read(fromLine: number): Promise<{ text: string; to: number }> {
    return linesFrom(this.file, fromLine, this.#text.open);
  }

  #keep(text: string): void {
    if (this.#first.length < MAX_CHARS) this.#first += text.slice(0, MAX_CHARS - this.#first.length);
    this.#last = text.length >= MAX_CHARS ? text.slice(-MAX_CHARS) : (this.#last + text).slice(-MAX_CHARS);
    this.#length += text.length;
    this.#finalLines += newlines(text);
    if (this.#fd === undefined || this.#length > MAX_FILE) return;
    try {
      writeSync(this.#fd, text);
    } catch {
      // When the disk is full, the rest of the output is not stored for later reads, but the command continues.
      closeSync(this.#fd);
      this.#fd = undefined;
    }
  }

  #notifyReaders(): void {
    this.#wake();
    this.#more = this.#nextWake();
  }

  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Returns lines of a file followed by `rest`. @throws Error when the file does not exist. */
export async function linesFrom(file: string, fromLine: number, rest = ''): Promise<{ text: string; to: number }> {
  const lines: string[] = [];
  let number = 1;
  let size = 0;
  let line = '';
  let more = 0;
  const isFull = () => lines.length >= MAX_LINES || size >= MAX_CHARS;
  const extend = (text: string) => {
    const room = Math.max(0, MAX_LINE - line.length);
    line += text.slice(0, room);
    more += Math.max(0, text.length - room);
  };
  const take = () => {
    if (number++ >= fromLine) {
      lines.push(more > 0 ? `${line}… [${more} more characters]` : line);
      size += line.length + 1;
    }
    line = '';
    more = 0;
  };
  const feed = (text: string) => {
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0 && !isFull(); end = text.indexOf('\n', at)) {
      extend(text.slice(at, end));
      take();
      at = end + 1;
    }
    extend(text.slice(at));
  };
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
    feed(chunk as string);
    if (isFull()) break;
  }
  if (!isFull()) feed(rest);
  if (!isFull() && line !== '') take();
  return { text: readable(lines.join('\n')), to: fromLine + lines.length - 1 };
}

/** Replaces binary output with a note. */
function readable(text: string): string {
  const strange = text.length - text.replaceAll('\ufffd', '').length;
  return strange > text.length / 10 ? '[binary output, not shown]' : text;
}

/** Returns complete lines from the beginning. When the first line does not fit, it is cut off. */
function firstLines(text: string, lines: number, chars: number): string {
  const cut = text.slice(0, chars);
  let end = 0;
  for (let count = 0; count < lines; count++) {
    const next = cut.indexOf('\n', end) + 1;
    if (next === 0) break;
    end = next;
  }
  return end === 0 ? `${cut}…` : cut.slice(0, end);
}

/** Returns complete lines up to the end. When the last line does not fit, its beginning is cut off. */
function lastLines(text: string, lines: number, chars: number): string {
  const cut = text.length > chars ? text.slice(-chars) : text;
  let begin = cut.length;
  for (let count = 0; count < lines && begin > 0; count++) {
    const previous = cut.lastIndexOf('\n', begin - 2);
    if (previous < 0 || begin < 2) {
      if (cut.length === text.length) begin = 0;
      break;
    }
    begin = previous + 1;
  }
  return begin === cut.length && cut !== '' ? `…${cut}` : cut.slice(begin);
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Renders Markdown while it is received: a finished block is printed once, and only the last block can still change. */
import type { Paint } from '../../output/terminal.ts';
import { blockLines, blocksOf, codeLine } from './markdown.ts';
import { wrap } from './styled.ts';

/** A block that is longer is printed as it is so far, so that its time and the rows of the open block stay limited. */
const MAX_OPEN = 6_000;
/** The mark is matched as a whole, so that a very long one takes linear time. */
const FENCE = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))([^\n`]*)\n/;

export class MarkdownStream {
  readonly #print: (lines: readonly string[]) => void;
  readonly #paint: Paint;
  readonly #columns: () => number;
  #open = '';
  #isFirst = true;
  /** The fence around the code that is being received, whose lines are printed one by one. */
  #fence: { mark: string; language: string } | undefined;

  /** `print` receives the lines of finished blocks. */
  constructor(print: (lines: readonly string[]) => void, paint: Paint, columns: () => number) {
    this.#print = print;
    this.#paint = paint;
    this.#columns = columns;
  }

  add(text: string): void {
    this.#open += text;
    while (this.#advance());
  }

  /** Prints what is left, because the text is complete. */
  end(): void {
    this.add(this.#fence && !this.#open.endsWith('\n') ? '\n' : '');
    if (this.#open.trim() !== '' && !this.#fence) this.#printBlocks(this.#open);
    this.#open = '';
    this.#fence = undefined;
    this.#isFirst = true;
  }

  /** Returns the lines of the block that can still change. */
  openLines(): string[] {
    if (this.#fence) return this.#open ? wrap(`  ${this.#open}`, this.#columns()) : [];
    if (this.#open.trim() === '') return [];
    const lines = blocksOf(this.#open).flatMap((token) => blockLines(token, this.#columns(), this.#paint));
    return [...(this.#isFirst ? [] : ['']), ...lines.flatMap((line) => wrap(line, this.#columns()))];
  }

  /** Prints the first part of the open text that cannot change any more. Returns false if there is none. */
  #advance(): boolean {
    return this.#fence ? this.#codeLine(this.#fence) : this.#finishedBlocks();
  }

  #codeLine({ mark, language }: { mark: string; language: string }): boolean {
    const end = this.#open.indexOf('\n');
    if (end < 0) return this.#open.length > MAX_OPEN && this.#cutOpenLine();
    const line = this.#open.slice(0, end);
    this.#open = this.#open.slice(end + 1);
    const [, closing] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
    if (closing?.startsWith(mark)) this.#fence = undefined;
    else this.#print([`  ${codeLine(line, language, this.#paint)}`]);
    return true;
  }

  #cutOpenLine(): boolean {
    this.#print([`  ${this.#open}`]);
    this.#open = '';
    return true;
  }

  #finishedBlocks(): boolean {
    // Line breaks between blocks are not part of a block.
    this.#open = this.#open.replace(/^(?:[ \t]*\n)+/, '');
    const [opening, mark = '', info = ''] = FENCE.exec(this.#open) ?? [];
    if (opening) {
      const language = info.trim().split(/\s/, 1)[0] ?? '';
      this.#begin();
      if (language) this.#print([this.#paint.dim(`  ${language}`)]);
      this.#fence = { mark, language };
      this.#open = this.#open.slice(opening.length);
      return true;
    }
    const length = this.#finishedLength();
    if (length === 0) return false;
    this.#printBlocks(this.#open.slice(0, length));
    this.#open = this.#open.slice(length);
    return true;
  }

  /**
   * Returns the length of the blocks that further text cannot change. The last block can change, and while its first line is incomplete, so
   * can the one before.
   */
  #finishedLength(): number {
    if (!this.#open.includes('\n')) return this.#open.length > MAX_OPEN ? cutAt(this.#open) : 0;
    const tokens = blocksOf(this.#open);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    const raw = tokens[last]?.raw ?? '';
    const from = raw.includes('\n') || last <= 0 ? last : tokens.slice(0, last).findLastIndex(({ type }) => type !== 'space');
    const length = tokens.slice(0, Math.max(from, 0)).reduce((sum, token) => sum + token.raw.length, 0);
    // The lexer can normalize line ends. Then the lengths do not fit, and everything waits for the end.
    if (length > 0 && this.#open.startsWith(tokens[from]?.raw ?? '\0', length)) return length;
    return this.#open.length > MAX_OPEN ? cutAt(this.#open) : 0;
  }

  #printBlocks(text: string): void {
    for (const token of blocksOf(text)) {
      const lines = blockLines(token, this.#columns(), this.#paint);
      if (lines.length === 0) continue;
      this.#begin();
      this.#print(lines);
    }
  }

  /** Separates blocks by an empty line. */
  #begin(): void {
    if (!this.#isFirst) this.#print(['']);
    this.#isFirst = false;
  }
}

/** Returns the place after the last line or word of a long text. */
function cutAt(text: string): number {
  return Math.max(text.lastIndexOf('\n') + 1, 0) || Math.max(text.lastIndexOf(' ') + 1, 0) || text.length;
}

/**
 * Reads plain text, reStructuredText and AsciiDoc: paragraphs, code and headings. In plain text, a line is taken as a heading only if it is
 * underlined or numbered and stands alone.
 */
import type { Blocks } from './blocks.ts';
import { splitLines } from './lines.ts';

const MAX_HEADING = 100;
/** Marks that underline headings in reStructuredText. */
const UNDERLINE = /^([=\-~^"'`#*+:.<>_])\1{2,}\s*$/;

export function readText(text: string, extension: string, blocks: Blocks): void {
  const lines = splitLines(text, blocks);
  const reader = /^(adoc|asciidoc)$/.test(extension)
    ? new AsciiDoc(lines, blocks)
    : new PlainText(lines, blocks, /^re?st$/.test(extension));
  reader.read();
}

abstract class TextLines {
  protected at = 0;
  /** The language of the code block that follows. */
  protected language: string | undefined;

  protected readonly lines: readonly string[];
  protected readonly blocks: Blocks;

  constructor(lines: readonly string[], blocks: Blocks) {
    this.lines = lines;
    this.blocks = blocks;
  }

  read(): void {
    while (this.at < this.lines.length) {
      if (this.line().trim() === '') this.at++;
      else this.block();
    }
  }

  protected abstract block(): void;
  protected abstract endsParagraph(index: number): boolean;

  protected line(index = this.at): string {
    return this.lines[index] ?? '';
  }

  protected heading(level: number, text: string, start: number, count: number): void {
    this.at = start + count;
    this.blocks.heading(level, text, { line: start + 1, endLine: this.at });
  }

  protected paragraph(): void {
    const start = this.at++;
    while (this.at < this.lines.length && this.line().trim() !== '' && !this.endsParagraph(this.at)) this.at++;
    this.blocks.add({ kind: 'text', text: this.lines.slice(start, this.at).join('\n'), place: { line: start + 1, endLine: this.at } });
  }

  protected code(from: number, to: number, indent = 0): void {
    const text = this.lines.slice(from, to).map((line) => (line.slice(0, indent).trim() === '' ? line.slice(indent) : line));
    const { language } = this;
    this.language = undefined;
    this.blocks.add({
      kind: 'code',
      text: text.join('\n'),
      ...(language && { language }),
      place: { line: from + 1, endLine: Math.max(from + 1, to) },
    });
  }
}

class PlainText extends TextLines {
  readonly #isStructured: boolean;
  /** The underlines of reStructuredText, in the order of their levels. */
  readonly #marks: string[] = [];

  constructor(lines: readonly string[], blocks: Blocks, isStructured: boolean) {
    super(lines, blocks);
    this.#isStructured = isStructured;
  }

  protected block(): void {
    const overlined = this.#overlined();
    const underlined = overlined ? undefined : this.#underline(this.at);
    const numbered = this.#isStructured ? undefined : this.#numbered();
    if (overlined) this.heading(this.#levelOf(`over ${overlined}`), this.line(this.at + 1).trim(), this.at, 3);
    else if (underlined) this.heading(this.#levelOf(underlined), this.line().trim(), this.at, 2);
    else if (numbered !== undefined) this.heading(numbered, this.line().trim(), this.at, 1);
    else if (this.#isStructured && /^\.\. /.test(this.line())) this.#directive();
    else {
      const opensCode = this.#isStructured && this.#endsWithColons();
      this.paragraph();
      if (opensCode) this.#indented();
    }
  }

  protected endsParagraph(index: number): boolean {
    return this.#underline(index) !== undefined && this.line(index - 1).trim() === '';
  }

  /** A paragraph of reStructuredText that ends with `::` is followed by code. */
  #endsWithColons(): boolean {
    let last = this.at;
    while (this.line(last + 1).trim() !== '') last++;
    return this.line(last).trimEnd().endsWith('::');
  }

  #directive(): void {
    const [, name, argument = ''] = /^\.\. ([\w-]{1,40})::\s*(.*)$/.exec(this.line()) ?? [];
    const start = this.at++;
    if (name !== undefined && /^(code|code-block|sourcecode|literalinclude)$/.test(name)) {
      this.language = /^[\w+#-]{1,30}/.exec(argument)?.[0];
      this.#indented();
    } else if (name !== undefined && argument.trim() !== '' && !/^(toctree|contents|image|figure|index|include)$/.test(name))
      this.blocks.add({ kind: 'text', text: argument, place: { line: start + 1, endLine: start + 1 } });
  }

  #indented(): void {
    let from = this.at;
    while (from < this.lines.length && (this.line(from).trim() === '' || /^\s+:[\w-]{1,40}:/.test(this.line(from)))) from++;
    const indent = this.line(from).length - this.line(from).trimStart().length;
    if (indent === 0) return;
    let to = from;
    while (to < this.lines.length && (this.line(to).trim() === '' || this.line(to).startsWith(this.line(from).slice(0, indent)))) to++;
    this.at = to;
    this.code(from, to, indent);
  }

  #overlined(): string | undefined {
    const [, mark] = UNDERLINE.exec(this.line()) ?? [];
    const text = this.line(this.at + 1).trim();
    const isSame = this.line(this.at + 2).trimEnd() === this.line().trimEnd();
    return mark !== undefined && isSame && isTitle(text) && this.line().trimEnd().length >= text.length ? mark : undefined;
  }

  /** Returns the mark under a line. The underline must be about as long as the text above it. */
  #underline(index: number): string | undefined {
    const [, mark] = UNDERLINE.exec(this.line(index + 1)) ?? [];
    const text = this.line(index).trimEnd();
    if (mark === undefined || !isTitle(text.trim()) || UNDERLINE.test(text)) return undefined;
    const length = this.line(index + 1).trimEnd().length;
    return length >= text.length - 2 && (this.#isStructured || (length <= text.length + 4 && /[=\-~^*#]/.test(mark))) ? mark : undefined;
  }

  /** Returns the level of a line such as "2.1 Installation" that stands alone and is not a sentence. */
  #numbered(): number | undefined {
    const line = this.line();
    if (line.length > MAX_HEADING || this.line(this.at - 1).trim() !== '' || this.line(this.at + 1).trim() !== '') return undefined;
    const [, number, rest] = /^(\d{1,3}(?:\.\d{1,3}){0,4}\.?) +(\S.*)$/.exec(line) ?? [];
    if (number === undefined || rest === undefined || /[.,;:!?]$/.test(rest.trimEnd()) || !/^[\p{Lu}\p{Lo}]/u.test(rest)) return undefined;
    // Entries of lists often look like "1. Text". They are followed or preceded by another entry.
    if (/^\d+\.$/.test(number) && rest.split(/\s+/).length > 6) return undefined;
    return number.replace(/\.$/, '').split('.').length;
  }

  #levelOf(mark: string): number {
    if (!this.#isStructured) return /=|#/.test(mark) ? 1 : 2;
    if (!this.#marks.includes(mark)) this.#marks.push(mark);
    return this.#marks.indexOf(mark) + 1;
  }
}

class AsciiDoc extends TextLines {
  protected block(): void {
    const line = this.line();
    const [, marks, title] = /^(={1,6}) +(\S.*)$/.exec(line) ?? [];
    const [, language] = /^\[source(?:%\w+)?,\s*([\w+#-]{1,30})/.exec(line) ?? [];
    if (marks !== undefined && title !== undefined) this.heading(marks.length, title, this.at, 1);
    else if (language !== undefined) {
      this.language = language;
      this.at++;
    } else if (/^(-{4,}|\.{4,}|`{3,})\s*$/.test(line)) this.#listing(line.trimEnd());
    else if (/^(\/\/|:[\w-]{1,40}:|\[[^\]]{0,200}\]\s*$|[|=*_+]{3,}\s*$)/.test(line)) this.at++;
    else this.paragraph();
  }

  protected endsParagraph(index: number): boolean {
    return /^(={1,6} +\S|-{4,}\s*$|\[source)/.test(this.line(index));
  }

  #listing(mark: string): void {
    const from = this.at + 1;
    let to = from;
    while (to < this.lines.length && this.line(to).trimEnd() !== mark) to++;
    this.at = to + 1;
    this.code(from, to);
  }
}

function isTitle(text: string): boolean {
  return text.length > 0 && text.length <= MAX_HEADING && /[\p{L}\p{N}]/u.test(text);
}

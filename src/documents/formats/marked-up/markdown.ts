/**
 * Reads the blocks of a Markdown file line by line, so that each block knows its lines and the time grows linearly. Inline marks are kept,
 * because models read them; targets of links that are long are left out.
 */
import type { Blocks } from '../blocks.ts';
import { splitLines } from '../lines.ts';
import { readPage } from './html.ts';
import { cellsOf, isDelimiterRow, withShortTargets } from './inline.ts';

const MAX_FRONT_MATTER = 200;

export function readMarkdown(text: string, blocks: Blocks, firstLine = 1): void {
  new MarkdownLines(splitLines(text, blocks), blocks, firstLine).read();
}

class MarkdownLines {
  readonly #lines: readonly string[];
  readonly #blocks: Blocks;
  readonly #first: number;
  #at = 0;
  /** An indented line after a list continues its last entry, and is not code. */
  #isAfterList = false;

  constructor(lines: readonly string[], blocks: Blocks, firstLine: number) {
    this.#lines = lines;
    this.#blocks = blocks;
    this.#first = firstLine;
  }

  read(): void {
    this.#frontMatter();
    while (this.#at < this.#lines.length) this.#block();
  }

  #block(): void {
    const line = this.#lines[this.#at] as string;
    const start = this.#at;
    if (line.trim() === '') this.#at++;
    else if (fenceOf(line)) this.#fence(line);
    else if (headingOf(line)) this.#heading(line);
    else if (/^( {4}|\t)/.test(line) && !this.#isAfterList) this.#indentedCode();
    else if (isDelimiterRow(this.#lines[start + 1]) && line.includes('|')) this.#table();
    else if (line.trimStart().startsWith('<!--')) this.#comment();
    else if (/^ {0,3}<\/?[a-z][\w-]{0,40}([\s/>]|$)/i.test(line)) this.#html();
    else this.#paragraph();
  }

  #frontMatter(): void {
    if (this.#lines[0]?.trimEnd() !== '---') return;
    const end = this.#lines.slice(1, MAX_FRONT_MATTER).findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
    if (end < 0) return;
    const title = this.#lines.slice(1, end + 1).find((line) => line.startsWith('title:'));
    if (title) this.#blocks.title ||= unquoted(title.slice('title:'.length).trim());
    this.#at = end + 2;
  }

  #heading(line: string): void {
    const { level, text } = headingOf(line) as { level: number; text: string };
    this.#blocks.heading(level, withShortTargets(text), this.#place(this.#at));
    this.#at++;
    this.#isAfterList = false;
  }

  #fence(line: string): void {
    const { mark, info } = fenceOf(line) as { mark: string; info: string };
    const start = this.#at++;
    const indent = line.length - line.trimStart().length;
    const content: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const next = this.#lines[this.#at] as string;
      const closing = fenceOf(next);
      if (closing && closing.info === '' && closing.mark[0] === mark[0] && closing.mark.length >= mark.length) break;
      content.push(next.slice(0, indent).trim() === '' ? next.slice(indent) : next);
    }
    this.#at = Math.min(this.#at + 1, this.#lines.length);
    const language = /^[\w+#.-]{1,30}/.exec(info.replace(/^\{?\.?/, ''))?.[0];
    this.#blocks.add({ kind: 'code', text: content.join('\n'), ...(language && { language }), place: this.#place(start) });
  }

  #indentedCode(): void {
    const start = this.#at;
    const isCode = (line: string | undefined) => line !== undefined && (/^( {4}|\t)/.test(line) || line.trim() === '');
    while (isCode(this.#lines[this.#at])) this.#at++;
    const content = this.#lines.slice(start, this.#at).map((line) => line.replace(/^( {4}|\t)/, ''));
    this.#blocks.add({ kind: 'code', text: content.join('\n'), place: this.#place(start) });
  }

  #table(): void {
    const start = this.#at;
    const rows = [cellsOf(this.#lines[start] as string)];
    this.#at += 2;
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] as string;
      if (line.trim() === '' || !line.includes('|')) break;
      rows.push(cellsOf(line));
    }
    // The second line is the delimiter row, which is not among the rows.
    const lineOf = (row: number) => this.#first + start + (row === 0 ? 0 : row + 1);
    this.#blocks.table(rows, (first, last) => ({ line: lineOf(first), endLine: lineOf(last) }));
    this.#isAfterList = false;
  }

  #comment(): void {
    while (this.#at < this.#lines.length && !(this.#lines[this.#at] as string).includes('-->')) this.#at++;
    const rest = this.#lines[this.#at]?.split('-->', 2)[1]?.trim();
    if (rest) this.#blocks.add({ kind: 'text', text: rest, place: this.#place(this.#at) });
    this.#at++;
  }

  /** Reads HTML up to the next blank line or heading. Many documents have an anchor in the line above a heading. */
  #html(): void {
    const start = this.#at;
    const isVerbatim = /^\s*<(pre|script|style|textarea)\b/i.test(this.#lines[start] as string);
    for (this.#at++; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] as string;
      if (line.trim() === '' || (!isVerbatim && headingOf(line))) break;
    }
    readPage(this.#lines.slice(start, this.#at).join('\n'), this.#blocks, this.#first + start);
  }

  /** Reads a paragraph, a quote or the entries of a list up to the next blank line. A line below may make it a heading. */
  #paragraph(): void {
    const start = this.#at;
    const isList = isListEntry(this.#lines[start] as string) || (this.#isAfterList && /^\s/.test(this.#lines[start] as string));
    for (this.#at++; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] as string;
      const underline = isList ? undefined : underlineOf(line);
      if (underline !== undefined) {
        const text = this.#lines.slice(start, this.#at).join(' ');
        this.#at++;
        this.#blocks.heading(underline, withShortTargets(text), this.#place(start));
        this.#isAfterList = false;
        return;
      }
      if (line.trim() === '' || fenceOf(line) || headingOf(line)) break;
      if (isDelimiterRow(this.#lines[this.#at + 1]) && line.includes('|')) break;
    }
    this.#isAfterList = isList;
    const text = this.#lines.slice(start, this.#at).join('\n');
    if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(text.slice(0, 200)) && text.length < 200) return;
    const image = imageOf(text.trim());
    if (image !== undefined) this.#blocks.add({ kind: 'image', text: image, place: this.#place(start) });
    else this.#blocks.add({ kind: 'text', text: withShortTargets(text), place: this.#place(start) });
  }

  #place(start: number): { line: number; endLine: number } {
    const last = Math.max(start + 1, this.#at);
    return { line: this.#first + start, endLine: this.#first + last - 1 };
  }
}

function headingOf(line: string): { level: number; text: string } | undefined {
  const [, marks, rest = ''] = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/.exec(line) ?? [];
  if (marks === undefined) return undefined;
  let end = rest.trimEnd();
  const closing = end.length - withoutTrailing(end, '#').length;
  if (closing > 0 && (closing === end.length || /\s/.test(end[end.length - closing - 1] as string))) end = end.slice(0, -closing);
  return { level: marks.length, text: end.trim() };
}

function fenceOf(line: string): { mark: string; info: string } | undefined {
  const [, mark, info = ''] = /^\s{0,12}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined || (mark[0] === '`' && info.includes('`'))) return undefined;
  return { mark, info: info.trim() };
}

function underlineOf(line: string): 1 | 2 | undefined {
  const mark = line.trim();
  if (mark.length < 2 || /^ {4}/.test(line)) return undefined;
  if (withoutTrailing(mark, '=') === '') return 1;
  return withoutTrailing(mark, '-') === '' ? 2 : undefined;
}

function isListEntry(line: string): boolean {
  return /^\s{0,12}([-*+]|\d{1,9}[.)])\s/.test(line);
}

/** Returns the alternative text of a paragraph that is only an image. */
function imageOf(text: string): string | undefined {
  return /^!\[([^\]]{1,300})\]\([^()\s]{1,2000}\)$/.exec(text)?.[1];
}

function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

function withoutTrailing(text: string, mark: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end--;
  return text.slice(0, end);
}

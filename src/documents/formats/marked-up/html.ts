/** Reads the blocks of an HTML page: the main content, without navigation and hidden parts. */
import type { Block, Place } from '../../document.ts';
import type { Blocks } from '../blocks.ts';
import { charsetOf, decodeText } from '../encoding.ts';
import { Lines } from '../lines.ts';
import { checkMemory } from '../memory.ts';
import { isUnseen, type Page, ShallowParser } from './shallow-parser.ts';
import { TableRows } from './table-rows.ts';

const HIDDEN = new Set('script style noscript template svg math iframe object canvas audio video select textarea dialog button'.split(' '));
/** Parts of a page that lead to other pages. They are read only if they are in a main part of the page, as the header of an article is. */
const AROUND = new Set('nav footer header aside form'.split(' '));
/** Elements that end the paragraph before them, and contain paragraphs of their own. */
const PARAGRAPHS = new Set(
  'p div section article main header footer nav aside blockquote figure figcaption form fieldset details summary address dl dt dd center body'.split(
    ' ',
  ),
);
/** A main part with less text than this is not assumed to be the whole content. */
const MIN_MAIN = 200;
/** A list of this length is split between its entries. */
const LIST_LENGTH = 1_500;
const MAX_TARGET = 80;
const MAX_LINK_PIECES = 20;
const MAX_INDENT = 6;

type Open = { tag: string; isHidden: boolean; isMain: boolean; isAround: boolean; start: number; href?: string | undefined };
type Part = { block: Block; isMain: boolean; isAround: boolean };

export function readHtml(bytes: Uint8Array, blocks: Blocks): void {
  readPage(decodeText(bytes, charsetOf(bytes)), blocks);
}

/** @param firstLine the line of the document that the text begins with */
export function readPage(html: string, blocks: Blocks, firstLine = 1): void {
  const page = new PageBlocks(new Lines(html, firstLine));
  const parser = new ShallowParser(page);
  page.offset = () => parser.startIndex;
  parser.end(html);
  page.deliver(blocks);
}

class PageBlocks implements Page {
  offset: () => number = () => 0;
  readonly #lines: Lines;
  readonly #open: Open[] = [];
  readonly #lists: { count: number | undefined }[] = [];
  readonly #parts: Part[] = [];
  #pieces: string[] = [];
  #length = 0;
  #startLine: number | undefined;
  #images: string[] = [];
  #title = '';
  #table: TableRows | undefined;
  #code: { language: string | undefined; pieces: string[] } | undefined;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  get depth(): number {
    return this.#open.length;
  }

  open(tag: string, attributes: Record<string, string>): void {
    checkMemory();
    const outer = this.#open.at(-1);
    const isMain = (outer?.isMain ?? false) || tag === 'main' || tag === 'article' || attributes.role === 'main';
    const isHidden = (outer?.isHidden ?? false) || HIDDEN.has(tag) || isUnseen(attributes);
    const isAround = (outer?.isAround ?? false) || (AROUND.has(tag) && !isMain) || tag === 'nav' || attributes.role === 'navigation';
    if (!isHidden && (isMain !== outer?.isMain || isAround !== outer?.isAround)) this.#endParagraph();
    this.#open.push({ tag, isHidden, isMain, isAround, start: this.#pieces.length, href: tag === 'a' ? attributes.href : undefined });
    if (!isHidden) this.#begin(tag, attributes);
  }

  text(text: string): void {
    const open = this.#open.at(-1);
    if (open?.tag === 'title') this.#title += text.slice(0, 1_000 - this.#title.length);
    else if (open?.isHidden) return;
    else if (this.#code) this.#code.pieces.push(text);
    else this.#add(text.replace(/\s+/g, ' '));
  }

  close(tag: string): void {
    const open = this.#open.at(-1);
    if (open && !open.isHidden) this.#end(tag, open);
    this.#open.pop();
  }

  /** Adds the blocks of the main content, or of the whole page if it has no main part. */
  deliver(blocks: Blocks): void {
    this.#endTable();
    this.#endParagraph();
    const main = this.#parts.filter((part) => part.isMain && !part.isAround);
    const content = this.#parts.filter((part) => !part.isAround);
    const best = [main, content].find((parts) => lengthOf(parts) >= MIN_MAIN) ?? (content.length > 0 ? content : this.#parts);
    blocks.title ||= this.#title.replace(/\s+/g, ' ').trim();
    for (const { block } of best) {
      if (block.kind === 'table') blocks.table(block.rows, () => block.place);
      else blocks.add(block);
    }
  }

  #begin(tag: string, attributes: Record<string, string>): void {
    if (this.#code) {
      if (tag === 'br') this.#code.pieces.push('\n');
      this.#code.language ??= languageIn(attributes.class);
      return;
    }
    if (this.#table && /^(t[rdh]|table)$/.test(tag)) {
      this.#table.open(tag, this.#takeText());
      return;
    }
    if (/^h[1-6]$/.test(tag) || (PARAGRAPHS.has(tag) && this.#lists.length === 0)) this.#endParagraph();
    else if (PARAGRAPHS.has(tag)) this.#add(' ');
    switch (tag) {
      case 'br':
        this.#add(this.#table ? ' ' : '\n');
        break;
      case 'hr':
        this.#endParagraph();
        break;
      case 'pre':
        if (this.#table) break;
        this.#endParagraph();
        this.#code = { language: languageIn(attributes.class), pieces: [] };
        this.#startLine = this.#line();
        break;
      case 'table':
        this.#endParagraph();
        this.#table = new TableRows();
        this.#startLine = this.#line();
        break;
      case 'ul':
      case 'ol':
        if (this.#lists.length === 0) this.#endParagraph();
        this.#lists.push({ count: tag === 'ol' ? Number.parseInt(attributes.start ?? '1', 10) || 1 : undefined });
        break;
      case 'li': {
        if (this.#length > LIST_LENGTH) this.#endParagraph();
        const list = this.#lists.at(-1);
        const mark = list?.count === undefined ? '-' : `${list.count++}.`;
        this.#add(this.#table ? ' ' : `\n${'  '.repeat(Math.min(MAX_INDENT, Math.max(0, this.#lists.length - 1)))}${mark} `);
        break;
      }
      case 'img':
        if (attributes.alt?.trim()) this.#images.push(attributes.alt.trim());
    }
  }

  #end(tag: string, open: Open): void {
    if (this.#code) {
      if (tag === 'pre') this.#endCode();
      return;
    }
    if (this.#table && /^(t[rdh]|table)$/.test(tag)) {
      if (this.#table.close(tag, this.#takeText())) this.#endTable();
      return;
    }
    if (/^h[1-6]$/.test(tag)) this.#endParagraph(Number(tag[1]));
    else if (tag === 'ul' || tag === 'ol') {
      this.#lists.pop();
      if (this.#lists.length === 0) this.#endParagraph();
    } else if (tag === 'a') this.#link(open);
    else if (PARAGRAPHS.has(tag) && this.#lists.length === 0) this.#endParagraph();
  }

  #add(text: string): void {
    if (text === '' || (text === ' ' && this.#pieces.length === 0)) return;
    if (text.trim() !== '') this.#startLine ??= this.#line();
    this.#pieces.push(text);
    this.#length += text.length;
  }

  #line(): number {
    return this.#lines.at(this.offset());
  }

  /** Adds the target of a link if it is on the web and short. */
  #link({ start, href }: Open): void {
    if (href === undefined || !/^https?:/i.test(href) || href.length > MAX_TARGET || this.#table) return;
    // Nested links could each contain the rest of the page.
    if (this.#pieces.length - start > MAX_LINK_PIECES) return;
    const text = this.#pieces.slice(start).join('').trim();
    if (text !== '' && text !== href) this.#add(` (${href})`);
  }

  #takeText(): string {
    const text = this.#pieces.join('').replace(/\s+/g, ' ').trim();
    this.#pieces = [];
    this.#length = 0;
    return text;
  }

  #endParagraph(level?: number): void {
    if (this.#table) {
      this.#add(' ');
      return;
    }
    const text = tidied(this.#pieces.join(''));
    const place = this.#place();
    this.#pieces = [];
    this.#length = 0;
    if (level !== undefined) this.#deliver({ kind: 'heading', level: level as 1 | 2 | 3 | 4 | 5 | 6, text: withoutAnchor(text), place });
    else this.#deliver({ kind: 'text', text, place });
    for (const alt of this.#images.splice(0))
      this.#deliver({ kind: 'image', text: alt, place: { ...place, line: place.line ?? this.#line() } });
  }

  #endCode(): void {
    const { language, pieces } = this.#code ?? { language: undefined, pieces: [] };
    this.#code = undefined;
    this.#deliver({ kind: 'code', text: pieces.join(''), ...(language && { language }), place: this.#place() });
  }

  #endTable(): void {
    if (!this.#table) return;
    const { rows } = this.#table;
    this.#table = undefined;
    if (rows.every((row) => row.length < 2))
      for (const [cell = ''] of rows) this.#deliver({ kind: 'text', text: cell, place: this.#place(true) });
    else this.#deliver({ kind: 'table', rows, place: this.#place(true) });
    this.#startLine = undefined;
  }

  #place(isKept = false): Place {
    const line = this.#startLine;
    if (!isKept) this.#startLine = undefined;
    return line === undefined ? {} : { line, endLine: Math.max(line, this.#line()) };
  }

  #deliver(block: Block): void {
    if (block.kind !== 'table' && block.text === '') return;
    const { isMain = false, isAround = false } = this.#open.at(-1) ?? {};
    this.#parts.push({ block, isMain, isAround });
  }
}

/** Removes whitespace around lines. The indentation of list entries is kept. */
function tidied(text: string): string {
  const lines = text.split('\n').map((line) => (/^ *(-|\d+\.) /.test(line) ? line.trimEnd() : line.trim().replace(/ {2,}/g, ' ')));
  return lines.filter((line) => line.trim() !== '').join('\n');
}

/** Many pages put a symbol that links to a heading before or after its text. */
function withoutAnchor(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/^[§¶#] ?| ?[§¶]$| #$/g, '');
}

function languageIn(names: string | undefined): string | undefined {
  return /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#-]{1,30})/.exec(names?.slice(0, 300) ?? '')?.[1];
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((length, { block }) => length + (block.kind === 'table' ? MIN_MAIN : block.text.length), 0);
}

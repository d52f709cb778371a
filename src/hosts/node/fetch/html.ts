/** Converts an HTML page to Markdown that contains its visible text. The module is loaded when the first page arrives. */
import { isUnseen, type Page, ShallowParser } from '../../../documents/formats/marked-up/shallow-parser.ts';

const HIDDEN = new Set(
  'script style noscript template svg math iframe object canvas audio video nav footer head select textarea dialog'.split(' '),
);
const BLOCKS = new Set(
  'p div section article main header aside ul ol dl dt dd table blockquote figure figcaption form fieldset details summary address h1 h2 h3 h4 h5 h6 pre hr tbody thead'.split(
    ' ',
  ),
);
/** The Markdown for the start and the end of elements whose Markdown does not depend on attributes. */
const MARKS = new Map<string, [begin: string, end: string]>([
  ['br', ['\n', '']],
  ['hr', ['---', '']],
  ['tr', ['\n', '|']],
  ['td', ['| ', ' ']],
  ['th', ['| ', ' ']],
  ...[1, 2, 3, 4, 5, 6].map((level): [string, [string, string]] => [`h${level}`, [`${'#'.repeat(level)} `, '']]),
]);

/** The maximum indentation of nested lists, in levels. */
const MAX_INDENT = 10;

type Open = { tag: string; isHidden: boolean; start: number; href?: string | undefined };

export function markdownOf(html: string, base: string): string {
  const page = new PageText(base);
  const parser = new ShallowParser(page);
  parser.end(html);
  return page.toString();
}

class PageText implements Page {
  readonly #base: string;
  readonly #open: Open[] = [];
  readonly #lists: { count: number | undefined }[] = [];
  /**
   * The pieces of text, none of which is empty. They are joined only at the end, because reading a growing string would copy it each time.
   */
  readonly #pieces: string[] = [];
  #title = '';
  #preformatted = 0;

  constructor(base: string) {
    this.#base = base;
  }

  get depth(): number {
    return this.#open.length;
  }

  open(tag: string, attributes: Record<string, string>): void {
    const isHidden = (this.#open.at(-1)?.isHidden ?? false) || HIDDEN.has(tag) || isUnseen(attributes);
    if (!isHidden) this.#begin(tag, attributes);
    this.#open.push({ tag, isHidden, start: this.#pieces.length, href: tag === 'a' ? attributes.href : undefined });
  }

  text(text: string): void {
    const { tag, isHidden } = this.#open.at(-1) ?? {};
    if (tag === 'title') this.#title += text;
    else if (isHidden) return;
    else if (this.#preformatted > 0) this.#add(text);
    else {
      const line = text.replace(/\s+/g, ' ');
      this.#add(/^\s?$/.test(this.#pieces.at(-1)?.at(-1) ?? '') ? line.replace(/^ /, '') : line);
    }
  }

  close(tag: string): void {
    const open = this.#open.pop();
    if (open && !open.isHidden) this.#end(tag, open);
  }

  toString(): string {
    const lines = this.#pieces.join('').split('\n').map(withoutTrailingBlanks);
    const text = lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    const title = this.#title.replace(/\s+/g, ' ').trim();
    return title && !text.startsWith(`# ${title}`) ? `${title}\n\n${text}` : text;
  }

  #add(piece: string): void {
    if (piece !== '') this.#pieces.push(piece);
  }

  #begin(tag: string, attributes: Record<string, string>): void {
    if (BLOCKS.has(tag) && this.#lists.length === 0) this.#add('\n\n');
    this.#add(MARKS.get(tag)?.[0] ?? '');
    switch (tag) {
      case 'pre':
        this.#preformatted++;
        this.#add('\n```\n');
        break;
      case 'code':
        this.#inlineCode();
        break;
      case 'ul':
      case 'ol':
        this.#lists.push({ count: tag === 'ol' ? Number.parseInt(attributes.start ?? '1', 10) || 1 : undefined });
        break;
      case 'li': {
        const list = this.#lists.at(-1);
        const mark = list?.count === undefined ? '-' : `${list.count++}.`;
        this.#add(`\n${'  '.repeat(Math.min(MAX_INDENT, Math.max(0, this.#lists.length - 1)))}${mark} `);
        break;
      }
      case 'img':
        if (attributes.alt?.trim()) this.#add(`[image: ${attributes.alt.trim()}]`);
    }
  }

  #end(tag: string, { start, href }: Open): void {
    this.#add(MARKS.get(tag)?.[1] ?? '');
    switch (tag) {
      case 'pre': {
        this.#preformatted--;
        const last = this.#pieces.pop() ?? '';
        this.#add(last.endsWith('\n') ? last.slice(0, -1) : last);
        this.#add('\n```\n');
        break;
      }
      case 'code':
        this.#inlineCode();
        break;
      case 'ul':
      case 'ol':
        this.#lists.pop();
        break;
      case 'a':
        this.#link(start, href);
    }
    if (BLOCKS.has(tag) && this.#lists.length === 0) this.#add('\n\n');
  }

  #inlineCode(): void {
    if (this.#preformatted === 0) this.#add('`');
  }

  /** Writes a link. A link without a web address, or to a part of the same page, is reduced to its text. */
  #link(start: number, href: string | undefined): void {
    const url = href !== undefined && !href.startsWith('#') && URL.canParse(href, this.#base) ? new URL(href, this.#base) : undefined;
    if (!url || !/^(https?|mailto):$/.test(url.protocol)) return;
    const inner = this.#pieces.splice(start).join('');
    const text = inner.trim();
    if (!text) {
      this.#add(inner);
      return;
    }
    if (/^\s/.test(inner)) this.#add(' ');
    this.#add(`[${text.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks))}](${url.href})`);
  }
}

function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}

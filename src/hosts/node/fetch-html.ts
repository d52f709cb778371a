/** An HTML page as Markdown: what a reader would see of it. A file of its own, loaded when the first page comes. */
import { Parser } from 'htmlparser2';

const HIDDEN = new Set(
  'script style noscript template svg math iframe object canvas audio video nav footer head select textarea dialog'.split(' '),
);
const BLOCKS = new Set(
  'p div section article main header aside ul ol dl dt dd table blockquote figure figcaption form fieldset details summary address h1 h2 h3 h4 h5 h6 pre hr tbody thead'.split(
    ' ',
  ),
);
/** What stands for a tag's beginning and for its end, where that is always the same. */
const MARKS = new Map<string, [begin: string, end: string]>([
  ['br', ['\n', '']],
  ['hr', ['---', '']],
  ['tr', ['\n', '|']],
  ['td', ['| ', ' ']],
  ['th', ['| ', ' ']],
  ...[1, 2, 3, 4, 5, 6].map((level): [string, [string, string]] => [`h${level}`, [`${'#'.repeat(level)} `, '']]),
]);

type Open = { tag: string; isHidden: boolean; start: number; href?: string | undefined };

export function markdownOf(html: string, base: string): string {
  const page = new PageText(base);
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => page.open(tag, attributes),
      ontext: (text) => page.text(text),
      onclosetag: (tag) => page.close(tag),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return page.toString();
}

class PageText {
  readonly #base: string;
  readonly #open: Open[] = [];
  readonly #lists: { count: number | undefined }[] = [];
  #out = '';
  #title = '';
  #preformatted = 0;

  constructor(base: string) {
    this.#base = base;
  }

  open(tag: string, attributes: Record<string, string>): void {
    const isHidden = (this.#open.at(-1)?.isHidden ?? false) || HIDDEN.has(tag) || isUnseen(attributes);
    if (!isHidden) this.#begin(tag, attributes);
    this.#open.push({ tag, isHidden, start: this.#out.length, href: tag === 'a' ? attributes.href : undefined });
  }

  text(text: string): void {
    const { tag, isHidden } = this.#open.at(-1) ?? {};
    if (tag === 'title') this.#title += text;
    else if (isHidden) return;
    else if (this.#preformatted > 0) this.#out += text;
    else {
      const line = text.replace(/\s+/g, ' ');
      this.#out += /(^|\s)$/.test(this.#out.slice(-1)) ? line.replace(/^ /, '') : line;
    }
  }

  close(tag: string): void {
    const open = this.#open.pop();
    if (open && !open.isHidden) this.#end(tag, open);
  }

  toString(): string {
    const text = this.#out
      .replace(/[ \t]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    const title = this.#title.replace(/\s+/g, ' ').trim();
    return title && !text.startsWith(`# ${title}`) ? `${title}\n\n${text}` : text;
  }

  #begin(tag: string, attributes: Record<string, string>): void {
    if (BLOCKS.has(tag) && this.#lists.length === 0) this.#out += '\n\n';
    this.#out += MARKS.get(tag)?.[0] ?? '';
    switch (tag) {
      case 'pre':
        this.#preformatted++;
        this.#out += '\n```\n';
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
        this.#out += `\n${'  '.repeat(Math.max(0, this.#lists.length - 1))}${mark} `;
        break;
      }
      case 'img':
        if (attributes.alt?.trim()) this.#out += `[image: ${attributes.alt.trim()}]`;
    }
  }

  #end(tag: string, { start, href }: Open): void {
    this.#out += MARKS.get(tag)?.[1] ?? '';
    switch (tag) {
      case 'pre':
        this.#preformatted--;
        this.#out = `${this.#out.replace(/\n$/, '')}\n\`\`\`\n`;
        break;
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
    if (BLOCKS.has(tag) && this.#lists.length === 0) this.#out += '\n\n';
  }

  #inlineCode(): void {
    if (this.#preformatted === 0) this.#out += '`';
  }

  /** A link without text, or to a place of the page itself, is only its text. */
  #link(start: number, href: string | undefined): void {
    const text = this.#out.slice(start).trim();
    const url = href !== undefined && !href.startsWith('#') && URL.canParse(href, this.#base) ? new URL(href, this.#base) : undefined;
    if (!text || !url || !/^(https?|mailto):$/.test(url.protocol)) return;
    const before = this.#out.slice(0, start) + (/^\s/.test(this.#out.slice(start)) ? ' ' : '');
    this.#out = `${before}[${text.replace(/\s*\n\s*/g, ' ')}](${url.href})`;
  }
}

function isUnseen({ hidden, style, 'aria-hidden': ariaHidden }: Record<string, string>): boolean {
  return hidden !== undefined || ariaHidden === 'true' || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style ?? '');
}

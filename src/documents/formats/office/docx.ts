/** Reads documents of Word: headings by their styles, paragraphs, lists, tables, footnotes, and the names of images. */
import { DocumentError, type Place } from '../../document.ts';
import type { Blocks } from '../blocks.ts';
import type { Archive } from './archive.ts';
import { type Attributes, readXml, titleIn } from './xml.ts';

type Style = { level?: number; isCode: boolean };

export function readDocx(archive: Archive, blocks: Blocks): void {
  const main = archive.names.find((name) => /^word\/document\d*\.xml$/.test(name)) ?? '';
  const content = archive.read(main);
  if (!content) throw new DocumentError('damaged', 'The document has no text part. Open it in Word and save it again.');
  blocks.title = titleIn(archive.read('docProps/core.xml'));
  const styles = stylesIn(archive.read('word/styles.xml'));
  const hasPages = content.includes('lastRenderedPageBreak');
  readXml(content, new DocxText(styles, blocks, hasPages));
  for (const notes of ['word/footnotes.xml', 'word/endnotes.xml']) {
    const bytes = archive.read(notes);
    if (bytes) readXml(bytes, new DocxText(styles, blocks, false));
  }
}

/** Finds the styles of headings, by their outline level or name, and those of code. */
function stylesIn(bytes: Uint8Array | undefined): Map<string, Style> {
  const styles = new Map<string, Style>();
  if (!bytes) return styles;
  let id = '';
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'w:style') id = attributes['w:styleId'] ?? '';
      const style = styles.get(id) ?? { isCode: false };
      if (name === 'w:name') {
        const called = attributes['w:val'] ?? '';
        const [, level] = /^heading (\d)/i.exec(called) ?? [];
        if (level !== undefined) style.level = Number(level);
        else if (/^title$/i.test(called)) style.level = 1;
        style.isCode = /\b(code|preformatted|source|macro text)\b/i.test(called);
        styles.set(id, style);
      } else if (name === 'w:outlineLvl' && id !== '') styles.set(id, { ...style, level: Number(attributes['w:val']) + 1 });
    },
  });
  return styles;
}

/** Receives the elements of a part that contains paragraphs. */
class DocxText {
  readonly #styles: ReadonlyMap<string, Style>;
  readonly #blocks: Blocks;
  #page: number | undefined;
  #pieces: string[] = [];
  #images: string[] = [];
  #level: number | undefined;
  #isCode = false;
  #isEntry = false;
  #indent = 0;
  #isText = false;
  /** The depth inside elements that repeat others for old programs. */
  #fallbacks = 0;
  /** The rows of the tables that are open, the innermost last. */
  readonly #tables: { rows: string[][]; cell: string[]; page: number | undefined }[] = [];
  #codeLines: string[] = [];

  constructor(styles: ReadonlyMap<string, Style>, blocks: Blocks, hasPages: boolean) {
    this.#styles = styles;
    this.#blocks = blocks;
    this.#page = hasPages ? 1 : undefined;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'mc:Fallback') this.#fallbacks++;
    if (this.#fallbacks > 0) return;
    switch (name) {
      case 'w:p':
        this.#startParagraph();
        break;
      case 'w:pStyle': {
        const style = this.#styles.get(attributes['w:val'] ?? '');
        this.#level = style?.level;
        this.#isCode = style?.isCode ?? false;
        break;
      }
      case 'w:outlineLvl':
        if (Number(attributes['w:val']) < 9) this.#level = Number(attributes['w:val']) + 1;
        break;
      case 'w:numPr':
        this.#isEntry = true;
        break;
      case 'w:ilvl':
        this.#indent = Math.min(8, Number(attributes['w:val']) || 0);
        break;
      case 'w:t':
        this.#isText = true;
        break;
      case 'w:tab':
        this.#pieces.push('\t');
        break;
      case 'w:br':
      case 'w:cr':
        this.#pieces.push('\n');
        break;
      case 'w:noBreakHyphen':
        this.#pieces.push('-');
        break;
      case 'w:lastRenderedPageBreak':
        if (this.#page !== undefined) this.#page++;
        break;
      case 'wp:docPr': {
        const text = attributes.descr || attributes.title;
        if (text) this.#images.push(text);
        break;
      }
      case 'w:tbl':
        this.#endCode();
        this.#tables.push({ rows: [], cell: [], page: this.#page });
        break;
      case 'w:tr':
        this.#tables.at(-1)?.rows.push([]);
    }
  }

  text(text: string): void {
    if (this.#isText && this.#fallbacks === 0) this.#pieces.push(text);
  }

  close(name: string): void {
    if (name === 'mc:Fallback') this.#fallbacks--;
    if (this.#fallbacks > 0) return;
    const table = this.#tables.at(-1);
    if (name === 'w:t') this.#isText = false;
    else if (name === 'w:p') this.#endParagraph();
    else if (name === 'w:tc') table?.rows.at(-1)?.push(table.cell.splice(0).join('\n'));
    else if (name === 'w:tbl') this.#endTable();
    else if (name === 'w:body' || name === 'w:footnotes' || name === 'w:endnotes') this.#endCode();
  }

  get #place(): Place {
    return this.#page === undefined ? {} : { page: this.#page };
  }

  #startParagraph(): void {
    this.#pieces = [];
    this.#level = undefined;
    this.#isCode = false;
    this.#isEntry = false;
    this.#indent = 0;
  }

  #endParagraph(): void {
    const text = this.#pieces.join('');
    this.#pieces = [];
    const table = this.#tables.at(-1);
    if (table) {
      if (text.trim() !== '') table.cell.push(text.trim());
    } else if (this.#isCode) this.#codeLines.push(text);
    else {
      this.#endCode();
      if (this.#level !== undefined && text.trim() !== '') this.#blocks.heading(this.#level, text, this.#place);
      else this.#blocks.add({ kind: 'text', text: this.#isEntry ? `${'  '.repeat(this.#indent)}- ${text}` : text, place: this.#place });
    }
    for (const image of this.#images.splice(0)) this.#blocks.add({ kind: 'image', text: image, place: this.#place });
  }

  /** Consecutive paragraphs of code are one block. */
  #endCode(): void {
    if (this.#codeLines.length === 0) return;
    this.#blocks.add({ kind: 'code', text: this.#codeLines.join('\n'), place: this.#place });
    this.#codeLines = [];
  }

  /** A table inside a cell becomes text of the cell. */
  #endTable(): void {
    const table = this.#tables.pop();
    const outer = this.#tables.at(-1);
    if (!table) return;
    if (outer) outer.cell.push(table.rows.map((row) => row.join(' | ')).join('\n'));
    else this.#blocks.table(table.rows, () => (table.page === undefined ? {} : { page: table.page }));
  }
}

/**
 * Reads workbooks: the cells of each sheet with the values that formulas had when the file was saved. Columns without values are left out,
 * so the size that a sheet states does not matter.
 */
import { DocumentError } from '../../document.ts';
import { type Blocks, LimitReached } from '../blocks.ts';
import { MAX_CELL_LENGTH, MAX_CELLS, MAX_CHARACTERS } from '../limits.ts';
import type { Archive } from './archive.ts';
import { type NumberKind, numberKindsIn, shownNumber } from './cell-values.ts';
import { type Attributes, readXml, relationsOf, titleIn } from './xml.ts';

type Row = { number: number; cells: Map<number, string> };
type Workbook = { strings: string[]; kinds: NumberKind[]; is1904: boolean };

const MAX_SHEET_NAME = 100;

export function readXlsx(archive: Archive, blocks: Blocks): void {
  blocks.title = titleIn(archive.read('docProps/core.xml'));
  const targets = relationsOf(archive.read('xl/_rels/workbook.xml.rels'), 'xl');
  const sheets: { name: string; path: string }[] = [];
  let is1904 = false;
  readXml(archive.read('xl/workbook.xml') ?? new Uint8Array(), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const target = targets.get(attributes['r:id'] ?? '');
      if (target?.type === 'worksheet') sheets.push({ name: sheetName(attributes.name ?? ''), path: target.path });
    },
  });
  if (sheets.length === 0) throw new DocumentError('empty', 'The workbook has no sheets with cells.');
  const workbook = { strings: stringsIn(archive), kinds: numberKindsIn(archive.read('xl/styles.xml')), is1904 };
  for (const { name, path } of sheets) {
    const content = archive.read(path);
    if (content) readSheet(content, name, workbook, blocks);
    else blocks.note(`The sheet "${name}" is missing in the file.`);
  }
}

/** Removes characters that no program allows in the name of a sheet, because the name is a part of places. */
function sheetName(text: string): string {
  return text
    .replace(/[\s\p{Cc}[\]:\\/?*]+/gu, ' ')
    .trim()
    .slice(0, MAX_SHEET_NAME);
}

/** Reads the texts that the cells refer to by their numbers. */
function stringsIn(archive: Archive): string[] {
  const relations = relationsOf(archive.read('xl/_rels/workbook.xml.rels'), 'xl');
  const path = [...relations.values()].find(({ type }) => type === 'sharedStrings')?.path ?? 'xl/sharedStrings.xml';
  const strings: string[] = [];
  let pieces: string[] = [];
  let isText = false;
  let isPhonetic = false;
  readXml(archive.read(path) ?? new Uint8Array(), {
    open(name) {
      if (name === 'si') pieces = [];
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
    },
    text: (text) => isText && pieces.push(text),
    close(name) {
      if (name === 'si') strings.push(pieces.join('').slice(0, MAX_CELL_LENGTH));
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 't') isText = false;
    },
  });
  return strings;
}

function readSheet(content: Uint8Array, sheet: string, workbook: Workbook, blocks: Blocks): void {
  const reader = new SheetRows(workbook);
  let isFull = false;
  try {
    readXml(content, reader);
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    isFull = true;
    reader.endRow();
  }
  const { rows } = reader;
  if (rows.length > 0) blocks.heading(1, sheet, { sheet, row: rows[0]?.number ?? 1 });
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))].sort((a, b) => a - b);
  // Cells that are far apart would need a table of nearly only empty cells.
  const most = Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns.length)));
  const table = rows.slice(0, most).map(({ cells }) => columns.map((column) => cells.get(column) ?? ''));
  blocks.table(table, (first, last) => ({ sheet, row: rows[first]?.number ?? 1, endRow: rows[last]?.number ?? 1 }));
  if (isFull || rows.length > most) throw new LimitReached();
}

/** Receives the elements of one sheet. */
class SheetRows {
  readonly rows: Row[] = [];
  readonly #workbook: Workbook;
  #count = 0;
  #characters = 0;
  #row: Row = { number: 0, cells: new Map() };
  #column = 0;
  #type = '';
  #style = 0;
  #pieces: string[] = [];
  #isValue = false;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.#row = { number: Number(attributes.r) || this.#row.number + 1, cells: new Map() };
    else if (name === 'c') {
      this.#column = columnOf(attributes.r) ?? this.#column + 1;
      this.#type = attributes.t ?? 'n';
      this.#style = Number(attributes.s) || 0;
      this.#pieces = [];
    } else if (name === 'v' || name === 't') this.#isValue = true;
  }

  text(text: string): void {
    if (this.#isValue) this.#pieces.push(text);
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isValue = false;
    else if (name === 'c') this.#endCell();
    else if (name === 'row') this.endRow();
  }

  endRow(): void {
    if (this.#row.cells.size > 0) this.rows.push(this.#row);
    this.#row = { number: this.#row.number, cells: new Map() };
    this.#column = 0;
  }

  #endCell(): void {
    const text = this.#value(this.#pieces.join('')).slice(0, MAX_CELL_LENGTH);
    this.#pieces = [];
    if (text.trim() === '') return;
    this.#characters += text.length;
    // Many cells may refer to the same text.
    if (++this.#count > MAX_CELLS || this.#characters > MAX_CHARACTERS) throw new LimitReached();
    this.#row.cells.set(this.#column, text);
  }

  #value(text: string): string {
    switch (this.#type) {
      case 's':
        return this.#workbook.strings[Number(text)] ?? '';
      case 'b':
        return text === '1' ? 'TRUE' : 'FALSE';
      case 'n':
        return shownNumber(text, this.#workbook.kinds[this.#style] ?? 'number', this.#workbook.is1904);
      default:
        return text;
    }
  }
}

/** Returns the number of the column of a reference such as "B7". */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0);
}

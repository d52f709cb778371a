/** Collects the blocks of one document up to the limits. */
import type { Block, ParsedDocument, Place } from '../document.ts';
import { MAX_BLOCKS, MAX_CELL_LENGTH, MAX_CELLS, MAX_CHARACTERS, ROWS_PER_TABLE } from './limits.ts';
import { checkMemory } from './memory.ts';

/** Stops reading a document when a limit is reached. The blocks that were collected before are kept. */
export class LimitReached extends Error {}

export class Blocks {
  readonly all: Block[] = [];
  readonly notes: string[] = [];
  title: string | undefined;
  #characters = 0;
  #cells = 0;

  /** Adds a block unless it is empty. @throws LimitReached */
  add(block: Block): void {
    checkMemory();
    const clean = block.kind === 'table' ? withRows(block) : { ...block, text: visible(block.text, block.kind === 'code') };
    if (clean.kind === 'table' ? clean.rows.length === 0 : clean.text === '') return;
    if (clean.kind === 'table') {
      this.#cells += clean.rows.reduce((count, row) => count + row.length, 0);
      this.#characters += clean.rows.reduce((length, row) => length + row.reduce((sum, cell) => sum + cell.length, 0), 0);
    } else this.#characters += clean.text.length;
    if (this.#characters > MAX_CHARACTERS || this.#cells > MAX_CELLS || this.all.length >= MAX_BLOCKS) throw new LimitReached();
    this.all.push(clean);
  }

  heading(level: number, text: string, place: Place): void {
    const rounded = Math.min(6, Math.max(1, Math.round(level))) as 1 | 2 | 3 | 4 | 5 | 6;
    this.add({ kind: 'heading', level: rounded, text: text.replace(/\s+/g, ' ').slice(0, 500), place });
  }

  /**
   * Adds a long table in parts, each of which begins with the head.
   * @param placeOf returns the place of the rows between two indexes
   */
  table(rows: readonly string[][], placeOf: (first: number, last: number) => Place): void {
    const head = rows[0];
    if (head === undefined) return;
    if (rows.length === 1) this.add({ kind: 'table', rows: [head], place: placeOf(0, 0) });
    for (let from = 1; from < rows.length; from += ROWS_PER_TABLE) {
      const to = Math.min(rows.length, from + ROWS_PER_TABLE);
      this.add({ kind: 'table', rows: [head, ...rows.slice(from, to)], place: placeOf(from === 1 ? 0 : from, to - 1) });
    }
  }

  note(sentence: string): void {
    if (!this.notes.includes(sentence) && this.notes.length < 20) this.notes.push(sentence);
  }

  /** The length of all text so far. */
  get characters(): number {
    return this.#characters;
  }

  document(): ParsedDocument {
    const title = visible(this.title ?? '', false)
      .replace(/\s+/g, ' ')
      .slice(0, 300);
    return { ...(title && { title }), blocks: this.all, notes: this.notes };
  }
}

function withRows(block: Extract<Block, { kind: 'table' }>): Block {
  const rows = block.rows.map((row) => row.map((cell) => visible(cell.slice(0, MAX_CELL_LENGTH), false)));
  return { ...block, rows: rows.filter((row) => row.some((cell) => cell !== '')) };
}

/** Removes control characters, lone surrogates, and whitespace at the beginning and the end. Code keeps the indentation of its first line. */
function visible(text: string, isCode: boolean): string {
  const clean = text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();
  return isCode ? withoutOuterLines(clean) : clean.trim();
}

function withoutOuterLines(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return '';
  return lines.slice(first).join('\n').trimEnd();
}

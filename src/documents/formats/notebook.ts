/** Reads Jupyter notebooks: the Markdown and the code of their cells, and the beginning of their outputs that are text. */
import { DocumentError } from '../document.ts';
import type { Blocks } from './blocks.ts';
import { readMarkdown } from './marked-up/markdown.ts';

const MAX_OUTPUT = 2_000;

type Cell = { cell_type?: unknown; source?: unknown; outputs?: unknown; input?: unknown };
type Notebook = {
  cells?: unknown;
  worksheets?: unknown;
  metadata?: { title?: unknown; language_info?: { name?: unknown }; kernelspec?: { language?: unknown } };
};

export function readNotebook(text: string, blocks: Blocks): void {
  const notebook = parsed(text);
  const { title, language_info: info, kernelspec } = recordOf(notebook.metadata) as NonNullable<Notebook['metadata']>;
  if (typeof title === 'string') blocks.title = title;
  const language = [recordOf(info).name, recordOf(kernelspec).language].find((name) => typeof name === 'string');
  for (const each of cellsOf(notebook)) {
    const cell = recordOf(each) as Cell;
    const source = joined(cell.source ?? cell.input);
    if (cell.cell_type === 'markdown') withoutLines(blocks, () => readMarkdown(source, blocks));
    else if (cell.cell_type === 'code') {
      blocks.add({ kind: 'code', text: source, ...(language !== undefined && { language: String(language).slice(0, 30) }), place: {} });
      for (const output of listOf(cell.outputs)) readOutput(recordOf(output), blocks);
    } else blocks.add({ kind: 'text', text: source, place: {} });
  }
}

function parsed(text: string): Notebook {
  try {
    const notebook: unknown = JSON.parse(text);
    if (typeof notebook === 'object' && notebook !== null && ('cells' in notebook || 'worksheets' in notebook)) return notebook as Notebook;
  } catch {
    throw new DocumentError('damaged', 'The notebook is not valid JSON. Open it in Jupyter and save it again.');
  }
  throw new DocumentError('damaged', 'The file is not a Jupyter notebook, because it has no cells. Open it in Jupyter and save it again.');
}

/** Notebooks before version 4 have their cells in worksheets. */
function cellsOf({ cells, worksheets }: Notebook): unknown[] {
  return cells === undefined ? listOf(worksheets).flatMap((sheet) => listOf(recordOf(sheet).cells)) : listOf(cells);
}

function readOutput(output: Record<string, unknown>, blocks: Blocks): void {
  const data = recordOf(output.data);
  const text = joined(output.text ?? data['text/plain'] ?? data['text/markdown']);
  // Errors have colored traces, which repeat the code. Their name and message are enough.
  const error = output.output_type === 'error' ? `${joined(output.ename)}: ${joined(output.evalue)}` : '';
  const shown = error || text;
  if (shown.trim() === '') return;
  const isCut = shown.length > MAX_OUTPUT;
  blocks.add({ kind: 'code', text: isCut ? `${shown.slice(0, MAX_OUTPUT)}\n…` : shown, language: 'output', place: {} });
}

/** The lines of a cell are not lines of the file, so the blocks of a cell have no place. */
function withoutLines(blocks: Blocks, read: () => void): void {
  const first = blocks.all.length;
  const { title } = blocks;
  try {
    read();
  } finally {
    for (const block of blocks.all.slice(first)) block.place = {};
    blocks.title = title;
  }
}

/** Text in a notebook is a string, or a list of lines that end with line breaks. */
function joined(source: unknown): string {
  if (typeof source === 'string') return source;
  return listOf(source)
    .filter((line) => typeof line === 'string')
    .join('');
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

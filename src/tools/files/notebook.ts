/** Displays Jupyter notebooks as cells instead of JSON. */
import { jsonIn } from '../../core/json.ts';
import type { NotebookCell } from '../../workspace/types.ts';

const MAX_OUTPUT = 1_000;

/** Returns the cells of an `.ipynb` file, or undefined when it is not a notebook of format 4. */
export function parseNotebook(text: string): NotebookCell[] | undefined {
  const notebook = jsonIn(text);
  if (!isRecord(notebook) || !Array.isArray(notebook.cells)) return undefined;
  const { metadata } = notebook;
  const language = at(metadata, 'language_info', 'name') ?? at(metadata, 'kernelspec', 'language');
  return notebook.cells.filter(isRecord).map(({ cell_type, source, outputs }) => ({
    kind: cell_type === 'code' || cell_type === 'raw' ? cell_type : 'markdown',
    ...(typeof language === 'string' && { language }),
    source: textOf(source),
    outputs: Array.isArray(outputs) ? outputs.filter(isRecord).flatMap(outputText) : [],
  }));
}

export function renderNotebook(cells: readonly NotebookCell[]): string {
  if (cells.length === 0) return '[the notebook has no cells]';
  const parts = cells.map(({ kind, language, source, outputs }, index) => {
    const what = kind === 'code' ? (language ?? 'code') : kind;
    const printed = outputs.filter((text) => text.trim() !== '').map((text) => `[output]\n${cut(text.trimEnd())}`);
    return [`[cell ${index + 1}: ${what}]`, source.trimEnd(), ...printed].join('\n');
  });
  return parts.join('\n\n');
}

function outputText({ output_type, text, data, ename, evalue }: Record<string, unknown>): string[] {
  if (output_type === 'error') return [[ename, evalue].filter(Boolean).join(': ')];
  if (text !== undefined) return [textOf(text)];
  if (!isRecord(data)) return [];
  if (data['text/plain'] !== undefined) return [textOf(data['text/plain'])];
  return [`(${Object.keys(data).join(', ')})`];
}

function cut(text: string): string {
  return text.length > MAX_OUTPUT ? `${text.slice(0, MAX_OUTPUT)}… [${text.length - MAX_OUTPUT} more characters]` : text;
}

/** Notebook files store a text as a string or as a list of lines. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce((found, key) => (isRecord(found) ? found[key] : undefined), value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import * as z from 'zod';
import { type Tool, ToolError } from '../../core/run/tool.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { decodeText, hashOf } from '../../workspace/content.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { linkTo } from '../files/read-file.ts';
import { missingFile } from '../files/similar-names.ts';
import { delimiterOf, numberIn, rowsOf } from './csv.ts';
import { numberText } from './expression.ts';
import { Sum } from './functions.ts';

const MAX_BYTES = 20_000_000;
const MAX_COLUMNS = 100;
const MAX_NAME = 60;

/** Counts and adds the columns of a table, so that a model does not have to read or add up its rows. */
export function summarizeColumnsTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'summarize_columns',
    description: 'Count, sum, mean, minimum and maximum of the columns of a CSV or TSV file whose first row has their names.',
    effect: 'readonly',
    input: z.object({ path: z.string(), columns: z.array(z.string()).optional() }),
    async prepare({ path: input, columns: wanted }) {
      const { at, path } = await workspace.resolve(input);
      return {
        title: `Summarize ${path}`,
        targets: [{ path, access: 'read' }, ...linkTo(workspace.display(await workspace.locate(input)), path)],
        async execute({ signal }) {
          const file = await workspace.snapshot(at);
          if (!file) throw await missingFile(workspace, path);
          if (file.bytes.length > MAX_BYTES) throw new ToolError(`${path} is larger than ${MAX_BYTES / 1e6} MB. Use a smaller file.`);
          const text = decodeText(file.bytes)?.replace(/^\uFEFF/, '');
          if (text === undefined) throw new ToolError(`${path} is not a text file. Only CSV and TSV files have columns.`);
          return { content: summaryOf(text, wanted, signal), read: { path, digest: await hashOf(file.bytes) } };
        },
      };
    },
  });
}

type Column = { name: string; at: number; numbers: number; missing: number; other: number; sum: Sum; min: number; max: number };

function summaryOf(text: string, wanted: readonly string[] | undefined, signal: AbortSignal): string {
  const delimiter = delimiterOf(text);
  const rows = rowsOf(text, delimiter);
  const { value: names = [] } = rows.next() as { value?: string[] };
  const columns = columnsOf(names, wanted);
  let count = 0;
  let uneven = 0;
  for (const row of rows) {
    if (++count % 10_000 === 0) signal.throwIfAborted();
    if (row.length !== names.length) uneven += 1;
    for (const column of columns) addTo(column, row[column.at] ?? '', delimiter);
  }
  return [
    `${count} rows${uneven > 0 ? `, of which ${uneven} do not have ${names.length} fields` : ''}`,
    'column | numbers | missing | not a number | sum | mean | min | max',
    ...columns.map(lineOf),
  ].join('\n');
}

function columnsOf(names: readonly string[], wanted: readonly string[] | undefined): Column[] {
  const chosen = wanted ?? names.slice(0, MAX_COLUMNS);
  return chosen.slice(0, MAX_COLUMNS).map((name) => {
    const at = names.indexOf(name);
    if (at < 0)
      throw new ToolError(`There is no column ${shortName(name)}. The columns are: ${names.slice(0, 50).map(shortName).join(', ')}.`);
    return { name, at, numbers: 0, missing: 0, other: 0, sum: new Sum(), min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  });
}

function addTo(column: Column, field: string, delimiter: string): void {
  if (field === '') {
    column.missing += 1;
    return;
  }
  const number = numberIn(field, delimiter);
  if (number === undefined) {
    column.other += 1;
    return;
  }
  column.numbers += 1;
  column.sum.add(number);
  column.min = Math.min(column.min, number);
  column.max = Math.max(column.max, number);
}

function lineOf({ name, numbers, missing, other, sum, min, max }: Column): string {
  const figures = numbers > 0 ? [sum.value, sum.value / numbers, min, max].map(numberText) : ['–', '–', '–', '–'];
  return [shortName(name), numbers, missing, other, ...figures].join(' | ');
}

function shortName(name: string): string {
  const line = visibleLine(name);
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 2).toWellFormed()} …` : line;
}

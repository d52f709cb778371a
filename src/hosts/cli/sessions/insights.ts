/** `kedge insights`: shows statistics about the runs of a folder, or of all folders, which are computed from their logs. */
import { cellsIn, csvOf, insightsOf, periodOf } from '../../../core/insights/insights.ts';
import { cellText, type Table, tablesOf } from '../../../core/insights/tables.ts';
import { UsageError } from '../options/arguments.ts';
import { oneLine, paintFor } from '../output/terminal.ts';
import { EXIT } from '../run-session.ts';
import type { CommandContext } from './context.ts';

/** The longest text of a column, such as the name of a model. */
const MAX_TEXT = 48;

export async function insights({ kedge, words, values, signal }: CommandContext): Promise<number> {
  if (words.length > 0) throw new UsageError('kedge insights takes no arguments. See kedge insights --help.');
  if (values.json && values.csv) throw new UsageError('Use --json or --csv, not both.');
  const period = periodOf(daysOf(values.days), Date.now());
  const sessions = await (await kedge.assistant.library()).insights(signal, { everywhere: values.all === true });
  if (values.csv) process.stdout.write(csvOf(cellsIn(sessions, period)));
  else if (values.json) process.stdout.write(`${JSON.stringify(insightsOf(sessions, period))}\n`);
  else print(insightsOf(sessions, period));
  return EXIT.answered;
}

function daysOf(value: CommandContext['values'][string]): number | undefined {
  if (value === undefined) return undefined;
  const days = Number(value);
  if (Number.isInteger(days) && days > 0 && days <= 36_500) return days;
  throw new UsageError(`--days must be a whole number of at least 1, not ${JSON.stringify(value)}.`);
}

function print(found: ReturnType<typeof insightsOf>): void {
  if (found.days.length === 0) return void process.stderr.write('No runs in this period. Runs are counted as they happen.\n');
  const { bold } = paintFor(process.stdout);
  process.stdout.write(`${found.from === undefined ? 'All days' : `${found.from} to ${found.to}`}\n`);
  for (const table of tablesOf(found)) process.stdout.write(`\n${bold(table.title)}\n${textOf(table)}`);
}

/** Formats a table. Numbers are aligned to the right, and texts to the left. */
function textOf({ columns, rows }: Table): string {
  const lines = [
    columns.map(({ name }) => name),
    ...rows.map((row) => row.map((value, index) => oneLine(cellText(value, columns[index]?.unit), MAX_TEXT))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  const padded = (text: string, index: number) =>
    columns[index]?.unit ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0);
  return lines.map((line) => `  ${line.map(padded).join('  ').trimEnd()}\n`).join('');
}

/** The numbers of a period: of all sessions together, by day, by mode and by model. */

import { MODES, type Mode } from '../session/events.ts';
import { type Cell, dayOf } from './fold.ts';
import { type Numbers, sumOf, totalIn } from './numbers.ts';

/** The periods to choose from: the last days including today, or 0 for all days. */
export const RANGES = [7, 30, 90, 0] as const;
export type Range = (typeof RANGES)[number];

/**
 * `from` and `to` are dates, and both days are part of the period. Without `from`, the period has no beginning. `sessions` is the number of
 * sessions with counts in this period.
 */
export type Period = { from?: string; to: string };
export type Insights = Period & {
  sessions: number;
  total: Numbers;
  /** Days, modes and models without counts are missing. */
  days: readonly { day: string; numbers: Numbers }[];
  modes: readonly { mode: Mode; numbers: Numbers }[];
  /** The models with the most runs come first. */
  models: readonly { model: string; numbers: Numbers }[];
};

/** Returns the last `days` days including today, or all days up to today. */
export function periodOf(days: number | undefined, now: number): Period {
  const to = dayOf(now);
  if (days === undefined) return { to };
  const date = new Date(now);
  return { from: dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() - days + 1).getTime()), to };
}

/** Returns the cells of a period, oldest first. Cells of several sessions with the same day, mode and model are added. */
export function cellsIn(sessions: readonly (readonly Cell[])[], period: Period): Cell[] {
  const cells = sessions.flat().filter(({ day }) => isIn(day, period));
  return grouped(cells, ({ day, mode, model }) => JSON.stringify([day, MODES.indexOf(mode), model]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, [first, ...more]]) => ({ ...(first as Cell), numbers: sumOf([first as Cell, ...more].map(({ numbers }) => numbers)) }));
}

export function insightsOf(sessions: readonly (readonly Cell[])[], period: Period): Insights {
  const cells = cellsIn(sessions, period);
  const sum = (some: readonly Cell[]) => sumOf(some.map(({ numbers }) => numbers));
  const models = grouped(cells, ({ model }) => model);
  return {
    ...period,
    sessions: sessions.filter((each) => each.some(({ day }) => isIn(day, period))).length,
    total: sum(cells),
    days: grouped(cells, ({ day }) => day).map(([day, some]) => ({ day, numbers: sum(some) })),
    modes: MODES.flatMap((mode) => {
      const some = cells.filter((cell) => cell.mode === mode);
      return some.length > 0 ? [{ mode, numbers: sum(some) }] : [];
    }),
    models: models
      .map(([model, some]) => ({ model, numbers: sum(some) }))
      .toSorted((a, b) => totalIn(b.numbers.runs) - totalIn(a.numbers.runs)),
  };
}

function isIn(day: string, { from, to }: Period): boolean {
  return (from === undefined || day >= from) && day <= to;
}

function grouped(cells: readonly Cell[], keyOf: (cell: Cell) => string): [string, Cell[]][] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const key = keyOf(cell);
    const group = groups.get(key);
    if (group) group.push(cell);
    else groups.set(key, [cell]);
  }
  return [...groups];
}

/** Formats cells as CSV: one line for each count. The columns `group` and `name` contain the keys of `Numbers`. */
export function csvOf(cells: readonly Cell[]): string {
  const lines = cells.flatMap(({ day, mode, model, numbers }) =>
    Object.entries(numbers).flatMap(([group, counts]) =>
      Object.entries(counts).map(([name, value]) => [day, mode, model, group, name, String(value)].map(csvField).join(',')),
    ),
  );
  return `${['day,mode,model,group,name,value', ...lines].join('\n')}\n`;
}

/** Quotes a field. Names of models and tools are untrusted, and a spreadsheet must not interpret them as formulas. */
function csvField(text: string): string {
  const isNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text);
  const harmless = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

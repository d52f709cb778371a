/** Builds the tables of the insights for the panel and the terminal. */

import { MODE_NAME } from '../session/events.ts';
import { dollars, tokens } from '../words/amounts.ts';
import type { Insights } from './insights.ts';
import { FAILED_EDITS, LIMITS, RULES } from './labels.ts';
import { type Numbers, totalIn } from './numbers.ts';

/** How a column is displayed. `share` is a number from 0 to 1, `usd` US dollars, `ms` milliseconds. A column without a unit is text. */
export type Unit = 'count' | 'decimal' | 'tokens' | 'usd' | 'ms' | 'share';
export type TableId = 'summary' | 'days' | 'modes' | 'models' | 'approvals' | 'allowed' | 'tools' | 'window' | 'edits' | 'limits';
/** Unknown values are missing. Each row of `summary` has its own unit. */
export type Table = {
  id: TableId;
  title: string;
  columns: readonly { name: string; unit?: Unit }[];
  rows: readonly (readonly (string | number | undefined)[])[];
};
type Counts = Readonly<Record<string, number | undefined>>;

/** Returns the tables that are not empty. */
export function tablesOf(insights: Insights): Table[] {
  const { total, days, modes, models } = insights;
  const tables: Table[] = [
    { id: 'summary', title: 'Summary', columns: [{ name: 'What' }, { name: 'Number' }], rows: summaryRows(insights) },
    { id: 'days', title: 'Days', columns: named('Day'), rows: days.map(({ day, numbers }) => [day, ...runsAndUse(numbers)]) },
    {
      id: 'modes',
      title: 'Modes',
      columns: named('Mode'),
      rows: modes.map(({ mode, numbers }) => [MODE_NAME[mode], ...runsAndUse(numbers)]),
    },
    { id: 'models', title: 'Models', columns: named('Model'), rows: models.map(({ model, numbers }) => [model, ...runsAndUse(numbers)]) },
    {
      id: 'approvals',
      title: 'Approvals',
      columns: [{ name: 'Reason' }, count('Requested'), count('Approved'), count('Rejected')],
      rows: ranked(labelled(total.asked, RULES)).map(([name, asked]) => [
        name,
        asked,
        labelled(total.approved, RULES)[name] ?? 0,
        labelled(total.rejected, RULES)[name] ?? 0,
      ]),
    },
    counted('allowed', 'Allowed without approval', ['Reason', 'Calls'], labelled(total.allowed, RULES)),
    {
      id: 'tools',
      title: 'Tool calls',
      columns: [{ name: 'Tool' }, count('Calls'), count('Failed'), { name: 'Error rate', unit: 'share' }, count('Denied or rejected')],
      rows: ranked(total.calls).map(([tool, calls]) => {
        const failed = own(total.failedCalls, tool);
        const refused = own(total.refusedCalls, tool);
        return [tool, calls, failed, calls > refused ? failed / (calls - refused) : undefined, refused];
      }),
    },
    {
      id: 'window',
      title: 'Context window',
      columns: [{ name: 'Full' }, count('Requests')],
      rows: total.window ? WINDOW.map((name, tenth) => [name, own(total.window, String(tenth))]) : [],
    },
    counted('edits', 'Failed edits', ['Reason', 'Edits'], labelled(total.failedEdits, FAILED_EDITS)),
    counted('limits', 'Limits reached', ['Limit', 'Times'], labelled(total.limits, LIMITS)),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

const WINDOW = Array.from({ length: 10 }, (_, tenth) => `${tenth * 10}–${tenth * 10 + 10}%`);

const count = (name: string) => ({ name, unit: 'count' as const });

const named = (name: string): Table['columns'] => [
  { name },
  ...['Runs', 'Answered', 'Stopped', 'Failed', 'Recovered', 'Turns'].map(count),
  { name: 'Fresh tokens', unit: 'tokens' },
  { name: 'Cached tokens', unit: 'tokens' },
  { name: 'Output tokens', unit: 'tokens' },
  { name: 'Cost', unit: 'usd' },
];

function runsAndUse({ runs = {}, events = {}, tokens: used = {}, money }: Numbers): (number | undefined)[] {
  return [
    totalIn(runs),
    answeredIn(runs),
    runs.stopped ?? 0,
    failedIn(runs),
    events.recovered ?? 0,
    events.turns ?? 0,
    used.fresh ?? 0,
    used.cached ?? 0,
    used.output ?? 0,
    money?.usd ?? (money?.unpriced ? undefined : 0),
  ];
}

/** Counts the runs that were answered. A proposed plan is the answer of a Plan run. */
export function answeredIn(runs: NonNullable<Numbers['runs']>): number {
  return (runs.answered ?? 0) + (runs.plan_proposed ?? 0);
}

/** Counts the runs that failed. For the user, a run that the model refused has failed, too. */
export function failedIn(runs: NonNullable<Numbers['runs']>): number {
  return (runs.failed ?? 0) + (runs.refused ?? 0);
}

function summaryRows({ sessions, total }: Insights): (string | number | undefined)[][] {
  const { runs = {}, events = {}, asked, approved, rejected, answeredBy = {}, calls, failedCalls, waitMs = {}, tokens: used = {} } = total;
  const { money = {}, ratings = {} } = total;
  const all = totalIn(runs);
  const of = (part: number, whole: number) => (whole > 0 && part > 0 ? `${part} (${percent(part / whole)})` : String(part));
  const byOthers = [
    answeredBy.grant && `${answeredBy.grant} by a permission`,
    answeredBy.nobody && `${answeredBy.nobody} with no user available`,
  ];
  const ofWhich = byOthers.filter(Boolean).join(', ');
  return [
    ['Sessions', String(sessions)],
    ['Runs', String(all)],
    ['Answered', of(answeredIn(runs), all)],
    ['Stopped by you', of(runs.stopped ?? 0, all)],
    ['Failed', of(failedIn(runs), all)],
    ['Recovered after a failure', String(events.recovered ?? 0)],
    ['Paused or in progress', String(runs.open ?? 0)],
    ['Turns per run', all > 0 ? ((events.turns ?? 0) / all).toFixed(1) : undefined],
    ['Tool calls', String(totalIn(calls))],
    ['Tool calls that failed', of(totalIn(failedCalls), totalIn(calls))],
    ['Approvals requested', String(totalIn(asked))],
    ['Approved', of(totalIn(approved), totalIn(asked))],
    ['Rejected', of(totalIn(rejected), totalIn(asked))],
    ...(ofWhich ? [['Not answered by you', ofWhich]] : []),
    ['Waiting for the model', durationText(waitMs.model ?? 0)],
    ['Waiting for tools', durationText(waitMs.tools ?? 0)],
    ['Waiting for you', durationText(waitMs.user ?? 0)],
    ['Fresh input tokens', tokens(used.fresh ?? 0)],
    ['Cached input tokens', tokens(used.cached ?? 0)],
    ['Output tokens', tokens(used.output ?? 0)],
    ...(used.estimated ? [['Estimated tokens', tokens(used.estimated)]] : []),
    [
      'Cost',
      money.usd === undefined && money.unpriced
        ? undefined
        : dollars({ usd: money.usd ?? 0, ...(money.unpriced && { unpriced: money.unpriced }) }),
    ],
    ['Compacted conversations', String(events.compactions ?? 0)],
    ['Good answers', String(ratings.up ?? 0)],
    ['Bad answers', String(ratings.down ?? 0)],
  ];
}

function counted(id: TableId, title: string, [what, times]: [string, string], counts: Counts): Table {
  return { id, title, columns: [{ name: what }, count(times)], rows: ranked(counts) };
}

/** Returns the counts, the highest first. */
function ranked(counts: Counts = {}): [string, number][] {
  return Object.entries(counts)
    .map(([name, value]): [string, number] => [name, value ?? 0])
    .toSorted(([a, more], [b, less]) => less - more || (a < b ? -1 : 1));
}

/** Adds up the counts whose labels are the same. */
function labelled(counts: Counts = {}, labels: Readonly<Record<string, string>>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, value] of Object.entries(counts)) {
    const label = labels[name] ?? name;
    sums[label] = (sums[label] ?? 0) + (value ?? 0);
  }
  return sums;
}

function own(counts: Counts = {}, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}

/** Formats a value of a table. */
export function cellText(value: string | number | undefined, unit?: Unit): string {
  if (value === undefined) return '–';
  if (typeof value === 'string') return value;
  switch (unit) {
    case 'tokens':
      return tokens(Math.round(value));
    case 'usd':
      return dollars({ usd: value });
    case 'ms':
      return durationText(value);
    case 'share':
      return percent(value);
    case 'decimal':
      return value.toFixed(1);
    default:
      return String(value);
  }
}

function percent(share: number): string {
  return `${share > 0 && share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)}%`;
}

/** Examples: 0 s, 42 s, 5 min, 3.2 h. */
export function durationText(ms: number): string {
  if (ms < 59_500) return `${Math.round(ms / 1000)} s`;
  return ms < 3_570_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

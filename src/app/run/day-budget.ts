/** The budgets of all runs together: the amounts that they may use in a day, and the minimum time between two runs. */

import { fileFailure } from '../../core/file-failure.ts';
import type { DayEntry, Limited, SharedBudget } from '../../core/run/budget.ts';
import { type Allowance, type BudgetKey, type DayBudget, NO_USE, type Reached, type Use } from '../../core/session/limits.ts';

/** A value that is not set has no limit. */
export type Budgets = { day: DayBudget; runsPerMinute?: number; cooldownSeconds?: number };

/** The ledger in which the runs of all windows record their usage. */
export type DayLedger = {
  append(entry: DayEntry): void;
  /** Returns the entries of the day that contains the time `at`. */
  entries(at: number): readonly DayEntry[];
};

type DayKind = keyof DayBudget;
/** The usage of a run that is not recorded in the ledger yet. */
type Open = Partial<Use> & { runs?: number };
type Day = Use & { runs: number; raised: Partial<Record<BudgetKey, number>>; begun: number[]; lastEnd: number };

const LIMITS: Readonly<Record<Limited, readonly DayKind[]>> = {
  turn: ['turns', 'tokens', 'usd', 'minutes'],
  call: ['calls', 'minutes'],
  answer: ['tokens', 'usd', 'minutes'],
};

export class DayBudgets {
  readonly #ledger: DayLedger;
  readonly #budgets: () => Budgets;
  readonly #now: () => number;
  #counted: { entries: readonly DayEntry[]; length: number; day: Day } | undefined;

  constructor(ledger: DayLedger, budgets: () => Budgets, now: () => number) {
    this.#ledger = ledger;
    this.#budgets = budgets;
    this.#now = now;
  }

  /** Raises a limit for today by its configured amount. */
  raise(limit: BudgetKey): void {
    this.#ledger.append({ at: this.#now(), raised: limit });
  }

  /** Returns the daily budget for one run. The budget is read when the run begins or continues. */
  share(): SharedBudget {
    const budgets = this.#budgets();
    let open: Open = {};
    const write = (more: Partial<DayEntry> = {}) => {
      const { ms = 0, ...rest } = open;
      open = {};
      if (Object.keys(rest).length + Object.keys(more).length > 0)
        this.#append({ ...rest, ...(ms >= 1 && { ms: Math.round(ms) }), ...more }, budgets);
    };
    return {
      ...(budgets.day.usd !== undefined && { usd: budgets.day.usd }),
      spend: (more) => {
        for (const key of Object.keys(more) as (keyof Open)[]) if (more[key]) open[key] = (open[key] ?? 0) + more[key];
        // One line is written for each turn, because the cost of a turn is known when its answer is complete.
        if (more.tokens !== undefined) write();
      },
      callsLeft: () => {
        if (budgets.day.calls === undefined) return Number.POSITIVE_INFINITY;
        const day = this.#today(budgets);
        return Math.max(0, (maxOf('day.calls', budgets, day) ?? 0) - day.calls - (open.calls ?? 0));
      },
      reached: (what, first, from, more) => (first && this.#tooFast(budgets, from)) || this.#usedUp(what, first, budgets, open, more),
      flush: (ended) => {
        try {
          write(ended ? { ended: true } : {});
        } catch {
          // The error is ignored, because the run has already ended. The next run reports it.
        }
      },
    };
  }

  #append(entry: Omit<DayEntry, 'at'>, budgets: Budgets): void {
    runWithLedger(budgets, undefined, () => this.#ledger.append({ at: this.#now(), ...entry }));
  }

  #tooFast(budgets: Budgets, from: Allowance): Reached | undefined {
    const { runsPerMinute, cooldownSeconds } = budgets;
    const now = this.#now();
    // An entry from the future was written before the clock was set back. The run does not wait until the clock reaches that time again.
    const isWithin = (at: number, ms: number) => at <= now && now < at + ms;
    if (runsPerMinute && from.runsPerMinute === undefined) {
      const begun = this.#today(budgets).begun.filter((at) => isWithin(at, 60_000)).length;
      if (begun >= runsPerMinute) return { limit: 'runsPerMinute', max: runsPerMinute };
    }
    if (cooldownSeconds && from.cooldown === undefined && isWithin(this.#today(budgets).lastEnd, cooldownSeconds * 1000))
      return { limit: 'cooldown', max: cooldownSeconds };
    return undefined;
  }

  #usedUp(what: Limited, first: boolean, budgets: Budgets, open: Open, more: Partial<Use>): Reached | undefined {
    const kinds: readonly DayKind[] = first ? ['runs', ...LIMITS[what]] : LIMITS[what];
    for (const kind of kinds) {
      const set = budgets.day[kind];
      if (set === undefined) continue;
      const day = this.#today(budgets);
      const sum = (key: keyof Open & keyof Day) => day[key] + (open[key] ?? 0) + (key === 'runs' ? 0 : (more[key] ?? 0));
      const used = kind === 'minutes' ? sum('ms') / 60_000 : sum(kind);
      if (used < (maxOf(`day.${kind}`, budgets, day) ?? 0)) continue;
      return { limit: `day.${kind}`, max: set, ...(kind === 'usd' && day.unpriced > 0 && { unpriced: day.unpriced }) };
    }
    return undefined;
  }

  /** Returns today's usage. Only entries that were added since the last call are counted. */
  #today(budgets: Budgets): Day {
    const entries = runWithLedger(budgets, NOTHING, () => this.#ledger.entries(this.#now()));
    if (this.#counted?.entries !== entries)
      this.#counted = { entries, length: 0, day: { ...NO_USE, runs: 0, raised: {}, begun: [], lastEnd: Number.NEGATIVE_INFINITY } };
    const { day } = this.#counted;
    for (; this.#counted.length < entries.length; this.#counted.length++) count(day, entries[this.#counted.length] as DayEntry);
    return day;
  }
}

const NOTHING: readonly DayEntry[] = [];
const UNRECORDED =
  'Today’s usage cannot be recorded, so the daily limits cannot be enforced. Correct the problem, or remove the daily limits in the settings.';

/** Accesses the ledger. If the access fails, the run ends only if a daily limit is set. */
function runWithLedger<T>({ day }: Budgets, otherwise: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (Object.keys(day).length === 0) return otherwise;
    throw new Error(`${UNRECORDED} ${fileFailure(error)}`);
  }
}

/** Returns a daily limit including the amounts by which the user raised it. */
function maxOf(limit: `day.${DayKind}`, { day: set }: Budgets, { raised }: Day): number | undefined {
  const max = set[limit.slice(4) as DayKind];
  return max === undefined ? undefined : max * (1 + (raised[limit] ?? 0));
}

function count(day: Day, { at, runs = 0, ended, raised, ...use }: DayEntry): void {
  for (const key of Object.keys(NO_USE) as (keyof Use)[]) day[key] += use[key] ?? 0;
  day.runs += runs;
  for (let run = 0; run < runs; run++) day.begun.push(at);
  if (ended) day.lastEnd = at;
  if (raised) day.raised[raised] = (day.raised[raised] ?? 0) + 1;
}

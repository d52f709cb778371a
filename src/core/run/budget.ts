/** What a run may use up, and what it has: turns, calls, tokens, money and time. */

import type { Usage } from '../model/messages.ts';
import type { Limits } from '../session/events.ts';

/** `ms` is time without that in which the user was waited for. `unpriced` counts the answers whose cost is not known: it is in `usd` by an estimate, or not at all. */
export type Use = { turns: number; calls: number; tokens: number; usd: number; ms: number; unpriced: number };

export const NO_USE: Use = { turns: 0, calls: 0, tokens: 0, usd: 0, ms: 0, unpriced: 0 };

/** Of one run, beyond its `Limits`. */
export type RunBudget = { tokens?: number; usd?: number };
/** Of all runs of a day; then how fast one run may follow another. */
export type DayBudget = { runs?: number; turns?: number; calls?: number; tokens?: number; usd?: number; minutes?: number };

/** `cooldown` is in seconds. `price`: money is limited, and what the model costs is not known. */
export type BudgetKey = keyof Limits | keyof RunBudget | `day.${keyof DayBudget}` | 'runsPerMinute' | 'cooldown' | 'price';
/** `unpriced`: so many answers are not in the money that was counted, or by an estimate. */
export type Reached = { limit: BudgetKey; max: number; unpriced?: number };

/** What a limit does not let go on: the next turn of the model, the next call, or the answer that is coming in. */
export type Limited = 'turn' | 'call' | 'answer';

/** A limit was reached in the middle of an answer. */
export class LimitReached extends Error {
  readonly reached: Reached;

  constructor(reached: Reached) {
    super(`The limit ${reached.limit} was reached.`);
    this.name = 'LimitReached';
    this.reached = reached;
  }
}

/** Where a run that goes on with more counts from, by the limit that it had reached. */
export type Allowance = Partial<Record<BudgetKey, number>>;

/** A line of a day's ledger: what was used, that a run began or ended, or that the user raised a limit for the day. */
export type DayEntry = Partial<Use> & { at: number; runs?: number; ended?: true; raised?: BudgetKey };

/** What all runs of a day share. `usd` is what they may cost, where that is limited. */
export type SharedBudget = {
  usd?: number;
  spend(more: Partial<Use> & { runs?: number }): void;
  /** How many calls the day still has. */
  callsLeft(): number;
  /** `first` before a run's first turn; `more` is used up and not spent yet. */
  reached(what: Limited, first: boolean, from: Allowance, more: Partial<Use>): Reached | undefined;
  /** The run paused or ended. */
  flush(ended: boolean): void;
};

/** Tokens of an answer that the service did not count, and what the answer costs with them. */
export type Estimate = { estimated?: number; estimatedUsd?: number };

export function useOfAnswer(usage: Usage | undefined, usd: number | undefined, { estimated = 0, estimatedUsd }: Estimate): Partial<Use> {
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0) + estimated;
  return usd === undefined ? { tokens, usd: estimatedUsd ?? 0, unpriced: 1 } : { tokens, usd };
}

export function addUse(sum: Use, more: Partial<Use>): Use {
  const total = { ...sum };
  for (const key of Object.keys(more) as (keyof Use)[]) total[key] += more[key] ?? 0;
  return total;
}

/** How much of what a limit limits a run has used. */
export function usedOf(limit: BudgetKey, use: Use): number {
  switch (limit) {
    case 'turns':
      return use.turns;
    case 'callsPerRun':
      return use.calls;
    case 'minutes':
      return use.ms / 60_000;
    case 'tokens':
    case 'usd':
      return use[limit];
    default:
      return 0;
  }
}

const LIMITS = {
  turn: ['turns', 'minutes', 'tokens', 'usd'],
  call: ['minutes', 'callsPerRun'],
  answer: ['minutes', 'tokens', 'usd'],
} as const satisfies Record<Limited, readonly (keyof Limits | keyof RunBudget)[]>;

/** Counts what a run uses up, against what it may. A run that another run starts is handed the same meter. */
export class Meter {
  readonly #max: Limits & RunBudget;
  readonly #from: Allowance;
  readonly #now: () => number;
  readonly #shared: SharedBudget | undefined;
  readonly #isPriced: boolean;
  readonly #begun: number;
  #use: Use;
  #told = 0;
  #waiting = 0;
  #waitingSince = 0;
  #waitedMs = 0;

  /** `used` is what the run used before it paused or was interrupted; `isPriced`: what the model costs is known. */
  constructor(
    max: Limits & RunBudget,
    now: () => number,
    used: Use = NO_USE,
    from: Allowance = {},
    shared?: SharedBudget,
    isPriced = true,
  ) {
    this.#isPriced = isPriced;
    this.#max = max;
    this.#from = from;
    this.#now = now;
    this.#shared = shared;
    this.#begun = now();
    this.#use = { ...used };
  }

  /** Milliseconds in which the user was waited for. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waiting > 0 ? this.#now() - this.#waitingSince : 0);
  }

  get use(): Use {
    return { ...this.#use, ms: this.#use.ms + this.#worked };
  }

  spend(more: Partial<Omit<Use, 'ms'>>): void {
    const begins = this.#use.turns === 0 && more.turns !== undefined;
    for (const key of Object.keys(more) as (keyof typeof more)[]) this.#use[key] += more[key] ?? 0;
    if (!this.#shared) return;
    const worked = this.#worked;
    this.#shared.spend({ ...more, ms: worked - this.#told, ...(begins && { runs: 1 }) });
    this.#told = worked;
  }

  /** Milliseconds since this stretch of the run began. */
  get #worked(): number {
    return this.#now() - this.#begun - this.waitedMs;
  }

  /** Time in which the user is waited for costs nothing. */
  async waiting<T>(answer: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#waitingSince = this.#now();
    try {
      return await answer;
    } finally {
      if (--this.#waiting === 0) this.#waitedMs += this.#now() - this.#waitingSince;
    }
  }

  /** How many calls may still be made. */
  get callsLeft(): number {
    const ofRun = this.#max.callsPerRun + (this.#from.callsPerRun ?? 0) - this.#use.calls;
    return Math.max(0, Math.min(ofRun, this.#shared?.callsLeft() ?? ofRun));
  }

  /** The limit that ends the run here; `more` is what the answer that is coming in has used so far. */
  reached(what: Limited, more: Partial<Use> = {}): Reached | undefined {
    const use = addUse(this.use, more);
    const money = this.#max.usd ?? this.#shared?.usd;
    // A limit that can count nothing limits nothing: the user is asked once, before anything is spent.
    if (what === 'turn' && money !== undefined && !this.#isPriced && this.#from.price === undefined) return { limit: 'price', max: money };
    for (const limit of LIMITS[what]) {
      const base = this.#max[limit];
      if (base === undefined) continue;
      // With what it was let go on with: that is what the user is told is used up.
      const max = base + (this.#from[limit] ?? 0);
      if (usedOf(limit, use) < max) continue;
      return { limit, max, ...(limit === 'usd' && use.unpriced > 0 && { unpriced: use.unpriced }) };
    }
    return this.#shared?.reached(what, use.turns === 0, this.#from, { ...more, ms: this.#worked - this.#told });
  }
}

/** The budget of a run and its use: turns, calls, tokens, money and time. */

import type { Usage } from '../model/messages.ts';
import type { Limits } from '../session/events.ts';

/**
 * `ms` excludes the time in which the run waited for the user. `unpriced` counts the answers of unknown cost; `usd` includes them by an
 * estimate or not at all.
 */
export type Use = { turns: number; calls: number; tokens: number; usd: number; ms: number; unpriced: number };

export const NO_USE: Use = { turns: 0, calls: 0, tokens: 0, usd: 0, ms: 0, unpriced: 0 };

/** Limits of one run besides `Limits`. */
export type RunBudget = { tokens?: number; usd?: number };
/** Limits of all runs of a day together. */
export type DayBudget = { runs?: number; turns?: number; calls?: number; tokens?: number; usd?: number; minutes?: number };

/** `cooldown` is in seconds. `price` is reached when money is limited and the price of the model is unknown. */
export type BudgetKey = keyof Limits | keyof RunBudget | `day.${keyof DayBudget}` | 'runsPerMinute' | 'cooldown' | 'price';
/** `unpriced` counts the answers that are missing from the money that was counted, or only estimated. */
export type Reached = { limit: BudgetKey; max: number; unpriced?: number };

/** What a limit prevents: the next turn of the model, the next call, or the rest of the answer that is being received. */
export type Limited = 'turn' | 'call' | 'answer';

/** A limit was reached while an answer was received. */
export class LimitReached extends Error {
  readonly reached: Reached;

  constructor(reached: Reached) {
    super(`The limit ${reached.limit} was reached.`);
    this.name = 'LimitReached';
    this.reached = reached;
  }
}

/** Maps the limits with which the user let a run continue to the use at that time, from which they count again. */
export type Allowance = Partial<Record<BudgetKey, number>>;

/** A line of the day's ledger: what was used, that a run began or ended, or that the user raised a limit for the day. */
export type DayEntry = Partial<Use> & { at: number; runs?: number; ended?: true; raised?: BudgetKey };

/** The budget that all runs of a day share. `usd` is its limit in US dollars, if there is one. */
export type SharedBudget = {
  usd?: number;
  spend(more: Partial<Use> & { runs?: number }): void;
  /** Returns how many calls the day has left. */
  callsLeft(): number;
  /** `first` is true before the first turn of a run. `more` was used but not passed to `spend` yet. */
  reached(what: Limited, first: boolean, from: Allowance, more: Partial<Use>): Reached | undefined;
  /** Writes the remaining use to the ledger when the run pauses or ends. */
  flush(ended: boolean): void;
};

/** Estimated tokens of an answer that the service did not count, and the cost including them. */
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

/** Returns the use of a run in the unit of a limit. */
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

/** Counts the use of a run and compares it with the limits. A run that is started by another run gets the same meter. */
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

  /** `used` is the use of the run before it was paused or interrupted. `isPriced` is true when the price of the model is known. */
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

  /** The time in which the run waited for the user, in milliseconds. */
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

  /** Milliseconds of work since the run was started or resumed. */
  get #worked(): number {
    return this.#now() - this.#begun - this.waitedMs;
  }

  /** Excludes the time in which the run waits for the user. */
  async waiting<T>(answer: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#waitingSince = this.#now();
    try {
      return await answer;
    } finally {
      if (--this.#waiting === 0) this.#waitedMs += this.#now() - this.#waitingSince;
    }
  }

  /** The number of calls that are left. */
  get callsLeft(): number {
    const ofRun = this.#max.callsPerRun + (this.#from.callsPerRun ?? 0) - this.#use.calls;
    return Math.max(0, Math.min(ofRun, this.#shared?.callsLeft() ?? ofRun));
  }

  /** Returns the limit that stops the run now. `more` is the use of the answer that is being received. */
  reached(what: Limited, more: Partial<Use> = {}): Reached | undefined {
    const use = addUse(this.use, more);
    const money = this.#max.usd ?? this.#shared?.usd;
    // Without a price, a limit on money cannot be enforced, so the user is asked once before anything is spent.
    if (what === 'turn' && money !== undefined && !this.#isPriced && this.#from.price === undefined) return { limit: 'price', max: money };
    for (const limit of LIMITS[what]) {
      const base = this.#max[limit];
      if (base === undefined) continue;
      // The limit includes what the user added, because the message tells how much is used up.
      const max = base + (this.#from[limit] ?? 0);
      if (usedOf(limit, use) < max) continue;
      return { limit, max, ...(limit === 'usd' && use.unpriced > 0 && { unpriced: use.unpriced }) };
    }
    return this.#shared?.reached(what, use.turns === 0, this.#from, { ...more, ms: this.#worked - this.#told });
  }
}

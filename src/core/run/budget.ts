/** The budget of a run and its use: turns, calls, tokens, money and time. */

import { type Allowance, addUse, type BudgetKey, type Limits, type Reached, type RunBudget, type Use, usedOf } from '../session/limits.ts';

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

const LIMITS = {
  turn: ['turns', 'minutes', 'tokens', 'usd'],
  call: ['minutes', 'callsPerRun'],
  answer: ['minutes', 'tokens', 'usd'],
} as const satisfies Record<Limited, readonly (keyof Limits | keyof RunBudget)[]>;

/**
 * Compares the use of a run with its limits. The use is read from the state that is computed from the run's events; the meter itself stores only
 * how much of it the day's ledger already contains. A run that is started by another run gets the same meter.
 */
export class Meter {
  readonly #max: Limits & RunBudget;
  readonly #from: Allowance;
  readonly #used: () => Use;
  readonly #shared: SharedBudget | undefined;
  readonly #isPriced: boolean;
  #toldMs: number;

  /** `used` returns the use of the run up to now, over all pauses. `isPriced` is true when the price of the model is known. */
  constructor(max: Limits & RunBudget, used: () => Use, from: Allowance = {}, shared?: SharedBudget, isPriced = true) {
    this.#isPriced = isPriced;
    this.#max = max;
    this.#from = from;
    this.#used = used;
    this.#shared = shared;
    this.#toldMs = used().ms;
  }

  get use(): Use {
    return this.#used();
  }

  /** Writes use to the day's ledger, right before the event that contains it is logged. */
  spend(more: Partial<Omit<Use, 'ms'>>): void {
    if (!this.#shared) return;
    const { turns, ms } = this.use;
    const begins = turns === 0 && more.turns !== undefined;
    this.#shared.spend({ ...more, ms: ms - this.#toldMs, ...(begins && { runs: 1 }) });
    this.#toldMs = ms;
  }

  /** Writes the remaining use to the ledger when the run pauses or ends. */
  flush(ended: boolean): void {
    this.#shared?.flush(ended);
  }

  /** The number of calls that are left. */
  get callsLeft(): number {
    const ofRun = this.#max.callsPerRun + (this.#from.callsPerRun ?? 0) - this.use.calls;
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
    return this.#shared?.reached(what, use.turns === 0, this.#from, { ...more, ms: use.ms - this.#toldMs });
  }
}

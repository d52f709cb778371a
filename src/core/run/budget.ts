/** What a run may use up, and what it has: turns, calls, tokens, money and time. */

import { type Allowance, addUse, type BudgetKey, type Limits, type Reached, type RunBudget, type Use, usedOf } from '../session/limits.ts';

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

/** A line of a day's ledger: what was used, that a run began or ended, or that the user raised a limit for the day. */
export type DayEntry = Partial<Use> & { at: number; runs?: number; ended?: true; raised?: BudgetKey };

/** What all runs of a day share. `usd` is what they may cost, where that is limited. */
export type Shared = {
  usd?: number;
  spend(more: Partial<Use> & { runs?: number }): void;
  /** How many calls the day still has. */
  callsLeft(): number;
  /** `first` before a run's first turn; `more` is used up and not spent yet. */
  reached(what: Limited, first: boolean, from: Allowance, more: Partial<Use>): Reached | undefined;
  /** The run paused or ended. */
  settle(ended: boolean): void;
};

const LIMITS = {
  turn: ['turns', 'minutes', 'tokens', 'usd'],
  call: ['minutes', 'callsPerRun'],
  answer: ['minutes', 'tokens', 'usd'],
} as const satisfies Record<Limited, readonly (keyof Limits | keyof RunBudget)[]>;

/**
 * Holds what a run has used up against what it may. What it has used is read from the fold of its events, which is the only account of it; the
 * meter keeps nothing but what it has told the ledger of the day. A run that another run starts is handed the same meter.
 */
export class Meter {
  readonly #max: Limits & RunBudget;
  readonly #from: Allowance;
  readonly #used: () => Use;
  readonly #shared: Shared | undefined;
  readonly #isPriced: boolean;
  #toldMs: number;

  /** `used` reads what the run has used by now, over all pauses; `isPriced`: what the model costs is known. */
  constructor(max: Limits & RunBudget, used: () => Use, from: Allowance = {}, shared?: Shared, isPriced = true) {
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

  /** Tells the ledger of the day what is about to be used, before the event that says so is logged. */
  spend(more: Partial<Omit<Use, 'ms'>>): void {
    if (!this.#shared) return;
    const { turns, ms } = this.use;
    const begins = turns === 0 && more.turns !== undefined;
    this.#shared.spend({ ...more, ms: ms - this.#toldMs, ...(begins && { runs: 1 }) });
    this.#toldMs = ms;
  }

  /** The run paused or ended. */
  settle(ended: boolean): void {
    this.#shared?.settle(ended);
  }

  /** How many calls may still be made. */
  get callsLeft(): number {
    const ofRun = this.#max.callsPerRun + (this.#from.callsPerRun ?? 0) - this.use.calls;
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
    return this.#shared?.reached(what, use.turns === 0, this.#from, { ...more, ms: use.ms - this.#toldMs });
  }
}

/** Compares the turns, calls, tokens, cost and time of a run with its budget. */

import { type Allowance, addUse, type BudgetKey, type Reached, type RunLimits, type Use, usedOf } from '../session/limits.ts';

/**
 * The part of a run that a limit prevents: the next turn of the model, the next tool call, or the rest of the answer that is being
 * received.
 */
export type Limited = 'turn' | 'call' | 'answer';

/** Thrown when a limit is reached while an answer is received. */
export class LimitReached extends Error {
  readonly reached: Reached;

  constructor(reached: Reached) {
    super(`The limit ${reached.limit} was reached.`);
    this.name = 'LimitReached';
    this.reached = reached;
  }
}

/** A line of the daily ledger. It records usage, the start or end of a run, or that the user raised a limit for the day. */
export type DayEntry = Partial<Use> & { at: number; runs?: number; ended?: true; raised?: BudgetKey };

/** The budget that all runs of a day share. `usd` is its limit in US dollars, if it has such a limit. */
export type SharedBudget = {
  usd?: number;
  spend(more: Partial<Use> & { runs?: number }): void;
  /** Returns the number of tool calls that are left for the day. */
  callsLeft(): number;
  /**
   * Returns the daily limit that stops the run now. `first` is true before the first turn of a run. `more` is usage that was not passed to
   * `spend` yet.
   */
  reached(what: Limited, first: boolean, from: Allowance, more: Partial<Use>): Reached | undefined;
  /** Writes the remaining usage to the ledger when the run pauses or ends. */
  flush(ended: boolean): void;
};

const LIMITS = {
  turn: ['turns', 'minutes', 'tokens', 'usd'],
  call: ['minutes', 'callsPerRun'],
  answer: ['minutes', 'tokens', 'usd'],
} as const satisfies Record<Limited, readonly (keyof RunLimits)[]>;

/**
 * Compares the usage of a run with its limits. The usage is part of the run's state. The meter itself stores only how much working time it
 * has already passed to the daily ledger.
 */
export class Meter {
  readonly #max: () => RunLimits;
  readonly #from: Allowance;
  readonly #used: () => Use;
  readonly #shared: SharedBudget | undefined;
  readonly #isPriced: boolean;
  #toldMs: number;

  /**
   * `max` returns the limits, which the user can change during the run. `used` returns the usage of the run so far, across all pauses.
   * `isPriced` is true when the price of the model is known.
   */
  constructor(max: () => RunLimits, used: () => Use, from: Allowance = {}, shared?: SharedBudget, isPriced = true) {
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

  /** Passes usage to the daily ledger. This happens right before the event with this usage is logged. */
  spend(more: Partial<Omit<Use, 'ms'>>): void {
    if (!this.#shared) return;
    const { turns, ms } = this.use;
    const begins = turns === 0 && more.turns !== undefined;
    this.#shared.spend({ ...more, ms: ms - this.#toldMs, ...(begins && { runs: 1 }) });
    this.#toldMs = ms;
  }

  /** Writes the usage that is not in the ledger yet. This is called when the run pauses or ends. */
  flush(ended: boolean): void {
    this.#shared?.flush(ended);
  }

  get callsPerTurn(): number {
    return this.#max().callsPerTurn;
  }

  /** The number of tool calls that are left for the run. */
  get callsLeft(): number {
    const ofRun = this.#max().callsPerRun + (this.#from.callsPerRun ?? 0) - this.use.calls;
    return Math.max(0, Math.min(ofRun, this.#shared?.callsLeft() ?? ofRun));
  }

  /** Returns the limit that stops the run now. `more` is the usage of the answer that is being received. */
  reached(what: Limited, more: Partial<Use> = {}): Reached | undefined {
    const use = addUse(this.use, more);
    const limits = this.#max();
    const money = limits.usd ?? this.#shared?.usd;
    // Without a price, a cost limit cannot be enforced. The run therefore pauses once before the first request.
    if (what === 'turn' && money !== undefined && !this.#isPriced && this.#from.price === undefined) return { limit: 'price', max: money };
    for (const limit of LIMITS[what]) {
      const base = limits[limit];
      if (base === undefined) continue;
      // The reported limit includes extensions by the user, because the message compares it with the total usage.
      const max = base + (this.#from[limit] ?? 0);
      if (usedOf(limit, use) < max) continue;
      return { limit, max, ...(limit === 'usd' && use.unpriced > 0 && { unpriced: use.unpriced }) };
    }
    return this.#shared?.reached(what, use.turns === 0, this.#from, { ...more, ms: use.ms - this.#toldMs });
  }
}

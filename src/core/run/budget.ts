/** Compares the turns, calls, tokens, cost and time of a run with its budget. */

import { type Allowance, addUse, type BudgetKey, NO_USE, type Reached, type RunLimits, type Use, usedOf } from '../session/limits.ts';

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

/** The limits are compared after this many characters of all answers that are being received. */
const CHECK_CHARACTERS = 4_096;

/** Everything that a run with a parent has in addition to the budget that is left of its parent. */
type OwnLimits = { max: () => Partial<RunLimits>; used: () => Use; isPriced: boolean };

/**
 * Compares the usage of a run with its limits. The usage is part of the run's state. The meter itself stores how much working time it has
 * already passed to the daily ledger, and what is in progress. The usage of a child counts for its parent, and the limits of the parent
 * apply to the child.
 */
export class Meter {
  readonly #max: () => RunLimits;
  readonly #from: Allowance;
  readonly #used: () => Use;
  readonly #shared: SharedBudget | undefined;
  readonly #isPriced: boolean;
  /** The usage of the answers that this run and its children are receiving. */
  readonly #answers = new Set<() => Partial<Use>>();
  /** The calls of this run and its children that have no result yet. */
  #calls = 0;
  /** The characters that this run and its children have received since one of them last compared the limits. */
  #unchecked = 0;
  #parent: Meter | undefined;
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

  /** Returns the meter of a child run. It may have limits of its own, and spends from what is left of this meter. */
  forChild({ max, used, isPriced }: OwnLimits): Meter {
    const none = Number.POSITIVE_INFINITY;
    const limits = () => ({ turns: none, callsPerRun: none, minutes: none, callsPerTurn: this.callsPerTurn, ...max() });
    const child = new Meter(limits, used, {}, undefined, isPriced);
    child.#parent = this;
    return child;
  }

  get use(): Use {
    return this.#used();
  }

  /** Passes usage to the daily ledger. This happens right before the event with this usage is logged. */
  spend(more: Partial<Omit<Use, 'ms'>>): void {
    this.#parent?.spend(more);
    if (!this.#shared) return;
    const { turns, ms } = this.use;
    const begins = turns === 0 && more.turns !== undefined;
    this.#shared.spend({ ...more, ms: ms - this.#toldMs, ...(begins && { runs: 1 }) });
    this.#toldMs = ms;
  }

  /** Counts an answer while it is received. `use` returns its usage so far. @returns a function that is called when it is logged */
  receiving(use: () => Partial<Use>): () => void {
    const ended = this.#parent?.receiving(use);
    this.#answers.add(use);
    // The request alone can reach a limit, at which the answers that are already being received end.
    this.#unchecked = this.#answers.size > 1 ? CHECK_CHARACTERS : 0;
    return () => {
      this.#answers.delete(use);
      ended?.();
    };
  }

  /**
   * Counts characters of an answer that is being received. If a limit is reached, every other answer is compared at its next event, because
   * several runs can be receiving answers from one budget. @throws LimitReached
   */
  received(characters: number): void {
    let isDue = false;
    for (let meter: Meter | undefined = this; meter; meter = meter.#parent) {
      meter.#unchecked += characters;
      isDue ||= meter.#unchecked >= CHECK_CHARACTERS;
    }
    if (!isDue) return;
    this.check();
    for (let meter: Meter | undefined = this; meter; meter = meter.#parent) meter.#unchecked = 0;
  }

  /** @throws LimitReached when a limit cuts off the answers that are being received */
  check(): void {
    const reached = this.reached('answer');
    if (reached) throw new LimitReached(reached);
  }

  /** Counts a call while it is carried out. @returns a function that is called when it has a result */
  calling(): () => void {
    const ended = this.#parent?.calling();
    let left = 1;
    this.#calls++;
    return () => {
      this.#calls -= left;
      left = 0;
      ended?.();
    };
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
    const ofRun = this.#max().callsPerRun + (this.#from.callsPerRun ?? 0) - this.use.calls - this.#calls;
    const others = this.#parent?.callsLeft ?? this.#shared?.callsLeft() ?? ofRun;
    return Math.max(0, Math.min(ofRun, others));
  }

  /** The limit of money, and whether the user accepted that the price of the model is unknown. */
  get #money(): { max: number | undefined; isAccepted: boolean } {
    const above = this.#parent ? this.#parent.#money : undefined;
    const max = this.#max().usd ?? this.#shared?.usd ?? above?.max;
    return { max, isAccepted: this.#from.price !== undefined || above?.isAccepted === true };
  }

  /** Returns the limit that stops the run now. `more` is usage that is not in progress or logged. */
  reached(what: Limited, more: Partial<Use> = {}): Reached | undefined {
    const open = this.#inProgress(what, more);
    const use = addUse(this.use, open);
    const limits = this.#max();
    const money = this.#money;
    // Without a price, a cost limit cannot be enforced. The run therefore pauses once before the first request.
    if (what === 'turn' && money.max !== undefined && !this.#isPriced && !money.isAccepted) return { limit: 'price', max: money.max };
    for (const limit of LIMITS[what]) {
      const base = limits[limit];
      if (base === undefined) continue;
      // The reported limit includes extensions by the user, because the message compares it with the total usage.
      const max = base + (this.#from[limit] ?? 0);
      if (usedOf(limit, use) < max) continue;
      return { limit, max, ...(limit === 'usd' && use.unpriced > 0 && { unpriced: use.unpriced }) };
    }
    if (this.#parent) return this.#parent.reached(what, more);
    return this.#shared?.reached(what, use.turns === 0, this.#from, { ...open, ms: use.ms - this.#toldMs });
  }

  /** Calls that have no result yet count only where the next call would be one too many. */
  #inProgress(what: Limited, more: Partial<Use>): Partial<Use> {
    let sum = addUse(NO_USE, more);
    for (const answer of this.#answers) sum = addUse(sum, answer());
    return what === 'call' ? { ...sum, calls: sum.calls + this.#calls } : sum;
  }
}

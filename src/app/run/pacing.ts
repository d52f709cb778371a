import type { Pace } from '../../core/run/ports.ts';

/** How fast the user lets a run go: freely, step by step, or not at all. */
export class Pacing implements Pace {
  #left: number;

  constructor(steps = Number.POSITIVE_INFINITY) {
    this.#left = steps;
  }

  left(): number {
    return this.#left;
  }

  took(steps: number): void {
    // The user may have begun to hold it in between.
    this.#left = Math.max(0, this.#left - steps);
  }

  /** What is under way still ends. */
  hold(): void {
    this.#left = 0;
  }

  step(): void {
    this.#left = this.#left === Number.POSITIVE_INFINITY ? 0 : this.#left + 1;
  }

  /** Whether it was going to be held. */
  release(): boolean {
    const wasHeld = this.#left !== Number.POSITIVE_INFINITY;
    this.#left = Number.POSITIVE_INFINITY;
    return wasHeld;
  }
}

import type { Pace } from '../../core/run/ports.ts';

/** Controls how a run proceeds: without pauses, step by step, or not at all. */
export class Pacing implements Pace {
  #left: number;

  constructor(steps = Number.POSITIVE_INFINITY) {
    this.#left = steps;
  }

  left(): number {
    return this.#left;
  }

  took(steps: number): void {
    // The user may have paused the run while these steps were running.
    this.#left = Math.max(0, this.#left - steps);
  }

  /** Pauses the run. A tool call or model turn that is running is completed. */
  hold(): void {
    this.#left = 0;
  }

  step(): void {
    this.#left = this.#left === Number.POSITIVE_INFINITY ? 0 : this.#left + 1;
  }

  /** Lets the run proceed without pauses. @returns whether it was paused or in single-step mode. */
  release(): boolean {
    const wasHeld = this.#left !== Number.POSITIVE_INFINITY;
    this.#left = Number.POSITIVE_INFINITY;
    return wasHeld;
  }
}

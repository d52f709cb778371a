/**
 * Measures for how long the thread of the program cannot do other work. It counts processor time between two turns of its event loop, because
 * other programs may run at the same time.
 */

/** Since Node 23.9. */
type WithThreadUsage = { threadCpuUsage(previous?: NodeJS.CpuUsage): NodeJS.CpuUsage };

export class BlockedTime {
  readonly #timer = setInterval(() => this.#turn(), 1);
  #last = usage();
  #longest = 0;
  #total = 0;

  /** Returns the longest time and the total since the last call, in milliseconds. */
  take(): { longestMs: number; totalMs: number } {
    this.#turn();
    const figures = { longestMs: this.#longest, totalMs: this.#total };
    [this.#longest, this.#total] = [0, 0];
    return figures;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #turn(): void {
    const now = usage();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#total += now - this.#last;
    this.#last = now;
  }
}

function usage(): number {
  const { user, system } = (process as unknown as WithThreadUsage).threadCpuUsage();
  return (user + system) / 1_000;
}

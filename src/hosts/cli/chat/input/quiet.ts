/** Decides when a question may be answered by a key: when the user is not typing. Keys that are typed before go to the message. */

const QUIET_MS = 300;
/** A question can be answered only this long after the last key of a message, because people stop for a moment between words. */
const TYPING_MS = 1_000;

export class Quiet {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;

  /** Records that the user has typed a key of a message. */
  typed(): void {
    this.#typedAt = performance.now();
  }

  /** Calls `onQuiet` when the user is not typing. Another call takes the place of this one. */
  wait(onQuiet: () => void): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(
      () =>
        // Keys that were typed while the program was busy are read first. They start another wait.
        setImmediate(() => {
          if (this.#timer === timer) onQuiet();
        }),
      Math.max(QUIET_MS, this.#typedAt + TYPING_MS - performance.now()),
    );
    this.#timer = timer;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

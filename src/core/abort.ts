/** Helpers that stop waiting when a signal aborts, even if the aborted work ignores the signal. */

function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new DOMException('Stopped.', 'AbortError');
}

/** Returns true if a user or host stopped the work. Work that failed is aborted with its error as the reason. */
export function wasStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error | undefined)?.name === 'AbortError';
}

/** Settles like `work`, but rejects if `work` has not settled `graceMs` milliseconds after the signal aborts. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abandon = () => {
      if (graceMs > 0) setTimeout(() => reject(abortError(signal)), graceMs);
      else reject(abortError(signal));
    };
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}

/** Yields the items of `source`. Rejects when the signal aborts, even if `source` hangs. */
export async function* interruptible<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // `signal.aborted` is cached, because a combined signal checks all its sources whenever the property is read.
  let isAborted = signal.aborted;
  let abandon = () => {};
  // Racing each item with one promise for the abort would retain memory for every item until the stream ends.
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      abandon = () => reject(abortError(signal));
      iterator.next().then(resolve, reject);
    });
  const stop = () => {
    isAborted = true;
    abandon();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      if (isAborted) throw abortError(signal);
      const item = await next();
      if (isAborted) throw abortError(signal);
      if (item.done) return;
      yield item.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // The result of `return()` is not awaited, because it never arrives when the source hangs.
    void iterator.return?.()?.catch(() => undefined);
  }
}

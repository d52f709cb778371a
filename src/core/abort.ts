/** Stopping must not depend on the good manners of what is in flight: these give control back at once. */

function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new DOMException('Stopped.', 'AbortError');
}

/** Whether somebody stopped it. What ends for a failure is aborted with that as the reason. */
export function wasStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error | undefined)?.name === 'AbortError';
}

/** `work`, or a rejection at most `graceMs` after the signal aborts. The work itself is not waited for any longer. */
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

/** The items of `source` until the signal aborts, then a rejection, even where the source hangs. */
export async function* interruptible<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // Kept here, since a signal that is made of others looks at all of them whenever it is asked.
  let isAborted = signal.aborted;
  let abandon = () => {};
  // Not a race with one promise of the abort: that would keep something of every item until the end.
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
    // A source that hangs would hang its return() too.
    void iterator.return?.()?.catch(() => undefined);
  }
}

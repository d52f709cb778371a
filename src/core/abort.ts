/** Aborting must not depend on the code that is running: these helpers return control at once. */

function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new DOMException('Stopped.', 'AbortError');
}

/** Whether a user or host stopped the work. Work that failed is aborted with its error as the reason. */
export function wasStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error | undefined)?.name === 'AbortError';
}

/** Settles like `work`, or rejects at most `graceMs` milliseconds after the signal aborts. The work itself is then no longer awaited. */
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

/** Yields the items of `source` until the signal aborts, and then rejects, even if the source hangs. */
export async function* interruptible<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // This is cached, because a combined signal checks all its sources whenever it is read.
  let isAborted = signal.aborted;
  let abandon = () => {};
  // Racing each item with one promise for the abort would retain memory for every item until the end.
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
    // The return() of a source that hangs would hang, too.
    void iterator.return?.()?.catch(() => undefined);
  }
}

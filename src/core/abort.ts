/** Stopping must not depend on the good manners of what is in flight: these give control back at once. */

function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new DOMException('Stopped.', 'AbortError');
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
  let abandon: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abandon = () => reject(abortError(signal));
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
  });
  aborted.catch(() => undefined);
  try {
    for (;;) {
      if (signal.aborted) throw abortError(signal);
      const item = await Promise.race([iterator.next(), aborted]);
      if (signal.aborted) throw abortError(signal);
      if (item.done) return;
      yield item.value;
    }
  } finally {
    if (abandon) signal.removeEventListener('abort', abandon);
    // A source that hangs would hang its return() too.
    void iterator.return?.()?.catch(() => undefined);
  }
}

import { type ModelAdapter, ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../core/model/model.ts';

export type RetryOptions = {
  /** The maximum number of times a request is sent. */
  tries?: number;
  random?(): number;
  now?(): number;
  /** The time in milliseconds after which a silent server is reported. */
  noticedMs?: number;
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
};

/** The failures that are retried, because they are temporary: 429; 408, 409, 5xx and overload events; closed sockets and timeouts. */
const PASSING: ReadonlySet<ModelErrorKind> = new Set(['rate_limit', 'overloaded', 'network', 'timeout']);
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** The longest wait that a server can request, in milliseconds. If it requests a longer wait, the request fails and the user decides. */
const LONGEST_ASKED_MS = 120_000;
/**
 * The total duration of attempts, in milliseconds, after which there is no further attempt: a server that was silent for minutes is unlikely
 * to answer.
 */
const TRIED_ENOUGH_MS = 150_000;
/** The default of `noticedMs`. */
const NOTICED_MS = 30_000;

/**
 * Adds the only retry policy to an adapter. A request is repeated only if no part of its answer has been passed on; and an event announces
 * each wait.
 */
export function withRetry(adapter: ModelAdapter, options: RetryOptions = {}): ModelAdapter {
  const { tries: most = 5, random = Math.random, sleep = sleepUntil, now = () => performance.now(), noticedMs = NOTICED_MS } = options;
  /** The controllers that end current waits early. */
  const waits = new Set<AbortController>();

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let triedMs = 0;
    for (let attempt = 1; ; attempt++) {
      const begun = now();
      const skip = new AbortController();
      const events = adapter.stream(request, AbortSignal.any([signal, skip.signal]))[Symbol.asyncIterator]();
      let started = false;
      try {
        let next = events.next();
        if (!(await comesWithin(next, noticedMs))) {
          waits.add(skip);
          const waitMs = Math.max(0, (adapter.silenceMs ?? 0) - (now() - begun));
          yield { type: 'model_waiting', attempt, tries: most, reason: 'timeout', waitMs, silent: true };
        }
        for (let { done, value } = await next; !done; { done, value } = await next) {
          if (!started) waits.delete(skip);
          started = true;
          yield value;
          next = events.next();
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (skip.signal.aborted) {
          attempt--;
          continue;
        }
        triedMs += now() - begun;
        const tries = Math.min(most, (error as ModelError).tries ?? most);
        const isHopeless = !(error instanceof ModelError) || !PASSING.has(error.kind) || triedMs >= TRIED_ENOUGH_MS;
        if (started || attempt >= tries || isHopeless) throw error;
        const waitMs = delayBefore(attempt, error, random);
        if (waitMs > LONGEST_ASKED_MS) throw error;
        const wait = new AbortController();
        waits.add(wait);
        try {
          yield { type: 'model_waiting', attempt: attempt + 1, tries, reason: error.kind, waitMs };
          await sleep(waitMs, AbortSignal.any([signal, wait.signal]));
        } finally {
          waits.delete(wait);
        }
        signal.throwIfAborted();
      } finally {
        waits.delete(skip);
        void events.return?.()?.catch(() => undefined);
      }
    }
  }
  const retryNow = () => {
    for (const wait of waits) wait.abort();
  };
  return { ...adapter, stream, retryNow };
}

/** Returns true if the promise settles within `ms` milliseconds. */
async function comesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const comes = work.then(
    () => true,
    () => true,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
    // The pending request keeps the process alive; the timer must not.
    timer.unref?.();
  });
  try {
    return await Promise.race([comes, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the delay the server requested, or 1, 2, 4 … seconds, randomly shortened by up to half so that clients do not retry at the same
 * time.
 */
function delayBefore(attempt: number, error: ModelError, random: () => number): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.round(Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (1 - random() / 2));
}

function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

import { type ModelAdapter, ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../core/model/model.ts';

export type RetryOptions = {
  /** How often a request is sent at most. */
  tries?: number;
  random?(): number;
  now?(): number;
  /** After how long a silent server is told of. */
  noticedMs?: number;
  /** Resolves after that time, or as soon as the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
};

/** Failures that pass by themselves: 429; 408, 409, 5xx and overload events; dropped sockets and time-outs. */
const PASSING: ReadonlySet<ModelErrorKind> = new Set(['rate_limit', 'overloaded', 'network', 'timeout']);
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** A server that asks for more than this is not waited for: the user decides. */
const LONGEST_ASKED_MS = 120_000;
/** Tries that took so long together are enough: who was silent for minutes is not asked again. */
const TRIED_ENOUGH_MS = 150_000;
/** Silence of this length is told of. */
const NOTICED_MS = 30_000;

/** The one retry policy. A request is sent again only while nothing of its answer has been passed on; each wait is an event before it begins. */
export function withRetry(adapter: ModelAdapter, options: RetryOptions = {}): ModelAdapter {
  const { tries: most = 5, random = Math.random, sleep = sleepUntil, now = Date.now, noticedMs = NOTICED_MS } = options;
  /** What ends the waits that requests are in. */
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

/** Whether it comes, or fails, by then. */
async function comesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const comes = work.then(
    () => true,
    () => true,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
    // What is waited for keeps a program alive, or nothing does.
    timer.unref?.();
  });
  try {
    return await Promise.race([comes, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the server asked for; else 1, 2, 4 ... seconds, shortened at random by up to a half so that clients do not march in step. */
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

import { type ModelAdapter, ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../core/model.ts';

export type RetryOptions = {
  /** How often a request is sent at most. */
  tries?: number;
  random?(): number;
  /** Resolves after that time, or as soon as the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
};

/** Failures that pass by themselves: 429; 408, 409, 5xx and overload events; dropped sockets and time-outs. */
const PASSING: ReadonlySet<ModelErrorKind> = new Set(['rate_limit', 'overloaded', 'network']);
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** A server that asks for more than this is not waited for: the user decides. */
const LONGEST_ASKED_MS = 120_000;

/** The one retry policy. A request is sent again only while nothing of its answer has been passed on; each wait is an event before it begins. */
export function withRetry(adapter: ModelAdapter, options: RetryOptions = {}): ModelAdapter {
  const { tries = 5, random = Math.random, sleep = sleepUntil } = options;
  const waits = new Set<AbortController>();

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (let attempt = 1; ; attempt++) {
      let started = false;
      try {
        for await (const event of adapter.stream(request, signal)) {
          started = true;
          yield event;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (started || attempt >= tries || !(error instanceof ModelError) || !PASSING.has(error.kind)) throw error;
        const waitMs = delayBefore(attempt, error, random);
        if (waitMs > LONGEST_ASKED_MS) throw error;
        const skip = new AbortController();
        waits.add(skip);
        try {
          yield { type: 'model_waiting', attempt: attempt + 1, tries, reason: error.kind, waitMs };
          await sleep(waitMs, AbortSignal.any([signal, skip.signal]));
        } finally {
          waits.delete(skip);
        }
        signal.throwIfAborted();
      }
    }
  }
  const retryNow = () => {
    for (const skip of waits) skip.abort();
  };
  return { ...adapter, stream, retryNow };
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

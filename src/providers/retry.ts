import { type ModelAdapter, ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../core/model.ts';

export type Wait = { attempt: number; tries: number; delayMs: number; error: ModelError };

export type RetryOptions = {
  /** How often a request is sent at most. */
  tries?: number;
  /** Told before each wait, so that the user sees why nothing happens. */
  onWait?(wait: Wait): void;
  random?(): number;
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
};

/** Failures that pass by themselves: 429; 408, 409, 5xx and overload events; dropped sockets and time-outs. */
const PASSING: ReadonlySet<ModelErrorKind> = new Set(['rate_limit', 'overloaded', 'network']);
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** A server that asks for more than this is not waited for: the user decides. */
const LONGEST_ASKED_MS = 120_000;

/** The one retry policy. A request is sent again only while nothing of its answer has been passed on. */
export function withRetry(adapter: ModelAdapter, options: RetryOptions = {}): ModelAdapter {
  const { tries = 5, onWait, random = Math.random, sleep = abortableSleep } = options;

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
        const delayMs = delayBefore(attempt, error, random);
        if (delayMs > LONGEST_ASKED_MS) throw error;
        onWait?.({ attempt, tries, delayMs, error });
        await sleep(delayMs, signal);
      }
    }
  }
  return { stream };
}

/** What the server asked for; else 1, 2, 4 ... seconds, shortened at random by up to a half so that clients do not march in step. */
function delayBefore(attempt: number, error: ModelError, random: () => number): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.round(Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (1 - random() / 2));
}

function abortableSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

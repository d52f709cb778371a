/** Runs one exchange between an adapter and its server, from the request to the last event. */
import { ModelError, type ModelEvent } from '../core/model/model.ts';
import { modelError } from './errors.ts';
import type { Server } from './server.ts';

/** The maximum size, in characters, of what a reader collects without emitting it, such as signatures. */
const MAX_KEPT = 4_000_000;
/** The maximum number of parts that have begun but not ended. */
const MAX_OPEN = 1_000;

/**
 * The reason of the abort at the end of every exchange. It is created once, because recording a stack trace for each exchange would take
 * time.
 */
const OVER = new DOMException('The exchange is over.', 'AbortError');

/** Limits what a reader has not emitted. The consumer limits the emitted text. @throws ModelError if a limit is exceeded */
export function expectBounds(server: Server, kept: number, open: number): void {
  if (kept > MAX_KEPT || open > MAX_OPEN) throw modelError(server, 'bad_stream', 'the answer exceeds the size limit');
}

/**
 * Converts received items to events. The generator receives an item whenever it yields undefined. An undefined item marks the end of the
 * stream; if the stream fails, its error is thrown into the generator.
 */
export type Reader<T, R = void> = Generator<ModelEvent | undefined, R, T | undefined>;

/**
 * Runs one exchange with a server: opens its event stream and reads it to the end, so that the connection can be reused. The stream
 * is closed when reading fails, when the user aborts, or when the consumer stops early. Readers are synchronous and this
 * function is not an async generator, because each asynchronous step would add to the cost of every delta.
 * @param goesOn whether the answer continues in another exchange
 */
export function exchange<R>(
  signal: AbortSignal,
  open: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>,
  read: () => Reader<unknown, R>,
  explain: (error: unknown) => ModelError,
  goesOn: (result: R) => boolean = () => false,
): AsyncIterableIterator<ModelEvent> {
  type Step = IteratorResult<ModelEvent, undefined>;
  const end = new AbortController();
  let events: AsyncIterator<unknown>;
  let reader: Reader<unknown, R> | undefined;
  let over = false;
  /** The error with which the stream failed. */
  let broken: unknown;

  const leave = (): Step => {
    over = true;
    end.abort(OVER);
    return { done: true, value: undefined };
  };
  const failed = (error: unknown): unknown => {
    leave();
    // Several SDKs end an aborted stream as if it were complete, or throw a different error.
    if (signal.aborted) return signal.reason;
    return error instanceof ModelError ? error : explain(error);
  };
  const begin = async (): Promise<Step> => {
    try {
      signal.throwIfAborted();
      events = (await open(AbortSignal.any([signal, end.signal])))[Symbol.asyncIterator]();
    } catch (error) {
      throw failed(error);
    }
    reader = read();
    return await proceed(undefined);
  };
  /** Passes one item to the reader. If the reader emits nothing, the next item is requested. */
  const proceed = (given: unknown, isError = false): Step | Promise<Step> => {
    try {
      const made = isError ? (reader as Reader<unknown, R>).throw(given) : (reader as Reader<unknown, R>).next(given);
      if (made.done) return finish(made.value);
      return made.value ? (made as Step) : events.next().then(feed, fail);
    } catch (error) {
      // A reader may first emit the received parts and then rethrow the error with which the stream failed.
      throw failed(error === broken ? error : ofReader(error));
    }
  };
  // Some servers send `null` to keep the connection alive. Undefined marks a complete answer, although the stream may not have ended.
  const feed = ({ done, value }: IteratorResult<unknown>) => proceed(done ? undefined : value === null ? {} : value);
  const fail = (error: unknown) => {
    broken = error;
    return proceed(error, true);
  };
  const finish = async (result: R): Promise<Step> => {
    await runOut(events);
    return goesOn(result) ? await begin() : leave();
  };

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (over) return Promise.resolve(leave());
      try {
        return Promise.resolve(reader ? proceed(undefined) : begin());
      } catch (error) {
        return Promise.reject(error);
      }
    },
    return: () => Promise.resolve(leave()),
  };
}

/**
 * Readers trust the types of the API. If a server violates them, the resulting TypeError or RangeError would not help the user, so it is
 * replaced.
 */
function ofReader(error: unknown): unknown {
  const isForm = error instanceof TypeError || error instanceof RangeError;
  return isForm ? new Error('part of the answer does not follow the API') : error;
}

/**
 * Reads the rest of a stream for at most `ms` milliseconds, because a connection can be reused only after its response was read to the
 * end.
 */
async function runOut(rest: AsyncIterator<unknown>, ms = 100): Promise<void> {
  const drain = async () => {
    while (!(await rest.next()).done);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  // The answer is complete, so anything after its closing event is ignored.
  await Promise.race([drain().catch(() => undefined), enough]);
  clearTimeout(timer);
}

/** One exchange of every adapter with its server: from the request to the last event. */
import { ModelError, type ModelEvent } from '../core/model/model.ts';
import { modelError } from './errors.ts';
import type { Server } from './server.ts';

/** Characters or things that a reader keeps until the end of an answer without telling of them, such as signatures. */
const MAX_KEPT = 4_000_000;
/** Parts of an answer that have begun and did not end. */
const MAX_OPEN = 1_000;

/** What is told of as it comes is bounded by who asked for it. @throws ModelError */
export function expectBounds(server: Server, kept: number, open: number): void {
  if (kept > MAX_KEPT || open > MAX_OPEN) throw modelError(server, 'bad_stream', 'it is longer than any answer can be');
}

/** Makes events of what a wire brings. It is handed each thing where it yields nothing, undefined at the end, and a failure as a throw. */
export type Reader<T, R = void> = Generator<ModelEvent | undefined, R, T | undefined>;

/**
 * One exchange with a server: opens its event stream, has it read, lets the connection serve the next request where it can,
 * and closes it in every other case: when reading fails, when the user aborts, when the consumer leaves early. Readers are
 * synchronous and this is no generator, for each asynchronous step would be paid with every delta.
 * @param goesOn whether the answer goes on in another exchange
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
  /** What the stream failed with. */
  let broken: unknown;

  const leave = (): Step => {
    over = true;
    end.abort();
    return { done: true, value: undefined };
  };
  const failed = (error: unknown): unknown => {
    leave();
    // Several SDKs end a stream that was aborted as if it were whole, or throw something of their own.
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
  /** Has one thing read, and asks for more where nothing comes of it. */
  const proceed = (given: unknown, isError = false): Step | Promise<Step> => {
    try {
      const made = isError ? (reader as Reader<unknown, R>).throw(given) : (reader as Reader<unknown, R>).next(given);
      if (made.done) return finish(made.value);
      return made.value ? (made as Step) : events.next().then(feed, fail);
    } catch (error) {
      // A reader may tell what had come before it throws on what the stream failed with.
      throw failed(error === broken ? error : ofReader(error));
    }
  };
  // Some servers send `null` to keep the connection.
  const feed = ({ done, value }: IteratorResult<unknown>) => proceed(done ? undefined : (value ?? {}));
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

/** Readers trust the types of their wire. What they throw where a server does not keep to them speaks of code, and tells the user nothing. */
function ofReader(error: unknown): unknown {
  const isForm = error instanceof TypeError || error instanceof RangeError;
  return isForm ? new Error('a part of it has another form than the API says') : error;
}

/** A connection can be used again only after its answer was read to the end. Most end at once; no one waits for the others. */
async function runOut(rest: AsyncIterator<unknown>, ms = 100): Promise<void> {
  const drain = async () => {
    while (!(await rest.next()).done);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  // The answer is whole: what happens behind its closing event is of no interest.
  await Promise.race([drain().catch(() => undefined), enough]);
  clearTimeout(timer);
}

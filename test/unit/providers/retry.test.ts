import assert from 'node:assert/strict';
import {
  type ModelAdapter,
  ModelError,
  type ModelErrorKind,
  type ModelEvent,
  type ModelRequest,
  type ModelWaiting,
} from '../../../src/core/model/model.ts';
import { waitingText } from '../../../src/core/words/retry-text.ts';
import { type RetryOptions, withRetry } from '../../../src/providers/retry.ts';
import { withoutLongTimers } from '../../support/clock.ts';

const request: ModelRequest = { model: 'm', system: '', messages: [], tools: [] };
const stop: ModelEvent = { type: 'stop', reason: 'end_turn' };
const fail = (kind: ModelErrorKind, retryAfterMs?: number) =>
  new ModelError(kind, 'No.', retryAfterMs === undefined ? {} : { retryAfterMs });

/** Each attempt yields its events and throws its error, if it has one. */
function scripted(...attempts: (ModelEvent | Error)[][]): ModelAdapter & { asked: number } {
  return {
    asked: 0,
    async *stream() {
      for (const step of attempts[this.asked++] ?? []) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
}

/** Waits are recorded instead of slept. */
async function run(adapter: ModelAdapter, options: RetryOptions = {}) {
  const slept: number[] = [];
  const waits: ModelWaiting[] = [];
  const sleep = async (ms: number) => void slept.push(ms);
  const retrying = withRetry(adapter, { random: () => 0, sleep, ...options });
  const events: ModelEvent[] = [];
  let error: unknown;
  try {
    for await (const event of retrying.stream(request, new AbortController().signal)) {
      if (event.type === 'model_waiting') waits.push(event);
      else events.push(event);
    }
  } catch (thrown) {
    error = thrown;
  }
  return { slept, waits, events, error };
}

describe('retry', () => {
  for (const kind of ['rate_limit', 'overloaded', 'network', 'timeout'] as const) {
    it(`tries again after ${kind}`, async () => {
      const adapter = scripted([fail(kind)], [stop]);
      const { events, slept, error } = await run(adapter);
      assert.deepEqual(events, [stop]);
      assert.deepEqual(slept, [1000]);
      assert.equal(error, undefined);
    });
  }

  for (const kind of ['auth', 'unknown_model', 'no_credit', 'context_overflow', 'invalid_request', 'bad_stream', 'empty_answer'] as const) {
    it(`does not try again after ${kind}`, async () => {
      const adapter = scripted([fail(kind)], [stop]);
      const { slept, error } = await run(adapter);
      assert.ok(error instanceof ModelError && error.kind === kind);
      assert.deepEqual([adapter.asked, slept], [1, []]);
    });
  }

  it('sends a request five times at most, and waits longer each time', async () => {
    const adapter = scripted(...Array.from({ length: 9 }, () => [fail('overloaded')]));
    const { slept, waits, error } = await run(adapter);
    assert.ok(error instanceof ModelError);
    assert.equal(adapter.asked, 5);
    assert.deepEqual(slept, [1000, 2000, 4000, 8000]);
    assert.deepEqual(
      waits.map(({ attempt, tries, reason, waitMs }) => [attempt, tries, reason, waitMs]),
      [
        [2, 5, 'overloaded', 1000],
        [3, 5, 'overloaded', 2000],
        [4, 5, 'overloaded', 4000],
        [5, 5, 'overloaded', 8000],
      ],
    );
  });

  it('sends a request at most as often as its error allows', async () => {
    for (const tries of [1, 2]) {
      const adapter = scripted(...Array.from({ length: 9 }, () => [new ModelError('network', 'No.', { tries })]));
      const { waits } = await run(adapter);
      assert.deepEqual([adapter.asked, waits.map((wait) => wait.tries)], [tries, tries === 1 ? [] : [2]]);
    }
  });

  for (const [minutes, asked] of [
    [5, 1],
    [2, 2],
    [1, 3],
  ]) {
    it(`sends ${asked} requests to a server that was silent for ${minutes} minutes`, async () => {
      let time = 0;
      let count = 0;
      const silent: ModelAdapter = {
        async *stream() {
          count++;
          time += (minutes as number) * 60_000;
          yield* [];
          throw fail('timeout');
        },
      };
      const { error } = await run(silent, { now: () => time });
      assert.ok(error instanceof ModelError && error.kind === 'timeout');
      assert.equal(count, asked);
    });
  }

  it('waits at most 30 seconds by default', async () => {
    const { slept } = await run(scripted(...Array.from({ length: 9 }, () => [fail('overloaded')])), { tries: 8 });
    assert.deepEqual(slept, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('shortens a wait at random, by at most half', async () => {
    const { slept } = await run(scripted([fail('overloaded')], [fail('overloaded')], [stop]), { random: () => 0.999 });
    assert.deepEqual(slept, [500, 1001]);
  });

  it('waits as long as the server requests', async () => {
    const { slept } = await run(scripted([fail('rate_limit', 45_000)], [fail('rate_limit', 0)], [stop]), { random: () => 0.5 });
    assert.deepEqual(slept, [45_000, 0]);
  });

  it('does not wait if the server requests more than two minutes', async () => {
    const adapter = scripted([fail('rate_limit', 3_600_000)], [stop]);
    const { slept, error } = await run(adapter);
    assert.deepEqual([adapter.asked, slept], [1, []]);
    assert.ok(error instanceof ModelError);
  });

  it('never retries after part of the answer was passed on', async () => {
    const delta: ModelEvent = { type: 'text_delta', text: 'Hal' };
    const adapter = scripted([delta, fail('network')], [stop]);
    const { events, error } = await run(adapter);
    assert.deepEqual(events, [delta]);
    assert.ok(error instanceof ModelError && error.kind === 'network');
    assert.equal(adapter.asked, 1);
  });

  it('never retries after an unknown error', async () => {
    const adapter = scripted([new TypeError('a bug')], [stop]);
    assert.ok((await run(adapter)).error instanceof TypeError);
    assert.equal(adapter.asked, 1);
  });

  /** Runs `act` as soon as the wait has begun. */
  async function duringWait(adapter: ModelAdapter, signal: AbortSignal, act: () => void): Promise<ModelEvent[]> {
    const events: ModelEvent[] = [];
    for await (const event of adapter.stream(request, signal)) {
      events.push(event);
      if (event.type === 'model_waiting') setImmediate(act);
    }
    return events;
  }

  it('stops waiting when the user stops the run', async () => {
    const adapter = scripted([fail('rate_limit', 60_000)], [stop]);
    const controller = new AbortController();
    const stopped = () => duringWait(withRetry(adapter), controller.signal, () => controller.abort());
    await withoutLongTimers(() => assert.rejects(stopped, { name: 'AbortError' }));
    assert.equal(adapter.asked, 1);
  });

  it('retries immediately on request, but only while it waits', async () => {
    const adapter = scripted([fail('rate_limit', 60_000)], [stop]);
    const retrying = withRetry(adapter);
    retrying.retryNow?.();
    const events = await withoutLongTimers(() => duringWait(retrying, new AbortController().signal, () => retrying.retryNow?.()));
    assert.deepEqual(events, [{ type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 60_000 }, stop]);
  });

  describe('for a silent server', () => {
    /** Answers the second request immediately, and the first when `answer` is called. */
    function slow() {
      const told = { answer: () => {}, asked: 0 };
      const adapter: ModelAdapter = {
        silenceMs: 90_000,
        async *stream(_request, signal) {
          if (told.asked++ === 0)
            await new Promise<void>((resolve, reject) => {
              told.answer = resolve;
              signal.addEventListener('abort', () => reject(signal.reason), { once: true });
            });
          yield stop;
        },
      };
      return { told, adapter: withRetry(adapter, { noticedMs: 1, now: () => 0 }) };
    }
    const notice = { type: 'model_waiting', attempt: 1, tries: 5, reason: 'timeout', waitMs: 90_000, silent: true } as const;

    it('reports the silence and the remaining time, and continues to wait', async () => {
      const { told, adapter } = slow();
      assert.deepEqual(await duringWait(adapter, new AbortController().signal, () => told.answer()), [notice, stop]);
      assert.equal(told.asked, 1);
      assert.equal(waitingText(notice, 90_000), 'The model has not answered yet. Waiting up to 2 min more');
      assert.equal(waitingText(notice, 0), 'The model has not answered yet. Still waiting');
    });

    it('repeats the request on request', async () => {
      const { told, adapter } = slow();
      assert.deepEqual(await duringWait(adapter, new AbortController().signal, () => adapter.retryNow?.()), [notice, stop]);
      assert.equal(told.asked, 2);
    });

    it('stops when the user stops', async () => {
      const { told, adapter } = slow();
      const controller = new AbortController();
      await assert.rejects(
        duringWait(adapter, controller.signal, () => controller.abort()),
        { name: 'AbortError' },
      );
      assert.equal(told.asked, 1);
    });

    it('does not interrupt an answer that has begun', async () => {
      const { told, adapter } = slow();
      const events: ModelEvent[] = [];
      for await (const event of adapter.stream(request, new AbortController().signal)) {
        events.push(event);
        if (event.type === 'model_waiting') told.answer();
        else adapter.retryNow?.();
      }
      assert.deepEqual(events, [notice, stop]);
    });
  });
});

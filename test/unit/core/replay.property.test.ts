import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isDurable } from '../../../src/core/session/events.ts';
import { copiedEvents } from '../../../src/core/session/fork.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { emptySession } from '../../../src/core/session/session-state.ts';
import { applyValidEvents } from '../../../src/core/session/valid-events.ts';
import { replayOf } from '../../../src/core/view/replay.ts';
import { randomLog } from '../../support/random-logs.ts';

const choices = fc.array(fc.nat(1_000), { minLength: 5, maxLength: 120 });

describe('a replay', () => {
  it('yields the events of a log in order, and waits at most two seconds', () => {
    fc.assert(
      fc.property(choices, (numbers) => {
        const log = randomLog(numbers).filter(isDurable);
        const replayed = [...replayOf(log, { speed: 2 })];
        assert.deepEqual(
          replayed.map(({ event }) => event),
          log,
        );
        assert.ok(replayed.every(({ waitMs }) => waitMs >= 0 && waitMs <= 1_000));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a copy of the beginning of a session', () => {
  it('is a valid session in which nothing is open, granted or running, wherever it ends', () => {
    fc.assert(
      fc.property(choices, fc.nat(200), (numbers, until) => {
        const log = randomLog(numbers).filter(isDurable);
        const copied = copiedEvents(log, { until, opening: { type: 'session_forked', parent: { sessionId: 's', seq: until }, at: 1 } });
        const state = emptySession();
        assert.equal(applyValidEvents(state, copied).length, copied.length);
        assert.deepEqual([state.pendingApprovals.size, state.pendingQuestions.size, state.queue.size, state.open.length], [0, 0, 0, 0]);
        assert.deepEqual(state.grants, []);
        assert.ok(state.lastRun === undefined || state.lastRun.status === 'finished');
        const begun = foldSession(log.filter(({ seq }) => seq <= until));
        assert.deepEqual([...state.runs.keys()], [...begun.runs.keys()]);
        assert.deepEqual(
          state.staged.map(({ change }) => change),
          begun.staged.map(({ change }) => change),
        );
        const messages = begun.messages.length;
        assert.deepEqual(state.messages.slice(0, messages), begun.messages.slice());
      }),
      { numRuns: 100 },
    );
  });
});

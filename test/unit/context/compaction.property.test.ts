/** A compaction never loses the required content, for random conversations and sizes of the window. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sentAfter } from '../../../src/core/context/compacted.ts';
import { callsOf, type Message } from '../../../src/core/model/messages.ts';
import { type AgentEvent, isDurable } from '../../../src/core/session/events.ts';
import { foldSession, reduce, sentMessages } from '../../../src/core/session/reduce.ts';
import { emptySession, type SessionState } from '../../../src/core/session/session-state.ts';
import { randomLog } from '../../support/random-logs.ts';

const logs = fc
  .array(fc.nat(9_999), { minLength: 200, maxLength: 700, size: 'max' })
  .map((choices) => randomLog(choices).filter(isDurable));

/** Calls `check` after each event, and returns the number of compactions. */
function follow(events: readonly AgentEvent[], check: (state: SessionState, event: AgentEvent) => void): number {
  const state = emptySession();
  for (const event of events) {
    reduce(state, event);
    check(state, event);
  }
  return events.filter(({ type }) => type === 'context_compacted').length;
}

/** @throws if a call has no result in the next message, or a result has no call */
function everyCallHasItsResult(messages: readonly Message[], open: number): void {
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role !== 'tool') assert.deepEqual(waiting, []);
    if (message.role === 'tool') {
      assert.deepEqual(
        message.content.map(({ callId }) => callId),
        waiting,
      );
      waiting = [];
    } else waiting = callsOf(message).map(({ id }) => id);
  }
  assert.equal(waiting.length, open);
}

describe('a compacted conversation', () => {
  it('has a result for every call, and a call for every result', () => {
    let compactions = 0;
    fc.assert(
      fc.property(logs, (events) => {
        compactions += follow(events, (state) => everyCallHasItsResult(sentMessages(state), state.open.length));
      }),
    );
    assert.ok(compactions > 20, `${compactions} compactions`);
  });

  it('contains every message of the user word for word', () => {
    fc.assert(
      fc.property(logs, (events) => {
        follow(events, (state, { type }) => {
          const { messages, compaction } = state;
          if (type !== 'context_compacted') return;
          const told = sentMessages(state).flatMap((message) =>
            message.role === 'user' ? message.content.map((part) => ('text' in part ? part.text : '')) : [],
          );
          for (const message of messages)
            for (const part of message.role === 'user' ? message.content : [])
              if (part.type === 'text' && part.text.length <= (compaction?.promptChars ?? 0))
                assert.ok(told.includes(part.text), part.text);
        });
      }),
    );
  });

  it('depends on the log alone, and only grows until the next compaction', () => {
    fc.assert(
      fc.property(logs, (events) => {
        let before: readonly Message[] = [];
        follow(events, (state, { type }) => {
          const sent = sentMessages(state);
          if (type !== 'context_compacted') for (const [index, message] of before.entries()) assert.equal(sent[index], message);
          before = [...sent];
        });
        const folded = foldSession(events);
        const { messages, compaction } = folded;
        const sent = sentMessages(folded);
        assert.deepEqual(sent, before);
        const again = sentMessages(foldSession(JSON.parse(JSON.stringify(events))));
        assert.deepEqual(again, sent);
        const whole = compaction ? sentAfter(messages, compaction) : sent;
        assert.deepEqual(whole, sent);
      }),
    );
  });
});

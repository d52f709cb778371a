/** What the fold of a log comes to, where many events or their order could mislead it. */
import assert from 'node:assert/strict';
import type { AgentEvent, EventBody } from '../../../src/core/events.ts';
import { isStuck } from '../../../src/core/repeats.ts';
import { foldSession } from '../../../src/core/session.ts';

const model = { provider: 'p', model: 'm' };
const limits = { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 };
const asked = (...ids: string[]): EventBody => ({
  type: 'message_added',
  message: {
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_call', id, name: 'read_file', input: { path: id.replace(/\d/, '') } })),
    from: model,
    stop: 'tool_use',
  },
});
const ended = (callId: string): EventBody => ({
  type: 'tool_finished',
  callId,
  result: { type: 'tool_result', callId, name: 'read_file', content: [] },
  durationMs: 0,
});
const started: EventBody = { type: 'run_started', mode: 'agent', prompt: 'go', model, limits };
const logOf = (bodies: EventBody[]): AgentEvent[] => bodies.map((body, index) => ({ ...body, runId: 'r', seq: index + 1, at: index }));

describe('calls that run side by side', () => {
  it('go round in circles in whichever order they end', () => {
    const log = logOf([
      started,
      ...[asked('a1', 'b1'), ended('a1'), ended('b1')],
      ...[asked('a2', 'b2'), ended('b2'), ended('a2')],
      ...[asked('a3', 'b3'), ended('a3'), ended('b3')],
      ...[asked('a4', 'b4'), ended('b4')],
    ]);
    assert.equal(isStuck(foldSession(log).recent), false);
    assert.equal(isStuck(foldSession([...log, ...logOf([ended('a4')])]).recent), true);
  });
});

describe('a very long log', () => {
  const writing = (count: number): AgentEvent[] => {
    const change = { path: 'a.txt', kind: 'edit', before: 'x', after: 'y', added: 1, removed: 1 } as const;
    return logOf([
      started,
      ...Array.from({ length: count }, (_, index): EventBody[] => [
        asked(`c${index}`),
        { type: 'changes_staged', callId: `c${index}`, changes: [change] },
        { type: 'file_changed', callId: `c${index}`, changes: [{ ...change, diff: '' }] },
        ended(`c${index}`),
      ]).flat(),
    ]);
  };

  it('is folded in a time that grows with it, and no faster', () => {
    const measure = (log: AgentEvent[]) => {
      const runs = Array.from({ length: 5 }, () => {
        const begun = performance.now();
        assert.ok(foldSession(log).staged.every(({ landed }) => landed));
        return performance.now() - begun;
      });
      return Math.min(...runs);
    };
    const [short, long] = [writing(2_000), writing(16_000)];
    measure(short);
    const [once, eight] = [measure(short), measure(long)];
    // Eight times as long; where each event looked at all that was written before it, it would be 64 times.
    assert.ok(eight < 24 * once, `${once.toFixed(1)} ms and ${eight.toFixed(1)} ms`);
  });
});

/** Tests the fold of logs in which the number or order of events could lead to a wrong state. */
import assert from 'node:assert/strict';
import type { AgentEvent, EventBody } from '../../../src/core/session/events.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { isStuck } from '../../../src/core/session/repeats.ts';

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

describe('parallel calls', () => {
  it('are detected as a cycle in whichever order they end', () => {
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

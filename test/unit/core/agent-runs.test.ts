import assert from 'node:assert/strict';
import { agentUses } from '../../../src/core/insights/agent-runs.ts';
import { addEvent, emptyDigest } from '../../../src/core/insights/fold.ts';
import type { AgentEvent, EventBody } from '../../../src/core/session/events.ts';
import type { RunAgent } from '../../../src/core/session/shapes/run-agent.ts';

const REVIEWER: RunAgent = { name: 'reviewer', source: 'shipped', digest: 'd', prompt: 'Look.' };
const MODEL = { provider: 'offline', model: 'offline' } as const;

let seq = 0;
function started(runId: string, at: number, agent?: RunAgent): AgentEvent {
  const body = { type: 'run_started', mode: 'ask', model: MODEL, prompt: 'p', limits: {}, ...(agent && { agent }) };
  return { ...body, runId, seq: ++seq, at } as unknown as AgentEvent;
}
function later(runId: string, at: number, body: EventBody): AgentEvent {
  return { ...body, runId, seq: ++seq, at } as AgentEvent;
}
function digestOf(events: readonly AgentEvent[]) {
  const digest = emptyDigest();
  for (const event of events) addEvent(digest, event);
  return digest;
}
const finished = (outcome: 'answered' | 'failed') => ({ type: 'run_finished', outcome }) as EventBody;

describe('the use of agents', () => {
  beforeEach(() => {
    seq = 0;
  });

  it('counts the runs of an agent, also as a child, by how they ended last and were rated last', () => {
    const { agentRuns } = digestOf([
      started('a', 10, REVIEWER),
      later('a', 11, finished('failed')),
      later('a', 12, { type: 'run_resumed' } as EventBody),
      later('a', 13, finished('answered')),
      later('a', 14, { type: 'answer_rated', rating: 'down' } as EventBody),
      later('a', 15, { type: 'answer_rated', rating: 'up' } as EventBody),
      started('b', 20),
      started('b.1', 21, REVIEWER),
      later('b.1', 22, finished('failed')),
      later('b', 23, finished('answered')),
      started('c', 30, REVIEWER),
    ]);
    const other = digestOf([started('d', 5, { ...REVIEWER, name: 'coder' })]).agentRuns;
    assert.deepEqual(Object.fromEntries(agentUses([agentRuns, other])), {
      reviewer: { runs: 3, ended: { answered: 1, failed: 1, open: 1 }, up: 1, down: 0, last: 30 },
      coder: { runs: 1, ended: { open: 1 }, up: 0, down: 0, last: 5 },
    });
  });

  it('leaves out what happened in another session or on another computer', () => {
    const copied = [started('a', 10, REVIEWER), later('a', 11, finished('answered'))];
    const fork = later('', 12, { type: 'session_forked', copied: 2, from: { sessionId: 's', seq: 2 } } as unknown as EventBody);
    assert.deepEqual(digestOf([{ ...fork, seq: 0.5 } as AgentEvent, ...copied]).agentRuns, {});
    seq = 2;
    assert.deepEqual(digestOf([...copied, later('', 12, { type: 'session_imported' } as EventBody)]).agentRuns, {});
  });
});

/** The log of a long session, and the memory that it takes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AgentEvent, EventBody } from '../../src/core/session/events.ts';

const MODEL = { provider: 'scripted', model: 'scripted' };
const LIMITS = { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 };

/** The events of a session whose runs read files, three events for each call. The results fill the log up to this size. */
export function eventsOf(runs: number, count: number, bytes: number): AgentEvent[] {
  const perRun = Math.floor(count / runs);
  const calls = Math.floor((perRun - 4) / 3);
  const line = 'const level = tideLevel(hour) + draught(boat); // the harbour\n';
  const text = line.repeat(Math.max(1, Math.floor((bytes / (runs * calls) - 600) / line.length)));
  const events: AgentEvent[] = [];
  const add = (runId: string, body: EventBody) => events.push({ ...body, runId, seq: events.length + 1, at: events.length } as AgentEvent);
  for (let run = 0; run < runs; run++) {
    const id = `run-${run}`;
    const prompt = `How deep is the harbour at hour ${run}?`;
    add(id, { type: 'run_started', mode: 'ask', prompt, model: MODEL, limits: LIMITS });
    add(id, { type: 'message_added', message: { role: 'user', content: [{ type: 'text', text: prompt }] } });
    for (let at = 0; at < calls; at++) {
      const callId = `call-${run}-${at}`;
      const call = { type: 'tool_call', id: callId, name: 'read_file', input: { path: `src/tide-${at}.ts` } } as const;
      add(id, { type: 'message_added', message: { role: 'assistant', content: [call], from: MODEL, stop: 'tool_use' } });
      const title = `Read src/tide-${at}.ts`;
      const decision = { kind: 'allow', rule: 'read-only', reason: 'It only reads.' } as const;
      add(id, { type: 'tool_started', callId, name: 'read_file', title, effect: 'readonly', targets: [], decision });
      const result = { type: 'tool_result', callId, name: 'read_file', content: [{ type: 'text', text }] } as const;
      add(id, { type: 'tool_finished', callId, result: { ...result, content: [...result.content] }, durationMs: 1 });
    }
    const answer = { type: 'text', text: `It is **${run} m** deep, see \`src/tide.ts:${run}\`.` } as const;
    add(id, { type: 'message_added', message: { role: 'assistant', content: [answer], from: MODEL, stop: 'end_turn' } });
    add(id, { type: 'run_finished', outcome: 'answered', usage: {}, durationMs: 1 });
  }
  return events;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
/** Returns megabytes. Buffers are freed only some time after they were collected. */
export async function heapNow(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

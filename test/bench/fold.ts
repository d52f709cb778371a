/**
 * Measures how long it takes to open a session: its log is read, each event is checked, and the state is computed from the events. Opening a
 * log that is eight times as long should take eight times as long.
 */
import type { EventBody } from '../../src/core/session/events.ts';
import { emptySession } from '../../src/core/session/session-state.ts';
import { applyValidEvents } from '../../src/core/session/valid-events.ts';
import { readView } from '../../src/core/view/session-view.ts';
import { readLines } from '../../src/sessions/log-lines.ts';

const model = { provider: 'p', model: 'm' };
const started: EventBody = {
  type: 'run_started',
  mode: 'agent',
  prompt: 'go',
  model,
  limits: { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 },
};

/** Returns the events of a run that edits the same file again and again, with four events for each edit. */
function writing(count: number): Buffer {
  const change = { path: 'a.txt', kind: 'edit', before: 'x', after: 'y', added: 1, removed: 1 } as const;
  const edit = (callId: string): EventBody[] => [
    {
      type: 'message_added',
      message: { role: 'assistant', content: [{ type: 'tool_call', id: callId, name: 'edit', input: {} }], from: model, stop: 'tool_use' },
    },
    { type: 'changes_staged', callId, changes: [change] },
    { type: 'file_changed', callId, changes: [{ ...change, diff: '' }] },
    { type: 'tool_finished', callId, result: { type: 'tool_result', callId, name: 'edit', content: [] }, durationMs: 0 },
  ];
  const bodies = [started, ...Array.from({ length: count }, (_, index) => edit(`c${index}`)).flat()];
  return Buffer.from(bodies.map((body, index) => `${JSON.stringify({ ...body, runId: 'r', seq: index + 1, at: index })}\n`).join(''));
}

function measure(log: Buffer): number {
  const runs = Array.from({ length: 9 }, () => {
    const begun = performance.now();
    const state = emptySession();
    applyValidEvents(state, readLines(log).events);
    if (state.staged.length === 0 || !state.staged.every(({ landed }) => landed)) throw new Error('The fold lost a change.');
    return performance.now() - begun;
  });
  return Math.min(...runs);
}

/** `growth` is the time for eight times as many events, divided by eight times the time. */
export function measureFold(): { msAt20000: number; viewMsAt20000: number; growth: number } {
  const [short, long] = [writing(2_500), writing(20_000)];
  measure(short);
  const { events } = readLines(writing(5_000));
  const begun = performance.now();
  if (readView(events).runs.length !== 1) throw new Error('The view lost a run.');
  const viewMsAt20000 = performance.now() - begun;
  return { viewMsAt20000, msAt20000: measure(writing(5_000)), growth: measure(long) / (8 * measure(short)) };
}

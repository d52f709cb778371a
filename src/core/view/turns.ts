/** Changes the turns and calls in the view of a run. */

import { type AssistantMessage, brokeOffInside, endedUnsaid } from '../model/messages.ts';
import { type CallView, type RunView, type TurnView, turnOf } from './run-view.ts';

export const newTurn = (turn: number): TurnView => ({ turn, text: '', reasoning: '', settled: false, calls: [] });
const newCall = (id: string, name: string): CallView => ({ id, name, status: 'queued', targets: [], asked: [], changes: [] });

/** Changes the turn that is being streamed. With `open`, adds a turn if the last turn is complete. */
export function inLastTurn(run: RunView, change: (turn: TurnView) => TurnView, open = false): RunView {
  const last = run.turns.at(-1);
  if (!last || (open && last.settled)) return { ...run, turns: [...run.turns, change(newTurn((last?.turn ?? 0) + 1))] };
  return { ...run, turns: [...run.turns.slice(0, -1), change(last)] };
}

/** Changes a call. A call that the run does not contain is added to the last turn. */
export function inCall(run: RunView, id: string, name: string, change: (call: CallView) => CallView): RunView {
  const index = turnOf(run, id);
  const turn = run.turns[index];
  if (!turn) return inLastTurn(run, (last) => ({ ...last, calls: [...last.calls, change(newCall(id, name))] }));
  const calls = turn.calls.map((call) => (call.id === id ? change(call) : call));
  return { ...run, turns: run.turns.with(index, { ...turn, calls }) };
}

/** Replaces the streamed part of a turn with the complete message. */
export function settle(turn: TurnView, message: AssistantMessage): TurnView {
  const { draft: _, ...rest } = turn;
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n\n');
  const known = new Map(turn.calls.map((call) => [call.id, call]));
  const calls = message.content.flatMap((part) => {
    if (part.type !== 'tool_call') return [];
    const call = known.get(part.id) ?? newCall(part.id, part.name);
    known.delete(part.id);
    return [{ ...call, input: part.input, malformed: part.malformed, problem: part.problem }];
  });
  const brokeOff = brokeOffInside(message);
  // An answer that was cut off before its first text keeps the reasoning that was streamed.
  return {
    ...rest,
    text,
    reasoning: endedUnsaid(message) ? turn.reasoning : reasoning,
    settled: true,
    ...(brokeOff && { brokeOff }),
    calls: [...calls, ...known.values()],
  };
}

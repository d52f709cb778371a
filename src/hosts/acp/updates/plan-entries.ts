/** Plans and to-do lists as the entries that clients display. */
import type { PlanEntry } from '@agentclientprotocol/sdk';
import type { Plan } from '../../../core/plan/plan.ts';
import type { TodoItem } from '../../../core/session/events.ts';
import type { SessionState, StepStates } from '../../../core/session/session-state.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';

const TODO_STATUS = { open: 'pending', doing: 'in_progress', done: 'completed' } as const;

/** Returns the steps of the plan of the last run, or else the to-do list of the model. */
export function entriesOf({ lastRun, todo }: Pick<SessionState, 'lastRun' | 'todo'>): PlanEntry[] {
  return lastRun?.plan ? planEntries(lastRun.plan, lastRun.steps) : todo.map(todoEntry);
}

export function planEntries({ steps }: Plan, states: StepStates = {}): PlanEntry[] {
  return steps.map(({ title, agent }, index) => {
    const state = states[index + 1]?.status;
    const remark = state === 'failed' || state === 'skipped' ? ` (${state})` : '';
    const status = state === undefined ? 'pending' : state === 'started' ? 'in_progress' : 'completed';
    const by = agent === undefined ? '' : ` (agent ${visibleLine(agent)})`;
    return { content: `${visibleLine(title)}${by}${remark}`, priority: 'medium', status };
  });
}

function todoEntry({ text, state }: TodoItem): PlanEntry {
  return { content: visibleLine(text), priority: 'medium', status: TODO_STATUS[state] };
}

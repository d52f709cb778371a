/** Applies the event with which a run starts. */

import { finishedSteps } from '../plan/progress.ts';
import type { AgentEvent } from './events.ts';
import { NO_USE } from './limits.ts';
import { type MutableSessionState, queuedText } from './session-state.ts';
import { titleOf } from './title.ts';

export function reduceRunStarted(state: MutableSessionState, event: Extract<AgentEvent, { type: 'run_started' }>): void {
  const { runId, mode, model, prompt, plan, revises, applies, edits, attachments, worktree, parent, agent } = event;
  const resumed = event.resumes === undefined ? undefined : state.runs.get(event.resumes);
  const steps = finishedSteps(resumed?.steps ?? {});
  state.title ||= titleOf(prompt);
  const fresh = {
    status: 'live',
    usage: {},
    cost: {},
    used: NO_USE,
    from: {},
    changed: false,
    stagedBefore: state.staged.length,
    messagesBefore: state.messages.length,
    hasOpening: state.queue.size > 0 && prompt === queuedText(state),
  } as const;
  const ties = {
    ...(plan && { plan }),
    ...(revises && { revises }),
    ...(applies && { applies }),
    ...(edits && { edits }),
    ...(attachments && { attachments }),
    ...(worktree !== undefined && { worktree }),
    ...(parent && { parent }),
    ...(agent && { agent }),
  };
  state.lastRun = { runId, mode, model, prompt, ...ties, steps, endChecks: resumed?.endChecks ?? [], ...fresh };
  for (const covers of event.grants ?? []) state.grants.push({ scope: 'run', covers, runId });
  if (!parent) state.children.clear();
  state.runs.set(runId, state.lastRun);
  if (worktree !== undefined) state.worktree = worktree;
  // A plan may be carried out, and code applied, without the agent that the user chose.
  if (!plan && !applies) state.agent = agent?.name;
  state.recent = [];
  if (!event.resumes) state.todo = [];
}

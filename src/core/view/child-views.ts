/** The views of the child runs of a run. What waits for the user is also in the view of the parent, where the user answers. */

import { isWithin } from '../session/children/child-ids.ts';
import type { AgentEvent } from '../session/events.ts';
import { newRun, type RunView } from './run-view.ts';

type Fold = (run: RunView, event: AgentEvent) => RunView;

/** Applies an event of a child, or of a child of it, to the view of a run. `write` applies the changes of one that works in the same place. */
export function reduceChild(before: RunView, event: AgentEvent, fold: Fold, write: Fold): RunView {
  const children = before.children ?? [];
  const at = children.findIndex(({ id }) => isWithin(event.runId, id));
  const child = at >= 0 ? children[at] : event.type === 'run_started' ? newRun(event.runId) : undefined;
  if (!child) return before;
  const after = fold(child, event);
  const run = after.writes !== child.writes && after.worktree === before.worktree ? write(before, event) : before;
  const { waiting: _, ...asked } = askedAfter(run, event);
  const folded = at >= 0 ? children.with(at, after) : [...children, after];
  const waiting = folded.find((each) => each.waiting)?.waiting;
  return { ...asked, ...(waiting && { waiting }), children: folded };
}

/** Returns the run with the approvals and questions that wait for the user after an event. */
export function askedAfter(run: RunView, event: AgentEvent): RunView {
  const { approvals, questions } = run;
  switch (event.type) {
    case 'approval_requested':
      // When the effect of a call has changed, a new request replaces the earlier request for the same call.
      return { ...run, approvals: [...approvals.filter(({ callId }) => callId !== event.callId), event] };
    case 'approval_resolved':
      return { ...run, approvals: approvals.filter(({ approvalId }) => approvalId !== event.approvalId) };
    case 'question_asked':
      return { ...run, questions: [...questions.filter(({ questionId }) => questionId !== event.questionId), event] };
    case 'question_answered':
      return { ...run, questions: questions.filter(({ questionId }) => questionId !== event.questionId) };
    case 'tool_finished':
      return { ...run, questions: questions.filter(({ callId }) => callId !== event.callId) };
    case 'run_finished': {
      const isOther = ({ runId }: { runId: string }) => !isWithin(runId, event.runId);
      return { ...run, approvals: approvals.filter(isOther), questions: questions.filter(isOther) };
    }
    default:
      return run;
  }
}

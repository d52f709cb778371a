/** Tracks the approvals and questions that wait for the user. Those of a child run are pending in its parent, too. */

import type { AgentEvent } from '../events.ts';
import type { MutableSessionState } from '../session-state.ts';

export function reducePending({ pendingApprovals, pendingQuestions }: MutableSessionState, event: AgentEvent): void {
  switch (event.type) {
    case 'approval_requested':
      // When the effect of a call has changed, a new request replaces the earlier request for the same call.
      for (const [id, { callId }] of pendingApprovals) if (callId === event.callId) pendingApprovals.delete(id);
      pendingApprovals.set(event.approvalId, event);
      break;
    case 'approval_resolved':
      pendingApprovals.delete(event.approvalId);
      break;
    case 'question_asked':
      pendingQuestions.set(event.questionId, event);
      break;
    case 'question_answered':
      pendingQuestions.delete(event.questionId);
      break;
    case 'tool_finished':
      // A server can end a call without waiting for the answer.
      for (const [id, { callId }] of pendingQuestions) if (callId === event.callId) pendingQuestions.delete(id);
      break;
    case 'run_finished':
      for (const pending of [pendingApprovals, pendingQuestions])
        for (const [id, { runId }] of pending) if (runId === event.runId || runId.startsWith(`${event.runId}.`)) pending.delete(id);
      break;
  }
}

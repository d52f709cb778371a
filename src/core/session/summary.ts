/** Summarizes a session for lists. Only a few of its events are needed, so a list does not have to read and validate whole logs. */

import type { ModelRef } from '../model/messages.ts';
import { isChildRun, isWithin } from './children/child-ids.ts';
import type { AgentEvent, EventBody, Mode, SessionParent } from './events.ts';
import { titleOf } from './title.ts';

/** `waiting`: a question, an approval or a plan waits for the user. A session whose last run the user stopped is `done`. */
export type SessionStatus = 'running' | 'waiting' | 'paused' | 'failed' | 'done';

/** A run of a session whose prompt is another version of the prompt of the run `edits`. `at` is the time of its start. */
export type PromptEdit = { runId: string; edits: string; at: number };

/** `live` means that the run had not ended when its last event was logged. */
export type SessionSummary = {
  title: string;
  status: 'live' | Exclude<SessionStatus, 'running'>;
  mode?: Mode;
  model?: ModelRef;
  /** The name of the agent of the last run. */
  agent?: string;
  startedAt?: number;
  isPinned?: true;
  parent?: SessionParent;
  isImported?: true;
  edits?: readonly PromptEdit[];
  /** The runs and ids of the approvals and questions that are not answered: `run id`. */
  pending: readonly string[];
  /** Whether the newest plan is not confirmed yet. */
  isProposing?: true;
};

export const NO_SUMMARY: SessionSummary = { title: '', status: 'done', pending: [] };

/** The events that change a summary. */
export const SUMMARIZED: ReadonlySet<string> = new Set<EventBody['type']>([
  'run_started',
  'run_paused',
  'run_resumed',
  'run_finished',
  'approval_requested',
  'approval_resolved',
  'question_asked',
  'question_answered',
  'plan_resolved',
  'session_renamed',
  'session_titled',
  'session_pinned',
  'session_forked',
  'session_imported',
]);

export function summarize(summary: SessionSummary, event: AgentEvent): SessionSummary {
  // Only what a child run asks the user concerns the session, until the child has ended.
  if (isChildRun(event.runId) && event.type.startsWith('run_')) return event.type === 'run_finished' ? withoutRun(summary, event) : summary;
  switch (event.type) {
    case 'run_started': {
      const { mode, model, prompt, at, runId, edits, agent } = event;
      const { agent: _, ...before } = withoutProposal(summary);
      const title = summary.title || titleOf(prompt);
      const begun = {
        ...before,
        title,
        mode,
        model,
        ...(agent && { agent: agent.name }),
        startedAt: summary.startedAt ?? at,
        status: 'live',
        pending: [],
      } as const;
      return edits === undefined ? begun : { ...begun, edits: [...(summary.edits ?? []), { runId, edits, at }] };
    }
    case 'run_resumed':
      return { ...summary, status: 'live' };
    case 'run_paused':
      return { ...summary, status: 'paused' };
    case 'run_finished':
      if (event.outcome === 'plan_proposed') return { ...summary, status: 'waiting', pending: [], isProposing: true };
      return { ...summary, status: event.outcome === 'failed' ? 'failed' : 'done', pending: [] };
    case 'plan_resolved':
      return summary.isProposing ? { ...withoutProposal(summary), status: 'done' } : summary;
    case 'approval_requested':
      return waitingFor(summary, event, event.approvalId, true);
    case 'approval_resolved':
      return waitingFor(summary, event, event.approvalId, false);
    case 'question_asked':
      return waitingFor(summary, event, event.questionId, true);
    case 'question_answered':
      return waitingFor(summary, event, event.questionId, false);
    case 'session_renamed':
    case 'session_titled':
      return { ...summary, title: event.title };
    case 'session_pinned': {
      const { isPinned: _, ...rest } = summary;
      return event.pinned ? { ...rest, isPinned: true } : rest;
    }
    case 'session_forked':
      return { ...summary, parent: event.parent };
    case 'session_imported':
      return { ...withoutProposal(summary), isImported: true, status: summary.isProposing ? 'done' : summary.status };
    default:
      return summary;
  }
}

function withoutProposal({ isProposing: _, ...summary }: SessionSummary): SessionSummary {
  return summary;
}

function waitingFor(summary: SessionSummary, { runId }: AgentEvent, id: string, isOpen: boolean): SessionSummary {
  const others = summary.pending.filter((each) => idOf(each) !== id);
  return { ...summary, pending: isOpen ? [...others, `${runId} ${id}`] : others };
}

function withoutRun(summary: SessionSummary, { runId }: AgentEvent): SessionSummary {
  return { ...summary, pending: summary.pending.filter((each) => !isWithin(each.slice(0, each.indexOf(' ')), runId)) };
}

/** An id of a question can contain spaces. The id of a run does not. */
function idOf(pending: string): string {
  return pending.slice(pending.indexOf(' ') + 1);
}

/** @param isHeld whether a process is writing to the log */
export function statusOf({ status, pending }: SessionSummary, isHeld: boolean): SessionStatus {
  if (pending.length > 0) return 'waiting';
  if (status === 'live') return isHeld ? 'running' : 'paused';
  return status;
}

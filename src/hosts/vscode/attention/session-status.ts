/** Describes the status of a session in a few words, for the status bar item or a notification. */

import type { Session } from '../../../app/session/session.ts';
import { isChildRun, isWithin } from '../../../core/session/children/child-ids.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import type { RunRecord } from '../../../core/session/session-state.ts';
import { reduceRun } from '../../../core/view/reduce-run.ts';
import { type CallView, findCall, newRun } from '../../../core/view/run-view.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';

/** `text` is a short sentence or title for the user, without invisible characters. */
export type SessionStatus = { kind: 'idle' } | { kind: 'running' | 'waiting' | 'failed' | 'done'; text: string };

/** The longest text that is shown. */
const MAX_TEXT = 120;

const PAUSED = {
  limit: 'The run paused at a limit. You can continue it.',
  repeating: 'The run paused because the model is repeating itself.',
  max_tokens: 'The answer was cut off. You can continue it.',
} as const;

type Followed = Pick<Session, 'state' | 'events' | 'running' | 'waiting'>;

/** This is called for each event, so it reads only a few events from the log, however long the session is. */
export function statusOf(session: Followed): SessionStatus {
  const { state, running } = session;
  const run = state.lastRun;
  if (!run) return { kind: 'idle' };
  if (run.status === 'finished') return endOf(session, run);
  const ofRun = ({ runId }: { runId: string }) => isWithin(runId, run.runId);
  const approval = [...state.pendingApprovals.values()].find(ofRun);
  if (approval) return { kind: 'waiting', text: shorten(`${visibleLine(approval.title)}?`) };
  const asked = [...state.pendingQuestions.values()].find(ofRun);
  if (asked) return { kind: 'waiting', text: shorten(visibleLine(asked.question.text)) };
  if (run.status === 'paused') {
    const reason = run.pause ?? '';
    return reason in PAUSED ? { kind: 'waiting', text: PAUSED[reason as keyof typeof PAUSED] } : { kind: 'idle' };
  }
  return running ? { kind: 'running', text: stepOf(session, run) } : { kind: 'idle' };
}

function endOf({ state, events }: Followed, { runId, outcome }: RunRecord): SessionStatus {
  if (outcome === 'failed') {
    const error = events.ofType('run_finished', runId).at(-1)?.error;
    return { kind: 'failed', text: shorten(error?.message ?? 'The run failed.') };
  }
  const proposal = outcome === 'plan_proposed' ? [...state.plans.values()].at(-1) : undefined;
  if (proposal) return proposal.status === 'proposed' ? { kind: 'waiting', text: 'The plan is ready for your review.' } : { kind: 'idle' };
  return outcome === 'stopped' ? { kind: 'idle' } : { kind: 'done', text: 'The run is done.' };
}

/** Returns the progress of a run: the current step of the plan, or else the running tool call. */
function stepOf(session: Followed, { plan, steps }: RunRecord): string {
  if (session.waiting) return 'Waiting to try again';
  const started = plan?.steps.findIndex((_, index) => steps[index + 1]?.status === 'started') ?? -1;
  if (plan && started >= 0) return `Step ${started + 1} of ${plan.steps.length}`;
  const call = runningCall(session);
  return call?.title ? shorten(visibleLine(call.title)) : 'Thinking';
}

/** The events that decide whether a call that has no result is running. */
const ABOUT_CALLS: ReadonlySet<AgentEvent['type']> = new Set([
  'tool_started',
  'approval_requested',
  'approval_resolved',
  'question_asked',
  'question_answered',
]);

/** Returns the last running call of the current turn. The answer that made the open calls is the last message in the log. */
function runningCall({ state, events }: Followed): CallView | undefined {
  const open = state.open.filter(({ id }) => !state.results.has(id));
  if (open.length === 0) return undefined;
  const answer = events.lastIndex(({ type, runId }) => type === 'message_added' && !isChildRun(runId));
  const turn = events.select(({ type }) => ABOUT_CALLS.has(type), Math.max(0, answer));
  const run = turn.reduce(reduceRun, newRun(''));
  return open.map(({ id }) => findCall(run, id)).findLast((call) => call?.status === 'running');
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

/** Filters the events of a log. Valid events are in order and refer only to runs, calls and questions of earlier events. */

import type { Compaction } from '../context/compacted.ts';
import { callsOf } from '../model/messages.ts';
import { isPossibleChild, stateOf } from './children/child-state.ts';
import { type AgentEvent, isSessionEvent } from './events.ts';
import { reduce } from './reduce.ts';
import type { MutableSessionState, SessionState } from './session-state.ts';

/**
 * Applies logged events to the state, except invalid ones: duplicates, events out of order, and events of an unknown run, call or question.
 * Returns the events that were applied.
 */
export function applyValidEvents(state: MutableSessionState, logged: readonly AgentEvent[]): AgentEvent[] {
  return inOrder(state, logged).filter((event) => applyIfValid(state, event));
}

/**
 * Applies an event to the state if it is valid. For events whose numbers rise, the results are the same as those of `applyValidEvents`, without
 * keeping all events. @returns whether it is valid
 */
export function applyIfValid(state: MutableSessionState, event: AgentEvent): boolean {
  const isRight = isValidNext(state, event);
  if (isRight) reduce(state, event);
  return isRight;
}

/** Returns true if the event can follow the events that the state contains. */
export function isValidNext(state: SessionState, event: AgentEvent): boolean {
  if (event.seq <= state.seq) return false;
  if (isSessionEvent(event)) return true;
  if (event.type === 'run_started') return !state.runs.has(event.runId) && isPossibleChild(state, event);
  const own = stateOf(state, event.runId);
  const run = own?.runs.get(event.runId);
  if (!own || !run) return false;
  switch (event.type) {
    case 'message_added': {
      const ids = callsOf(event.message).map(({ id }) => id);
      return new Set(ids).size === ids.length && !ids.some((id) => state.callIds.has(id));
    }
    case 'tool_started':
    case 'approval_requested':
    case 'question_asked':
      return isOpen(own, event.callId);
    case 'tool_finished':
      return isOpen(own, event.callId) && event.result.callId === event.callId;
    case 'approval_resolved':
      return state.pendingApprovals.get(event.approvalId)?.callId === event.callId;
    case 'question_answered':
      return state.pendingQuestions.get(event.questionId)?.callId === event.callId;
    case 'context_compacted':
      return isPossible(own, event);
    case 'plan_resolved':
      return state.plans.has(event.planId);
    case 'plan_step':
    case 'step_checked':
    case 'plan_checked':
    case 'step_rolled_back':
      return run.plan?.id === event.planId;
    case 'plan_revised':
      return run.plan?.id === event.plan.id;
    case 'changes_undone':
      return state.runs.has(event.undoneRunId);
    case 'changes_restored':
      return 'undoId' in event.to || state.runs.has(event.to.runId);
    default:
      // A recorded write counts for undo even when the message that requested it is lost.
      return true;
  }
}

/** Returns true if a compaction separates no call from its result. */
function isPossible({ messages, open }: SessionState, { keepFrom, shortenBefore }: Compaction): boolean {
  const isBoundary = (at: number) => at === messages.length || (messages.roleAt(at) ?? 'tool') !== 'tool';
  return open.length === 0 && keepFrom <= shortenBefore && isBoundary(keepFrom) && isBoundary(shortenBefore);
}

/** Returns true if the call belongs to the last answer and has no result yet. */
function isOpen({ open, results }: SessionState, callId: string): boolean {
  return !results.has(callId) && open.some(({ id }) => id === callId);
}

/** Returns the events that have rising sequence numbers and belong to the session or to a run whose start is in the log. */
function inOrder({ runs, children, seq: newest }: SessionState, logged: readonly AgentEvent[]): AgentEvent[] {
  const begun = new Set([...runs.keys(), ...children.keys()]);
  for (const event of logged) if (event.type === 'run_started') begun.add(event.runId);
  const own = logged.filter((event) => event.seq > newest && (begun.has(event.runId) || isSessionEvent(event)));
  return own.every(({ seq }, index) => index === 0 || seq > (own[index - 1] as AgentEvent).seq) ? own : longestRising(own);
}

/**
 * Returns the longest subsequence with rising sequence numbers. A wrong number, or lines of another log, therefore do not invalidate other
 * events. Of two events with the same number, the first is kept.
 */
function longestRising(events: readonly AgentEvent[]): AgentEvent[] {
  /**
   * For each chain length, the index of the last event of a chain. Of all chains with this length, it is the one that ends with the lowest
   * number.
   */
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  const seqAt = (index: number) => (events[index] as AgentEvent).seq;
  for (let index = 0; index < events.length; index++) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (seqAt(ends[middle] as number) < seqAt(index)) low = middle + 1;
      else high = middle;
    }
    before.push(ends[low - 1]);
    const end = ends[low];
    if (end === undefined || seqAt(end) > seqAt(index)) ends[low] = index;
  }
  const chain: AgentEvent[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) chain.push(events[at] as AgentEvent);
  return chain.reverse();
}

/**
 * The states of child runs. A child has its own conversation and its own calls. What belongs to the session is shared by reference: permissions,
 * rules, answers and what was learned about models.
 */

import type { AgentEvent } from '../events.ts';
import { emptySession, type MutableSessionState, type SessionState } from '../session-state.ts';
import { childNumber, isChildRun, isWithin } from './child-ids.ts';

type Started = Extract<AgentEvent, { type: 'run_started' }>;

/** Returns the state in which the events of a run are folded, or undefined if the run has ended or is unknown. */
export function stateOf<State extends SessionState>(state: State, runId: string): State | undefined {
  if (!isChildRun(runId)) return state;
  return state.children.get(runId) as State | undefined;
}

export function addChild(state: MutableSessionState, parent: MutableSessionState, { runId, at }: Started): MutableSessionState {
  const { ratios, windows, approvals, questionAnswers, callIds, grants, rules, children } = state;
  const shared = { ratios, windows, approvals, questionAnswers, callIds, grants, rules, children };
  const child = { ...emptySession(state.messages.empty()), ...shared, seq: state.seq, at };
  children.set(runId, child);
  if (parent.lastRun) parent.lastRun.children = childNumber(runId, parent.lastRun.runId);
  return child;
}

/** Returns true if the run can start: in an open call of a live run, which has no other child, or to apply what its child changed. */
export function isPossibleChild(state: SessionState, { runId, parent, applies }: Started): boolean {
  if (!parent) return !isChildRun(runId);
  const above = stateOf(state, parent.runId);
  const run = above?.lastRun;
  if (!above || run?.runId !== parent.runId || run.status !== 'live') return false;
  if (parent.depth !== (run.parent?.depth ?? 0) + 1 || childNumber(runId, parent.runId) <= (run.children ?? 0)) return false;
  const isOpen = above.open.some(({ id }) => id === parent.callId) && !above.results.has(parent.callId);
  const child = childOf(state, parent.callId)?.lastRun;
  if (!applies) return isOpen && child === undefined;
  const isDone = child?.status === 'finished' && 'worktree' in applies && child.worktree === applies.worktree;
  return isOpen && isDone && applierOf(state, parent.callId) === undefined;
}

/** Returns the child run that a call has started. */
export function childOf({ children }: SessionState, callId: string): SessionState | undefined {
  return [...children.values()].find(({ lastRun }) => lastRun?.parent?.callId === callId && !lastRun.applies);
}

/** Returns the run in which the user applies what the child of a call changed in a worktree. */
export function applierOf({ children }: SessionState, callId: string): SessionState | undefined {
  return [...children.values()].find(({ lastRun }) => lastRun?.parent?.callId === callId && lastRun.applies);
}

/** Returns true for a child run in a worktree of its own, which changes nothing of the user. */
export function isElsewhere(state: SessionState, runId: string): boolean {
  const worktree = isChildRun(runId) ? stateOf(state, runId)?.lastRun?.worktree : undefined;
  return worktree !== undefined && worktree !== state.lastRun?.worktree;
}

/** Returns the states of the runs that a child works for, innermost first. */
export function ancestorsOf(state: MutableSessionState, child: SessionState): MutableSessionState[] {
  const parent = child.lastRun?.parent;
  const above = parent && stateOf(state, parent.runId);
  return above ? [above, ...(above === state ? [] : ancestorsOf(state, above))] : [];
}

/** Forgets the children of a run that has ended, or of one of its calls. Their events are in the log. */
export function forgetChildren({ children }: MutableSessionState, runId: string, callId?: string): void {
  for (const [id, { lastRun }] of children) {
    const parent = lastRun?.parent;
    if (callId === undefined ? id !== runId && isWithin(id, runId) : parent?.callId === callId) {
      for (const inner of [...children.keys()]) if (isWithin(inner, id)) children.delete(inner);
    }
  }
}

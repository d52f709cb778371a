/**
 * The reducer, the only code that changes the state of a session. A run applies each event when it happens. A reload applies the same
 * events from the log and gets the same state.
 */

import { type Compaction, sentAfter } from '../context/compacted.ts';
import { noTokens, totalOf } from '../context/tokens.ts';
import { modelKey, ratioOf } from '../context/window.ts';
import type { List } from '../list.ts';
import { brokeOffInside, callsOf, isOfServer, isSent, type Message, orphanResult, type ToolResult } from '../model/messages.ts';
import { endChecksAfter, reducePlan, stepsAfter } from '../plan/progress.ts';
import type { AgentEvent } from './events.ts';
import { isSamePermission } from './grant-scope.ts';
import { addUse, usedOf, useOfAnswer } from './limits.ts';
import { sentResult } from './lists.ts';
import { addCompletedCall } from './repeats.ts';
import { reduceRunStarted } from './run-started.ts';
import { reduceSessionEvent } from './session-events.ts';
import { emptySession, type MutableRunRecord, type MutableSessionState, type SessionState } from './session-state.ts';
import { reduceWrites } from './staged-writes.ts';
import { addCost, addUsage, workedMs } from './usage-totals.ts';

/** Applies a durable event to the state. Transient events must not be passed. */
export function reduce(state: MutableSessionState, event: AgentEvent): void {
  const run = state.runs.get(event.runId);
  // A rating can arrive at any time, even during another run, and does not count towards the time of a run.
  const takesTime = event.type !== 'answer_rated';
  if (run && takesTime) countTime(run, state, event);
  if (event.seq > state.seq + 1) distrustOpenCalls(state);
  state.seq = event.seq;
  if (takesTime) state.at = event.at;
  switch (event.type) {
    case 'run_started':
      reduceRunStarted(state, event);
      break;
    case 'turn_started':
      if (run) run.used = addUse(run.used, { turns: 1 });
      state.asked = event.context && totalOf({ ...noTokens(), ...event.context.tokens });
      break;
    case 'message_added':
      closeOpenCalls(state);
      state.messages.push(event.message, event.seq);
      if (event.queued !== undefined) state.queue.delete(event.queued);
      else if (run) reduceOpening(run);
      if (event.message.role === 'user') state.takenBack.clear();
      state.open = callsOf(event.message);
      for (const call of state.open) state.callIds.add(call.id);
      if (event.message.role === 'assistant') {
        const { usage, usd } = event.message;
        if (run && usage) run.usage = addUsage(run.usage, usage);
        if (run) run.cost = addCost(run.cost, usd);
        if (run) run.used = addUse(run.used, useOfAnswer(usage, usd, event));
        if (usage) state.usage = addUsage(state.usage, usage);
        state.cost = addCost(state.cost, usd);
        if (state.asked !== undefined && usage?.input) state.ratios.set(modelKey(event.message.from), ratioOf(usage.input, state.asked));
        state.asked = undefined;
      }
      break;
    case 'context_compacted':
      reduceCompaction(state, event, run);
      break;
    case 'tool_started':
      if (event.effect !== 'readonly' && event.decision.kind === 'allow') state.begun.add(event.callId);
      if (run && event.effect !== 'readonly') run.actions = (run.actions ?? 0) + 1;
      if (run) run.steps = stepsAfter(run.steps, event);
      break;
    case 'approval_requested':
      // When the effect of a call has changed, a new request replaces the earlier request for the same call.
      for (const [id, { callId }] of state.pendingApprovals) if (callId === event.callId) state.pendingApprovals.delete(id);
      state.pendingApprovals.set(event.approvalId, event);
      break;
    case 'approval_resolved':
      state.pendingApprovals.delete(event.approvalId);
      state.approvals.set(event.callId, {
        approvalId: event.approvalId,
        answer: event.answer,
        ...(event.digest !== undefined && { digest: event.digest }),
      });
      grant(state, event);
      break;
    case 'question_asked':
      state.pendingQuestions.set(event.questionId, event);
      // After a reload, the call is executed again from its start. The code before a question is safe to repeat, except that of a server.
      if (!isOfServer(state.open.find(({ id }) => id === event.callId))) state.begun.delete(event.callId);
      break;
    case 'question_answered':
      state.pendingQuestions.delete(event.questionId);
      state.questionAnswers.set(event.questionId, event.answer);
      break;
    case 'grants_revoked':
      state.grants = state.grants.filter(({ covers }) => event.covers && !isSamePermission(covers, event.covers));
      break;
    case 'changes_staged':
      state.begun.add(event.callId);
      reduceWrites(state, event, run);
      break;
    case 'file_changed':
      // The write is recorded before the steps are updated, because it belongs to the step that was running at the time.
      reduceWrites(state, event, run);
      if (run) run.steps = stepsAfter(run.steps, event);
      break;
    case 'changes_dropped':
    case 'undo_staged':
    case 'changes_undone':
    case 'changes_restored':
      reduceWrites(state, event, run);
      break;
    case 'message_queued':
      state.queue.set(event.id, { id: event.id, message: event.message, runId: state.queue.get(event.id)?.runId ?? event.runId });
      break;
    case 'message_unqueued':
      state.queue.delete(event.id);
      break;
    case 'tool_finished':
      // A server can end a call without waiting for the answer.
      for (const [id, { callId }] of state.pendingQuestions) if (callId === event.callId) state.pendingQuestions.delete(id);
      if (run) run.used = addUse(run.used, { calls: 1 });
      if (!event.withheld && event.decision?.kind !== 'deny') state.carriedOut.add(event.callId);
      remember(state, event.result);
      if (event.read) {
        state.reads.set(event.callId, event.read);
        state.contents.set(event.read.path, event.read.digest);
      }
      addResult(state, event);
      if (state.open.length > 0 && state.open.every((call) => state.results.has(call.id))) closeOpenCalls(state);
      break;
    case 'todo_changed':
      state.todo = event.items;
      break;
    case 'plan_proposed':
    case 'plan_resolved':
      reducePlan(state, event, run);
      break;
    case 'plan_revised':
    case 'step_rolled_back':
      reducePlan(state, event, run);
      if (run) run.steps = stepsAfter(run.steps, event);
      break;
    case 'plan_step':
    case 'step_checked':
      if (run) run.steps = stepsAfter(run.steps, event);
      break;
    case 'plan_checked':
      if (run) run.endChecks = endChecksAfter(run.endChecks, event);
      break;
    case 'budget_reached':
      if (run) run.reached = { limit: event.limit, max: event.max, ...(event.unpriced && { unpriced: event.unpriced }) };
      break;
    case 'run_paused':
      if (run) Object.assign(run, { status: 'paused', pause: event.reason });
      break;
    case 'run_resumed':
      if (!run) break;
      if (run.pause === 'repeating') state.recent = [];
      if (run.pause === 'limit' && run.reached) run.from = { ...run.from, [run.reached.limit]: usedOf(run.reached.limit, run.used) };
      run.status = 'live';
      delete run.pause;
      delete run.outcome;
      break;
    case 'run_finished':
      if (run) Object.assign(run, { status: 'finished', outcome: event.outcome });
      for (const pending of [state.pendingApprovals, state.pendingQuestions])
        for (const [id, request] of pending) if (request.runId === event.runId) pending.delete(id);
      break;
    case 'session_renamed':
    case 'session_titled':
    case 'session_pinned':
    case 'session_permission_set':
    case 'session_limit_set':
    case 'session_grant_revoked':
    case 'session_forked':
    case 'session_imported':
    case 'session_worktree_closed':
      reduceSessionEvent(state, event);
      break;
  }
}

/** The attachments of the prompt are in its message now. */
function reduceOpening(run: MutableRunRecord): void {
  run.hasOpening = true;
  delete run.attachments;
}

/** Marks all open calls as possibly executed. When events are missing, their progress is unknown, so they must not be repeated. */
function distrustOpenCalls({ open, begun }: MutableSessionState): void {
  for (const { id } of open) begun.add(id);
}

/** Skips a sequence number for a lost event, so that every reader of the log sees that an event is missing. */
export function skipLost(state: MutableSessionState): void {
  state.seq++;
  distrustOpenCalls(state);
}

/** Adds the time since the last event to the working time of the run if the run was active. */
function countTime(run: MutableRunRecord, state: SessionState, event: AgentEvent): void {
  const away = event.type === 'run_resumed' || (event.type === 'run_paused' && event.reason === 'interrupted');
  if (!away) run.used = { ...run.used, ms: workedMs(run, state, event.at) };
}

function remember(state: MutableSessionState, result: ToolResult): void {
  const call = state.open.find(({ id }) => id === result.callId);
  if (call) state.recent = addCompletedCall(state.recent, { call, result }, state.open);
}

function grant(state: MutableSessionState, { runId, answer, granted }: Extract<AgentEvent, { type: 'approval_resolved' }>): void {
  if (!answer.approve || !granted) return;
  const { scope, covers } = granted;
  if (scope === 'workspace') return;
  const callIds = scope === 'turn' && { callIds: state.open.map(({ id }) => id) };
  state.grants.push({ scope, covers, runId, ...callIds });
}

export function foldSession(events: Iterable<AgentEvent>, state = emptySession()): MutableSessionState {
  for (const event of events) reduce(state, event);
  return state;
}

/**
 * Moves the results of open calls into the conversation. A call without a result gets an error result, because providers reject a
 * conversation in which a call has no result.
 */
function closeOpenCalls(state: MutableSessionState): void {
  if (state.open.length === 0) return;
  const content = state.open.map((call) => state.results.get(call.id) ?? orphanResult(call, state.begun.has(call.id)));
  const source = state.open.map(({ id }) => state.resultSeqs.get(id) ?? (state.begun.has(id) ? 'begun' : 'not_begun'));
  state.messages.push({ role: 'tool', content }, source);
  state.open = [];
  state.grants = state.grants.filter(({ scope }) => scope !== 'turn');
  state.results.clear();
  state.resultSeqs.clear();
  state.begun.clear();
}

/** The messages that were computed for the next request of each session. Until the next compaction, messages are only added. */
const sent = new WeakMap<SessionState, { of: List<Message>; compaction: Compaction | undefined; counted: number; sent: Message[] }>();

/** Returns the messages for a request: without empty ones, and after a compaction with fewer and shorter ones. */
export function sentMessages(state: SessionState): readonly Message[] {
  const { messages, compaction } = state;
  const before = sent.get(state);
  const continues = before?.of === messages && before.compaction === compaction && before.counted <= messages.length;
  if (before && continues) {
    for (const message of messages.slice(before.counted)) if (isSent(message)) before.sent.push(message);
    before.counted = messages.length;
    return before.sent;
  }
  const now = compaction ? sentAfter(messages, compaction) : messages.filter(isSent);
  sent.set(state, { of: messages, compaction, counted: messages.length, sent: now });
  return now;
}

/** Discards the messages that were computed for the next request, so that they take no memory between runs. */
export function forgetSentMessages(state: SessionState): void {
  sent.delete(state);
}

export function messagesForModel(state: SessionState): Message[] {
  return [...sentMessages(state)];
}

/** Adds a result as the model receives it. All results of one model message follow it in a single message, so the position of the result is known. */
function addResult(state: MutableSessionState, event: Extract<AgentEvent, { type: 'tool_finished' }>): void {
  const place = state.open.findIndex(({ id }) => id === event.callId);
  state.results.set(event.callId, sentResult(event, state.messages.length, Math.max(0, place)));
  state.resultSeqs.set(event.callId, event.seq);
}

function reduceCompaction(
  state: MutableSessionState,
  event: Extract<AgentEvent, { type: 'context_compacted' }>,
  run: MutableRunRecord | undefined,
): void {
  const { keepFrom, shortenBefore, resultChars, promptChars, rulesChars, carried, summary, usage, usd } = event;
  state.compaction = { keepFrom, shortenBefore, resultChars, promptChars, rulesChars, carried, summary };
  state.asked = undefined;
  if (run && event.window !== undefined) state.windows.set(modelKey(run.model), event.window);
  if (!usage && event.estimated === undefined) return;
  state.cost = addCost(state.cost, usd);
  if (usage) state.usage = addUsage(state.usage, usage);
  if (!run) return;
  run.used = addUse(run.used, useOfAnswer(usage, usd, event));
  run.cost = addCost(run.cost, usd);
  if (usage) run.usage = addUsage(run.usage, usage);
}

/** Returns true if the conversation ends with an answer that was cut off and can be continued. */
export function brokeOff({ messages }: SessionState): boolean {
  return brokeOffInside(messages.at(-1));
}

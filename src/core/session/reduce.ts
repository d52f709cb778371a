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
import { isWithin } from './children/child-ids.ts';
import { addChild, ancestorsOf, forgetChildren, stateOf } from './children/child-state.ts';
import { reduceChildWrites } from './children/child-writes.ts';
import { reducePending } from './children/pending.ts';
import { addSpent, spentIn } from './children/spent.ts';
import type { AgentEvent } from './events.ts';
import { isSamePermission, keepOnly } from './grant-scope.ts';
import { usedOf } from './limits.ts';
import { sentResult } from './lists.ts';
import { addCompletedCall } from './repeats.ts';
import { reduceRunStarted } from './run-started.ts';
import { reduceSessionEvent } from './session-events.ts';
import { emptySession, type MutableRunRecord, type MutableSessionState, type SessionState } from './session-state.ts';
import { reduceWrites } from './staged-writes.ts';
import { workedMs } from './usage-totals.ts';

/** Applies a durable event to the state. Transient events must not be passed. */
export function reduce(state: MutableSessionState, event: AgentEvent): void {
  if (event.seq > state.seq + 1) for (const each of [state, ...state.children.values()]) distrustOpenCalls(each);
  state.seq = event.seq;
  if (event.type === 'run_started' && event.parent) {
    const parent = stateOf(state, event.parent.runId);
    if (parent) reduceRunStarted(addChild(state, parent, event), event);
    return;
  }
  const own = stateOf(state, event.runId);
  if (!own) return;
  for (const above of own === state ? [] : ancestorsOf(state, own)) reduceOfChild(above, own, event);
  reduceOwn(own, event);
  if (event.type === 'tool_finished') forgetChildren(state, event.runId, event.callId);
  // A failed run can be continued, and then its calls go on with their children.
  else if (event.type === 'run_finished' && event.outcome !== 'failed') forgetChildren(state, event.runId);
}

/** Applies an event of a child to the state of a run that it works for. */
function reduceOfChild(state: MutableSessionState, child: SessionState, event: AgentEvent): void {
  const run = state.lastRun;
  if (run) run.used = { ...run.used, ms: workedMs(run, state, event.at) };
  state.at = event.at;
  reducePending(state, event);
  reduceChildWrites(state, child, event);
  const spent = spentIn(event);
  if (spent) addSpent(state, run, spent);
}

/** Applies an event to the state of the run that it belongs to. */
function reduceOwn(state: MutableSessionState, event: AgentEvent): void {
  const run = state.runs.get(event.runId);
  // A rating can arrive at any time, even during another run, and does not count towards the time of a run.
  const takesTime = event.type !== 'answer_rated';
  if (run && takesTime) countTime(run, state, event);
  if (takesTime) state.at = event.at;
  reducePending(state, event);
  const spent = spentIn(event);
  if (spent) addSpent(state, run, spent);
  switch (event.type) {
    case 'run_started':
      reduceRunStarted(state, event);
      break;
    case 'turn_started':
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
        const { usage } = event.message;
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
    case 'approval_resolved':
      state.approvals.set(event.callId, {
        approvalId: event.approvalId,
        answer: event.answer,
        ...(event.digest !== undefined && { digest: event.digest }),
      });
      grant(state, event);
      break;
    case 'question_asked':
      // After a reload, the call is executed again from its start. The code before a question is safe to repeat, except that of a server.
      if (!isOfServer(state.open.find(({ id }) => id === event.callId))) state.begun.delete(event.callId);
      break;
    case 'question_answered':
      state.questionAnswers.set(event.questionId, event.answer);
      break;
    case 'grants_revoked':
      keepOnly(state.grants, ({ covers }) => event.covers !== undefined && !isSamePermission(covers, event.covers));
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
  for (const each of [state, ...state.children.values()]) distrustOpenCalls(each);
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
  const { covers } = granted;
  // In a worktree, permissions for the workspace do not count for commands that run code, so one that was given there counts for the session.
  const scope = granted.scope === 'workspace' && state.runs.get(runId)?.worktree !== undefined ? 'session' : granted.scope;
  if (scope === 'workspace') return;
  const callIds = scope === 'turn' && { callIds: state.open.map(({ id }) => id) };
  state.grants.push({ scope, covers, runId, ...callIds });
}

export function foldSession(events: Iterable<AgentEvent>, state = emptySession()): MutableSessionState {
  for (const event of events) reduce(state, event);
  return state;
}

/** Moves the results of open calls into the conversation. A missing one becomes an error result, because providers require a result. */
function closeOpenCalls(state: MutableSessionState): void {
  if (state.open.length === 0) return;
  const content = state.open.map((call) => state.results.get(call.id) ?? orphanResult(call, state.begun.has(call.id)));
  const source = state.open.map(({ id }) => state.resultSeqs.get(id) ?? (state.begun.has(id) ? 'begun' : 'not_begun'));
  state.messages.push({ role: 'tool', content }, source);
  state.open = [];
  const own = state.lastRun?.runId ?? '';
  keepOnly(state.grants, ({ scope, runId }) => scope !== 'turn' || (runId !== own && (isWithin(own, runId) || state.children.has(runId))));
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
  const { keepFrom, shortenBefore, resultChars, promptChars, rulesChars, carried, summary } = event;
  state.compaction = { keepFrom, shortenBefore, resultChars, promptChars, rulesChars, carried, summary };
  state.asked = undefined;
  if (run && event.window !== undefined) state.windows.set(modelKey(run.model), event.window);
}

/** Returns true if the conversation ends with an answer that was cut off and can be continued. */
export function brokeOff({ messages }: SessionState): boolean {
  return brokeOffInside(messages.at(-1));
}

/**
 * Counts what happened in a session, one event at a time. The digest is plain JSON and contains everything that is needed to count later
 * events, so it can be stored and updated when the log has grown.
 */

import { noTokens, totalOf } from '../context/tokens.ts';
import { type ContextUse, modelKey } from '../context/window.ts';
import { callsOf, resultText, type Usage } from '../model/messages.ts';
import type { Rating } from '../session/answers.ts';
import { isChildRun, rootRunId } from '../session/children/child-ids.ts';
import type { AgentEvent, Mode } from '../session/events.ts';
import type { RuleId } from '../session/rule-ids.ts';
import { type AgentRuns, addToAgentRuns } from './agent-runs.ts';
import { EDIT_TOOLS, editFailureOf } from './edit-failures.ts';
import { addTo, type Group, type MutableNumbers, type Numbers, type RunEnd } from './numbers.ts';

/** The numbers of one day, mode and model. `day` is a date in local time such as 2026-11-23. `model` is `provider/model`. */
export type Cell = { readonly day: string; readonly mode: Mode; readonly model: string; readonly numbers: Numbers };

type MutableCell = { day: string; mode: Mode; model: string; numbers: MutableNumbers };
type Run = {
  mode: Mode;
  model: string;
  /** The day on which the run is counted. The field is missing if the run was copied from another session. */
  day?: string;
  end: RunEnd;
  /** Whether the run has failed or was interrupted before. */
  hadTrouble?: true;
  recovered?: true;
  rating?: Rating;
  /** The day on which the rating is counted. */
  ratedOn?: string;
};

export type Digest = {
  seq: number;
  at: number;
  /** Events up to this number are copies from another session, which counts them. */
  copied: number;
  /** The time of the copy, for logs that do not contain this number. */
  copiedAt?: number;
  runs: Record<string, Run>;
  /** The id of the run that is in progress. */
  live?: string;
  /** The calls of the last answer that have no result yet. */
  open: { id: string; name: string; malformed?: true }[];
  /** The approvals and questions that wait for an answer. A question has no rule. */
  pending: { id: string; callId: string; rule?: RuleId }[];
  cells: MutableCell[];
  agentRuns: AgentRuns;
};

export function emptyDigest(): Digest {
  return { seq: 0, at: 0, copied: 0, runs: {}, open: [], pending: [], cells: [], agentRuns: {} };
}

/** Adds a durable event to a digest. The digest itself is modified. An event that was already added is ignored. */
export function addEvent(digest: Digest, event: AgentEvent): void {
  if (event.seq <= digest.seq) return;
  digest.seq = event.seq;
  if (event.type === 'session_forked') {
    if (event.copied === undefined) digest.copiedAt = event.at;
    else digest.copied = event.copied;
  }
  const isCopy = event.seq <= digest.copied || (digest.copiedAt !== undefined && event.at <= digest.copiedAt);
  const count = isCopy ? undefined : new Counter(digest, event);
  if (!isCopy) addToAgentRuns(digest.agentRuns, event);
  if (event.type !== 'answer_rated') {
    countWait(digest, event, count);
    digest.at = event.at;
  }
  if (event.type === 'session_imported') forgetCounts(digest);
  // The actions of a child run count for the run that the user started.
  else if (isChildRun(event.runId) && (event.type.startsWith('run_') || event.type === 'budget_reached')) return;
  else if (event.type === 'run_started') {
    digest.runs[event.runId] = { mode: event.mode, model: modelKey(event.model), end: 'open' };
    begin(digest, event.runId, count);
  } else {
    const runId = rootRunId(event.runId);
    if (Object.hasOwn(digest.runs, runId)) addToRun(digest, digest.runs[runId] as Run, event, count);
  }
}

/** Resets the counts. Imported events happened on another computer, or are counted in the session that they were exported from. */
function forgetCounts(digest: Digest): void {
  digest.cells = [];
  digest.agentRuns = {};
  for (const run of Object.values(digest.runs)) {
    delete run.day;
    delete run.rating;
    delete run.ratedOn;
  }
}

function addToRun(digest: Digest, run: Run, event: AgentEvent, count: Counter | undefined): void {
  switch (event.type) {
    case 'turn_started':
      count?.add(run, 'events', 'turns');
      if (event.context) countWindow(run, event.context, count);
      break;
    case 'message_added':
      digest.open = [
        ...(isChildRun(event.runId) ? digest.open : []),
        ...callsOf(event.message).map(({ id, name, malformed }) => ({
          id,
          name,
          ...(malformed !== undefined && { malformed: true as const }),
        })),
      ];
      if (event.message.role === 'assistant') countAnswer({ ...run, model: modelKey(event.message.from) }, event.message, event, count);
      break;
    case 'context_compacted':
      count?.add(run, 'events', 'compactions');
      if (event.by === 'model') countAnswer(run, event, event, count);
      break;
    case 'tool_started':
      if (event.decision.kind === 'allow' && event.decision.rule !== 'approved') count?.add(run, 'allowed', event.decision.rule);
      break;
    case 'approval_requested':
      // When the effect of a call has changed, a new request replaces the earlier one.
      digest.pending = digest.pending.filter(({ callId, rule }) => rule === undefined || callId !== event.callId);
      digest.pending.push({ id: event.approvalId, callId: event.callId, rule: event.rule });
      count?.add(run, 'asked', event.rule);
      break;
    case 'approval_resolved': {
      const rule = answered(digest, event.approvalId)?.rule;
      if (rule) count?.add(run, event.answer.approve ? 'approved' : 'rejected', rule);
      if (rule) count?.add(run, 'answeredBy', event.answer.by ?? 'user');
      break;
    }
    case 'question_asked':
      digest.pending.push({ id: event.questionId, callId: event.callId });
      break;
    case 'question_answered':
      answered(digest, event.questionId);
      break;
    case 'tool_finished':
      countCall(run, event, digest.open.find(({ id }) => id === event.callId)?.malformed === true, count);
      digest.open = digest.open.filter(({ id }) => id !== event.callId);
      break;
    case 'budget_reached':
      count?.add(run, 'limits', event.limit);
      break;
    case 'answer_rated':
      rate(run, event.rating, count);
      break;
    case 'run_resumed':
      if (run.end === 'failed') run.hadTrouble = true;
      begin(digest, event.runId, count);
      setEnd(run, 'open', count);
      break;
    case 'run_paused':
      if (event.reason === 'interrupted') run.hadTrouble = true;
      leave(digest, event.runId);
      break;
    case 'run_finished':
      digest.pending = [];
      leave(digest, event.runId);
      setEnd(run, event.outcome, count);
      break;
  }
}

/** Removes an answered approval or question from the pending ones. */
function answered(digest: Digest, id: string): Digest['pending'][number] | undefined {
  const found = digest.pending.find((each) => each.id === id);
  digest.pending = digest.pending.filter((each) => each !== found);
  return found;
}

/** Marks a run as live. A copied run is counted in this session, too, if it continues here. */
function begin(digest: Digest, runId: string, count: Counter | undefined): void {
  digest.live = runId;
  const run = digest.runs[runId] as Run;
  if (!count || run.day !== undefined) return;
  run.day = count.day;
  count.add(run, 'runs', run.end);
}

function leave(digest: Digest, runId: string): void {
  if (digest.live === runId) delete digest.live;
}

/** Changes the recorded end of a run. A run counts once, on the day on which it began. */
function setEnd(run: Run, end: RunEnd, count: Counter | undefined): void {
  const recovered = run.hadTrouble === true && (end === 'answered' || end === 'plan_proposed');
  if (count && run.day !== undefined) {
    count.add(run, 'runs', run.end, -1, run.day);
    count.add(run, 'runs', end, 1, run.day);
    count.add(run, 'events', 'recovered', Number(recovered) - Number(run.recovered ?? false), run.day);
    if (recovered) run.recovered = true;
    else delete run.recovered;
  }
  run.end = end;
}

function rate(run: Run, rating: Rating | 'none', count: Counter | undefined): void {
  if (!count) return;
  if (run.rating) count.add(run, 'ratings', run.rating, -1, run.ratedOn);
  delete run.rating;
  delete run.ratedOn;
  if (rating === 'none') return;
  Object.assign(run, { rating, ratedOn: count.day });
  count.add(run, 'ratings', rating);
}

/** Adds the time since the last event to the total for the reason why the run was waiting. */
function countWait(digest: Digest, event: AgentEvent, count: Counter | undefined): void {
  const run = digest.live === undefined ? undefined : digest.runs[digest.live];
  // The run did nothing between an interruption and its detection.
  if (!run || event.type === 'run_resumed' || (event.type === 'run_paused' && event.reason === 'interrupted')) return;
  const what = digest.pending.length > 0 ? 'user' : digest.open.length > 0 ? 'tools' : 'model';
  count?.add(run, 'waitMs', what, Math.max(0, event.at - digest.at));
}

function countWindow(run: Run, { tokens, ratio, limit, window }: ContextUse, count: Counter | undefined): void {
  const size = limit ?? window;
  if (!size) return;
  const share = (totalOf({ ...noTokens(), ...tokens }) * ratio) / size;
  count?.add(run, 'window', String(Math.min(9, Math.max(0, Math.floor(share * 10)))));
}

type Spent = { usage?: Usage | undefined; usd?: number | undefined };
type Estimates = { estimated?: number | undefined; estimatedUsd?: number | undefined };

function countAnswer(run: Run, { usage = {}, usd }: Spent, { estimated = 0, estimatedUsd }: Estimates, count: Counter | undefined): void {
  const { input = 0, cached = 0, output = 0 } = usage;
  count?.add(run, 'tokens', 'fresh', Math.max(0, input - cached));
  count?.add(run, 'tokens', 'cached', Math.min(input, cached));
  count?.add(run, 'tokens', 'output', output);
  count?.add(run, 'tokens', 'estimated', estimated);
  count?.add(run, 'money', 'usd', usd ?? 0);
  if (usd !== undefined) return;
  count?.add(run, 'money', 'unpriced');
  count?.add(run, 'money', 'estimated', estimatedUsd ?? 0);
}

/** A call of a tool that does not exist counts under one name, because models can make up any number of names. */
const UNKNOWN_TOOL = 'unknown tool';

function countCall(
  run: Run,
  event: Extract<AgentEvent, { type: 'tool_finished' }>,
  isMalformed: boolean,
  count: Counter | undefined,
): void {
  const { result, decision, withheld } = event;
  const isUnknown = decision?.rule === 'unknown-tool';
  const tool = isUnknown ? UNKNOWN_TOOL : result.name;
  const isRefused = withheld === true && decision !== undefined && !isUnknown;
  const isFailed = result.isError === true && !isRefused && (withheld !== true || isMalformed || isUnknown);
  count?.add(run, 'calls', tool);
  if (isRefused) count?.add(run, 'refusedCalls', tool);
  if (isFailed) count?.add(run, 'failedCalls', tool);
  if (!EDIT_TOOLS.has(tool) || !(isRefused || isFailed)) return;
  const refused = decision?.kind === 'deny' ? 'denied' : 'rejected';
  const why = isMalformed ? 'arguments' : isRefused ? refused : editFailureOf(resultText(result));
  count?.add(run, 'failedEdits', why);
}

export function emptyCell(day: string, mode: Mode, model: string): MutableCell {
  return { day, mode, model, numbers: {} };
}

/** Adds to the cell of an event: its day, and the mode and model of its run. */
class Counter {
  readonly day: string;
  readonly #digest: Digest;

  constructor(digest: Digest, { at }: AgentEvent) {
    this.#digest = digest;
    this.day = dayOf(at);
  }

  add({ mode, model }: Pick<Run, 'mode' | 'model'>, group: Group, name: string, amount = 1, day = this.day): void {
    if (amount === 0) return;
    const { cells } = this.#digest;
    const at = cells.findLastIndex((cell) => cell.day === day && cell.mode === mode && cell.model === model);
    const cell = cells[at] ?? emptyCell(day, mode, model);
    if (at < 0) cells.push(cell);
    addTo(cell.numbers, group, name, amount);
  }
}

/** Returns the date in local time, such as 2026-11-23. */
export function dayOf(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
}

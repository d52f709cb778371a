/** One run as the panel shows it, folded from its events one by one. Every step returns a new object only where something changed. */

import {
  type AssistantMessage,
  brokeOffInside,
  type Cost,
  endedUnsaid,
  type ImagePart,
  type ModelRef,
  type ToolResult,
  textOf,
  type Usage,
} from '../src/core/model/messages.ts';
import type { ModelWaiting } from '../src/core/model/model.ts';
import { noteTexts } from '../src/core/model/notes.ts';
import type { Plan } from '../src/core/plan/plan.ts';
import type { ChangeSummary, Decision, Effect, Review, Target } from '../src/core/session/effects.ts';
import type { AgentEvent, ApprovalAnswer, Mode, Outcome, PauseReason, Receipt, RunError, UndoResult } from '../src/core/session/events.ts';
import type { BudgetKey } from '../src/core/session/limits.ts';
import { endsWait } from '../src/core/words/retry-text.ts';
import { type FileChange, mergeChanges } from './file-changes.ts';
import { reducePlanView, type StepProgress } from './plan-view.ts';

export type CallStatus = 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'denied' | 'rejected';

export type CallView = {
  id: string;
  name: string;
  status: CallStatus;
  title?: string;
  effect?: Effect;
  input?: unknown;
  malformed?: string;
  /** What else is wrong with a malformed call than that it is not JSON. */
  problem?: string;
  targets: readonly Target[];
  decision?: Decision;
  answer?: ApprovalAnswer;
  progress?: string;
  result?: ToolResult;
  durationMs?: number;
  /** How it ended, in a word or two. */
  note?: string;
  stopped?: true | undefined;
  changes: readonly ChangeSummary[];
};

export type TurnView = {
  turn: number;
  text: string;
  reasoning: string;
  /** The answer broke off half-way; what had come of it was kept. */
  brokeOff?: boolean;
  /** The call that the model is writing now. */
  draft?: { name?: string; size: number };
  /** The whole message has come: what was streamed is replaced by it. */
  settled: boolean;
  calls: readonly CallView[];
};

/** A file of a proposed change as the user edited it. */
export type EditedFile = Pick<ChangeSummary, 'diff' | 'added' | 'removed'> & { content: string };
export type ApprovalView = Extract<AgentEvent, { type: 'approval_requested' }> & { edited?: Readonly<Record<string, EditedFile>> };
export type QuestionView = Extract<AgentEvent, { type: 'question_asked' }>;
/** What the user said on the way, a message that joined or an answer; or what Kedge told the model. */
export type SaidView = { key: string; text: string; answers?: string; images?: readonly ImagePart[]; by?: 'kedge' };
export type ProposalView = { plan: Plan; resolved?: 'run' | 'discard' | 'superseded' };

export type RunView = {
  id: string;
  mode: Mode;
  prompt: string;
  /** That came with the prompt. */
  images?: readonly ImagePart[];
  model?: ModelRef;
  /** The model is not asked again before this wait ends. */
  waiting?: ModelWaiting;
  /** The confirmed plan that this run carries out. */
  plan?: Plan;
  /** Why that is another revision than the one that was confirmed. */
  revised?: string;
  steps: Readonly<Record<number, StepProgress>>;
  turns: readonly TurnView[];
  approvals: readonly ApprovalView[];
  questions: readonly QuestionView[];
  said: readonly SaidView[];
  proposal?: ProposalView;
  changes: readonly FileChange[];
  /** The call whose changes are counted before it is known that they were written, and what was there without them. */
  staged?: { callId: string; without: readonly FileChange[] };
  limit?: { limit: BudgetKey; max: number; unpriced?: number | undefined };
  /** Why the run has smaller limits than usual. */
  shrunk?: string;
  paused?: { reason: PauseReason; summary: string };
  finished?: { outcome: Outcome; error?: RunError; usage: Usage; cost?: Cost; sessionCost?: Cost; durationMs: number; receipt?: Receipt };
  undone?: readonly UndoResult[];
  /** By which undo, so that it can be taken back; or by which restore. */
  undoId?: string;
  restoredBy?: string;
  /** What became of single files that were undone, wholly or in part. */
  parts?: Readonly<Record<string, { result: UndoResult; hunk: boolean }>>;
  /** What is left of its changes in a file, where the user looks at that. */
  reviews?: Readonly<Record<string, Review>>;
};

export function newRun(id: string): RunView {
  return { id, mode: 'ask', prompt: '', steps: {}, turns: [], approvals: [], questions: [], said: [], changes: [] };
}

const newTurn = (turn: number): TurnView => ({ turn, text: '', reasoning: '', settled: false, calls: [] });
const newCall = (id: string, name: string): CallView => ({ id, name, status: 'queued', targets: [], changes: [] });

/** Changes the turn that is being streamed; opens one where the host did not say that it began. */
function inLastTurn(run: RunView, change: (turn: TurnView) => TurnView, open = false): RunView {
  const last = run.turns.at(-1);
  if (!last || (open && last.settled)) return { ...run, turns: [...run.turns, change(newTurn((last?.turn ?? 0) + 1))] };
  return { ...run, turns: [...run.turns.slice(0, -1), change(last)] };
}

function inCall(run: RunView, id: string, name: string, change: (call: CallView) => CallView): RunView {
  for (let index = run.turns.length - 1; index >= 0; index--) {
    const turn = run.turns[index];
    if (!turn?.calls.some((call) => call.id === id)) continue;
    const calls = turn.calls.map((call) => (call.id === id ? change(call) : call));
    return { ...run, turns: run.turns.with(index, { ...turn, calls }) };
  }
  return inLastTurn(run, (turn) => ({ ...turn, calls: [...turn.calls, change(newCall(id, name))] }));
}

function settle(turn: TurnView, message: AssistantMessage): TurnView {
  const { draft: _, ...rest } = turn;
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n\n');
  const known = new Map(turn.calls.map((call) => [call.id, call]));
  const calls = message.content.flatMap((part) => {
    if (part.type !== 'tool_call') return [];
    const call = known.get(part.id) ?? newCall(part.id, part.name);
    known.delete(part.id);
    return [{ ...call, input: part.input, malformed: part.malformed, problem: part.problem }];
  });
  const brokeOff = brokeOffInside(message);
  // What was streamed of an answer that ended before it said anything stays to be read.
  return {
    ...rest,
    text,
    reasoning: endedUnsaid(message) ? turn.reasoning : reasoning,
    settled: true,
    ...(brokeOff && { brokeOff }),
    calls: [...calls, ...known.values()],
  };
}

/** What the run has changed, but for what this call only was about to. */
function withoutStaged({ staged, ...run }: RunView, callId: string): RunView {
  return staged?.callId === callId ? { ...run, changes: staged.without } : run;
}

/** Whoever ends or breaks off a run does not know how far its last call came: what that was about to write stays. */
const cutOff = ({ staged: _, ...run }: RunView): RunView => run;

const startedStatus = { allow: 'running', ask: 'waiting', deny: 'denied' } as const;

function finishedStatus(call: CallView, isError: boolean | undefined): CallStatus {
  if (call.status === 'denied' || call.status === 'rejected') return call.status;
  return isError ? 'failed' : 'done';
}

/** Whether there is half an answer to go on with. */
export function brokeOff(run: RunView): boolean {
  return run.turns.at(-1)?.brokeOff ?? false;
}

export function reduceRun(run: RunView, event: AgentEvent): RunView {
  if (event.type === 'model_waiting') return { ...run, waiting: event };
  if (!run.waiting || !endsWait(event)) return reduceEvent(run, event);
  const { waiting: _, ...rest } = run;
  return reduceEvent(rest, event);
}

function reduceEvent(run: RunView, event: AgentEvent): RunView {
  switch (event.type) {
    case 'run_started':
      return { ...run, mode: event.mode, prompt: event.prompt, model: event.model, plan: event.plan };
    case 'turn_started':
      return { ...run, turns: [...run.turns, newTurn(event.turn)] };
    case 'text_delta':
      return inLastTurn(run, (turn) => ({ ...turn, text: turn.text + event.text }), true);
    case 'reasoning_delta':
      return inLastTurn(run, (turn) => ({ ...turn, reasoning: turn.reasoning + event.text }), true);
    case 'tool_input_delta':
      return inLastTurn(
        run,
        (turn) => ({ ...turn, draft: { name: event.name ?? turn.draft?.name, size: (turn.draft?.size ?? 0) + event.text.length } }),
        true,
      );
    case 'message_added': {
      const { message } = event;
      if (message.role === 'assistant') return inLastTurn(run, (turn) => settle(turn, message), true);
      const images = message.content.filter((part) => part.type === 'image');
      const notes = noteTexts(message).map((text, index): SaidView => ({ key: `note ${event.seq} ${index}`, text, by: 'kedge' }));
      const joined: SaidView[] = event.queued === undefined ? [] : [{ key: event.queued, text: textOf(message), images }];
      const said = joined.length + notes.length > 0 ? { said: [...run.said, ...joined, ...notes] } : {};
      return { ...run, ...said, ...(event.queued === undefined && images.length > 0 && { images }) };
    }
    case 'tool_started':
      return inCall(run, event.callId, event.name, (call) => {
        const answered = call.status === 'rejected' || call.answer?.approve;
        const status = !answered ? startedStatus[event.decision.kind] : call.status === 'rejected' ? 'rejected' : 'running';
        return {
          ...call,
          name: event.name,
          title: event.title,
          effect: event.effect,
          targets: event.targets,
          decision: event.decision,
          status,
        };
      });
    case 'approval_requested': {
      // A new question about a call, whose effect is another by now, stands in the place of the old one.
      const approvals = [...run.approvals.filter((approval) => approval.callId !== event.callId), event];
      return inCall({ ...run, approvals }, event.callId, '', (call) => ({ ...call, title: call.title ?? event.title, status: 'waiting' }));
    }
    case 'approval_resolved': {
      const approvals = run.approvals.filter((approval) => approval.approvalId !== event.approvalId);
      const status = event.answer.approve ? 'running' : 'rejected';
      return inCall({ ...run, approvals }, event.callId, '', (call) => ({ ...call, answer: event.answer, status }));
    }
    case 'question_asked': {
      const questions = [...run.questions.filter(({ questionId }) => questionId !== event.questionId), event];
      return inCall({ ...run, questions }, event.callId, '', (call) => ({ ...call, status: 'waiting' }));
    }
    case 'question_answered': {
      const { questionId, answer } = event;
      const asked = run.questions.find((each) => each.questionId === questionId);
      const text = 'option' in answer ? [answer.option, answer.words].filter(Boolean).join(': ') : answer.words;
      const said = [...run.said, { key: questionId, text, ...(asked && { answers: asked.question.text }) }];
      const questions = run.questions.filter((each) => each.questionId !== questionId);
      return inCall({ ...run, questions, said }, event.callId, '', (call) => ({ ...call, status: 'running' }));
    }
    case 'tool_progress':
      return inCall(run, event.callId, '', (call) => ({ ...call, progress: event.text }));
    case 'changes_staged':
      return {
        ...run,
        staged: { callId: event.callId, without: run.changes },
        changes: mergeChanges(run.changes, undefined, event.changes),
      };
    case 'changes_dropped':
      return withoutStaged(run, event.callId);
    case 'file_changed': {
      const before = reducePlanView(withoutStaged(run, event.callId), event);
      return inCall({ ...before, changes: mergeChanges(before.changes, event.callId, event.changes) }, event.callId, '', (call) => ({
        ...call,
        changes: [...call.changes, ...event.changes],
      }));
    }
    case 'tool_finished':
      // A change that did not land although its call came to an end was taken back.
      return inCall(withoutStaged(run, event.callId), event.callId, event.result.name, (call) => {
        const { progress: _, ...rest } = call;
        const decision = event.decision ?? call.decision;
        // As the receipt counts it: Agent has all the tools there are.
        const isUnknown = run.mode === 'agent' && decision?.rule === 'unknown-tool';
        const ended = event.decision?.kind === 'deny' ? 'denied' : finishedStatus(call, event.result.isError);
        const status = isUnknown ? 'failed' : ended;
        return { ...rest, decision, status, result: event.result, durationMs: event.durationMs, note: event.note, stopped: event.stopped };
      });
    case 'plan_proposed':
      return { ...run, proposal: { plan: event.plan } };
    case 'plan_step':
    case 'step_checked':
    case 'step_rolled_back':
    case 'plan_revised':
      return reducePlanView(run, event);
    case 'budget_reached':
      return { ...run, limit: { limit: event.limit, max: event.max, unpriced: event.unpriced } };
    case 'limits_shrunk':
      return { ...run, shrunk: event.reason };
    case 'run_paused':
      return { ...cutOff(run), paused: { reason: event.reason, summary: event.summary } };
    case 'run_resumed': {
      const { paused: _, limit: __, finished: ___, ...rest } = cutOff(run);
      return rest;
    }
    case 'run_finished': {
      const { outcome, error, usage, cost, sessionCost, durationMs, receipt } = event;
      return {
        ...cutOff(run),
        approvals: [],
        questions: [],
        paused: undefined,
        finished: { outcome, error, usage, cost, sessionCost, durationMs, receipt },
      };
    }
    default:
      return run;
  }
}

import type { AssistantMessage, Cost, ModelRef, ToolResult, Usage, UserMessage } from '../model/messages.ts';
import type { ModelErrorKind, ModelWaiting } from '../model/model.ts';
import type { Check, Plan, StepStatus } from '../plan/plan.ts';
import type { BudgetKey } from '../run/budget.ts';
import type { ChangeSummary, CommandLine, Decision, Effect, Revision, ServerTool, Target } from '../run/tool.ts';
import type { Receipt } from '../view/receipt.ts';
import type { GrantScope, Permission } from './grant-scope.ts';

export type Mode = 'ask' | 'plan' | 'agent';
export const MODES: readonly Mode[] = ['ask', 'plan', 'agent'];

/** `minutes` is wall time; the time that a run waits for its user does not count. */
export type Limits = { turns: number; callsPerTurn: number; callsPerRun: number; minutes: number };

export type { GrantScope, Permission } from './grant-scope.ts';

/**
 * Answer to an approval: yes (and for how long what the question covers need not be asked again; `covers` is which of that, from 0),
 * or no, with words for the model.
 */
/** `by: 'nobody'`: nobody was there to be asked, and the words are the host's. */
export type ApprovalAnswer =
  | { approve: true; grant?: GrantScope; covers?: number; revised?: Revision; by?: 'grant'; widen?: true }
  | { approve: false; words?: string; by?: 'nobody' };

/** For how long what need not be asked for. */
export type Granted = { scope: GrantScope; covers: Permission };

/**
 * What a call asks the user. `id` is the question's own in its call; `options` are offered as buttons, `freeText` allows own words.
 * Where an answer runs a `command`, `reason` says why that is asked.
 */
export type Question = {
  id: string;
  text: string;
  options: { label: string; detail?: string }[];
  freeText?: boolean;
  command?: CommandLine;
  reason?: string;
};
/** The label of the option, or own words. `by: 'nobody'`: nobody was there to be asked. */
export type QuestionAnswer = { option: string; words?: string } | { words: string; by?: 'nobody' };

/** `check`: a step of the plan did not pass its check. */
export type RunError = { kind: ModelErrorKind | 'internal' | 'check'; message: string };
export type Outcome = 'answered' | 'plan_proposed' | 'refused' | 'stopped' | 'failed';
/** `interrupted`: the host went away in mid-run. */
/** `edit_plan`: the user wants to edit the plan that the run carries out. */
/** `user`: the user holds it. `repeating`: it went round in circles. */
export type PauseReason = 'limit' | 'max_tokens' | 'interrupted' | 'edit_plan' | 'user' | 'repeating';

/** `merged`: somebody went on in the file, and what they wrote is still in it. */
export type UndoResult = { path: string; outcome: 'restored' | 'merged' | 'unchanged' | 'refused'; reason?: string };

export type CheckOutcome = 'passed' | 'failed' | 'not_run';

/** Right after a call, or, without one, before a run began; or as it was before an undo or a restore. */
export type RestorePoint = { runId: string; callId?: string } | { undoId: string };

/**
 * Everything that happens. There is no second vocabulary: the log, the panel, the native chat, the terminal and `--json` all speak this one.
 * History is folded from `message_added` and `tool_finished`; deltas and progress are for display and are not logged.
 */
export type EventBody =
  /** `resumes` is the run that began with the plan; `revises` the plan that is to be proposed anew. */
  | { type: 'run_started'; mode: Mode; prompt: string; model: ModelRef; limits: Limits; plan?: Plan; resumes?: string; revises?: string }
  /** The machine that serves the model is short of memory, so this run pauses earlier than usual. */
  | { type: 'limits_shrunk'; limits: Limits; reason: string }
  | { type: 'turn_started'; turn: number }
  | { type: 'text_delta'; text: string }
  | { type: 'reasoning_delta'; text: string }
  | { type: 'tool_input_delta'; name?: string; text: string }
  | ModelWaiting
  /**
   * `queued` is the id of a message that waited for this. `estimated` are the tokens of an answer by its length and its request's, where the
   * service did not count them, `estimatedUsd` what it costs with them.
   */
  | { type: 'message_added'; message: UserMessage | AssistantMessage; queued?: string; estimated?: number; estimatedUsd?: number }
  /** What the user said during a run: it joins before the model's next turn. An id that waits already: its words are these now. */
  | { type: 'message_queued'; id: string; message: UserMessage }
  | { type: 'message_unqueued'; id: string }
  | {
      type: 'tool_started';
      callId: string;
      name: string;
      title: string;
      effect: Effect;
      targets: Target[];
      decision: Decision;
      source?: string;
      command?: string;
      hosts?: string[];
    }
  | {
      type: 'approval_requested';
      approvalId: string;
      callId: string;
      title: string;
      /** The policy's rule that made it a question. */
      rule: string;
      reason: string;
      changes: ChangeSummary[];
      digest?: string;
      /** What a yes runs, in full. */
      command?: CommandLine;
      /** On the network, that it speaks to. */
      hosts?: string[];
      /** The whole address that a yes gets, or the server's tool that it calls. */
      address?: string;
      mcp?: ServerTool;
      /** What the tool is called with and reaches, where neither a command, an address nor changes show it. */
      input?: unknown;
      targets?: Target[];
      /** What a yes can stand for, the widest first; absent where a yes counts once. */
      covers?: Permission[];
      /** So many other calls of the same answer would ask for the same. */
      similar?: number;
    }
  /** The answer as it counts: `granted` is what it stands for from now on. In logs of older versions `answer.grant` alone stands for edits. `digest` is of the effect that is agreed to: where the user revised the proposal, of what is left of it. */
  | { type: 'approval_resolved'; approvalId: string; callId: string; digest?: string; answer: ApprovalAnswer; granted?: Granted }
  /** The run waits until it is answered. */
  | { type: 'question_asked'; questionId: string; callId: string; question: Question }
  | { type: 'question_answered'; questionId: string; callId: string; answer: QuestionAnswer }
  /** What this session or a run of it was granted before is asked for again; all of it, or what is named. */
  | { type: 'grants_revoked'; covers?: Permission }
  | { type: 'tool_progress'; callId: string; text: string }
  /** Written before the first byte of a change is, so that a crash in between can be taken back too. */
  | { type: 'changes_staged'; callId: string; changes: Omit<ChangeSummary, 'diff'>[] }
  | { type: 'file_changed'; callId: string; changes: ChangeSummary[] }
  /** What was staged could not be written, and every file is as it was. Logs of older versions do not say so. */
  | { type: 'changes_dropped'; callId: string }
  /** `withheld`: it was not carried out, for it was denied, rejected, or one too many. */
  | { type: 'tool_finished'; callId: string; result: ToolResult; durationMs: number; decision?: Decision; note?: string; withheld?: true }
  | { type: 'plan_proposed'; plan: Plan }
  /** `run` carries the plan as the user confirmed it, which may be an edited revision. */
  | { type: 'plan_resolved'; planId: string; answer: 'run' | 'discard'; plan?: Plan }
  /** `implicit`: the model wrote in its scope without a word. `unchanged`: it is done, and changed none of the files that it may change. */
  | {
      type: 'plan_step';
      planId: string;
      hash?: string;
      step: number;
      status: StepStatus;
      note?: string;
      implicit?: true;
      unchanged?: true;
    }
  | { type: 'step_checked'; planId: string; hash?: string; step: number; check: Check; outcome: CheckOutcome; output: string }
  /** What the step had changed is as it was before it, but for the files that were refused. */
  | { type: 'step_rolled_back'; planId: string; hash?: string; step: number; undoId: string; results: UndoResult[] }
  /** From now on the run is bound to this revision. `was`: the numbers that its steps had before, 0 for a new one. */
  | { type: 'plan_revised'; plan: Plan; reason: string; was?: number[] }
  /** `unpriced`: the price of so many answers is not known, and they are not in the money that was counted. */
  | { type: 'budget_reached'; limit: BudgetKey; max: number; unpriced?: number }
  | { type: 'run_paused'; reason: PauseReason; summary: string }
  | { type: 'run_resumed' }
  | {
      type: 'run_finished';
      outcome: Outcome;
      error?: RunError;
      usage: Usage;
      cost?: Cost;
      sessionCost?: Cost;
      durationMs: number;
      receipt?: Receipt;
    }
  /** Written before the first byte that an undo or a restore changes, which so can be taken back itself. */
  | { type: 'undo_staged'; undoId: string; restore?: true; changes: Omit<ChangeSummary, 'diff'>[] }
  /** `part` where not the whole run was taken back: one file of it, or one hunk of that. Logs of older versions have no `undoId`. */
  | { type: 'changes_undone'; undoneRunId: string; results: UndoResult[]; undoId?: string; part?: { path: string; hunk?: number } }
  | { type: 'changes_restored'; undoId: string; to: RestorePoint; results: UndoResult[] };

/** `seq` counts the durable events of a session from 1; a transient event carries the seq of the last durable one. `at` is milliseconds since 1970. */
export type AgentEvent = EventBody & { runId: string; seq: number; at: number };

const TRANSIENT: ReadonlySet<EventBody['type']> = new Set([
  'text_delta',
  'reasoning_delta',
  'tool_input_delta',
  'model_waiting',
  'tool_progress',
]);

/** Durable events are in the log before anyone sees them. */
export function isDurable(event: EventBody): boolean {
  return !TRANSIENT.has(event.type);
}

import type { AssistantMessage, Cost, ModelRef, ToolResult, Usage, UserMessage } from '../model/messages.ts';
import type { ModelErrorKind, ModelWaiting } from '../model/model.ts';
import type { Check, Plan, StepStatus } from '../plan/plan.ts';
import type { ChangeSummary, CommandLine, Decision, Effect, Revision, ServerTool, Target } from './effects.ts';
import type { GrantScope, Permission } from './grant-scope.ts';
import type { BudgetKey, Limits } from './limits.ts';
import type { RuleId } from './rule-ids.ts';

export type Mode = 'ask' | 'plan' | 'agent';
export const MODES: readonly Mode[] = ['ask', 'plan', 'agent'];

export type { GrantScope, Permission } from './grant-scope.ts';

/**
 * The answer to an approval request: yes, with an optional grant (`covers` is the index of the permission in the request), or no, with
 * words for the model.
 */
/** With `by: 'nobody'`, no user was available, and the words come from the host. */
export type ApprovalAnswer =
  | { approve: true; grant?: GrantScope; covers?: number; revised?: Revision; by?: 'grant'; widen?: true }
  | { approve: false; words?: string; by?: 'nobody' };

/** The permission that the user granted, and for how long. */
export type Granted = { scope: GrantScope; covers: Permission };

/**
 * A question of a tool call to the user. `id` is unique within the call. `options` are displayed as buttons, and `freeText` allows any
 * other answer. When an answer runs a `command`, `reason` says why it needs an approval.
 */
export type Question = {
  id: string;
  text: string;
  options: { label: string; detail?: string }[];
  freeText?: boolean;
  command?: CommandLine;
  reason?: string;
};
/** The label of the chosen option, or the user's words. With `by: 'nobody'`, no user was available. */
export type QuestionAnswer = { option: string; words?: string } | { words: string; by?: 'nobody' };

/** `check` means that a step of the plan did not pass its check. */
export type RunError = { kind: ModelErrorKind | 'internal' | 'check'; message: string };
export type Outcome = 'answered' | 'plan_proposed' | 'refused' | 'stopped' | 'failed';
/** `interrupted`: the host exited during the run. */
/** `edit_plan`: the user wants to edit the plan of the run. */
/** `user`: the user paused the run. `repeating`: the run went in circles. */
export type PauseReason = 'limit' | 'max_tokens' | 'interrupted' | 'edit_plan' | 'user' | 'repeating';

/** `merged`: somebody else has changed the file since, and those changes were kept. */
export type UndoResult = { path: string; outcome: 'restored' | 'merged' | 'unchanged' | 'refused'; reason?: string };

export type CheckOutcome = 'passed' | 'failed' | 'not_run';

/** A point in time: right after a call, before a run began (without `callId`), or before an undo or restore. */
export type RestorePoint = { runId: string; callId?: string } | { undoId: string };

/**
 * All events of a session. The log, the panel, the native chat, the terminal and `--json` use the same types. The history is computed from
 * `message_added` and `tool_finished`; deltas and progress are for display and are not logged.
 */
export type EventBody =
  /** `resumes` is the run that began the plan. `revises` is the plan that the model is to propose again. */
  | { type: 'run_started'; mode: Mode; prompt: string; model: ModelRef; limits: Limits; plan?: Plan; resumes?: string; revises?: string }
  /** The computer that serves the model is short of memory, so this run pauses earlier than usual. */
  | { type: 'limits_shrunk'; limits: Limits; reason: string }
  | { type: 'turn_started'; turn: number }
  | { type: 'text_delta'; text: string }
  | { type: 'reasoning_delta'; text: string }
  | { type: 'tool_input_delta'; name?: string; text: string }
  | ModelWaiting
  /**
   * `queued` is the id of the queued message that this one was. `estimated` counts tokens of an answer that the service did not count,
   * estimated by length, and `estimatedUsd` is the cost including them.
   */
  | { type: 'message_added'; message: UserMessage | AssistantMessage; queued?: string; estimated?: number; estimatedUsd?: number }
  /**
   * A message that the user sent during a run. It joins before the next turn of the model. An event with a known id replaces the message.
   */
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
      /** The policy rule that requires the approval. */
      rule: RuleId;
      reason: string;
      /** An approval lets the model read a file that may contain keys or passwords. */
      secret?: true;
      changes: ChangeSummary[];
      digest?: string;
      /** The complete command that an approval runs. */
      command?: CommandLine;
      /** The hosts that the call contacts. */
      hosts?: string[];
      /** The complete URL that is requested, or the tool of an MCP server that is called. */
      address?: string;
      mcp?: ServerTool;
      /** The input and targets of the call, when neither a command, a URL nor changes display them. */
      input?: unknown;
      targets?: Target[];
      /** The permissions that the user can grant, widest first. It is missing when an approval counts only once. */
      covers?: Permission[];
      /** How many other calls of the same answer would need the same permission. */
      similar?: number;
    }
  /** The answer as it counts: `granted` is what it stands for from now on. `digest` is of the effect that is agreed to: where the user revised the proposal, of what is left of it. */
  | { type: 'approval_resolved'; approvalId: string; callId: string; digest?: string; answer: ApprovalAnswer; granted?: Granted }
  /** The run waits for the answer. */
  | { type: 'question_asked'; questionId: string; callId: string; question: Question }
  | { type: 'question_answered'; questionId: string; callId: string; answer: QuestionAnswer }
  /** Permissions of this session and its runs were revoked: the given one, or all. */
  | { type: 'grants_revoked'; covers?: Permission }
  | { type: 'tool_progress'; callId: string; text: string }
  /** Logged before the first byte of a change is written, so that a change which a crash interrupts can be undone, too. */
  | { type: 'changes_staged'; callId: string; changes: Omit<ChangeSummary, 'diff'>[] }
  | { type: 'file_changed'; callId: string; changes: ChangeSummary[] }
  /** What was staged could not be written, and every file is as it was. */
  | { type: 'changes_dropped'; callId: string }
  /** `withheld` is true when the call was not executed, because it was denied, rejected or beyond a limit. */
  | {
      type: 'tool_finished';
      callId: string;
      result: ToolResult;
      durationMs: number;
      decision?: Decision;
      note?: string;
      /** The command of the call was stopped before it ended. */
      stopped?: true;
      withheld?: true;
    }
  | { type: 'plan_proposed'; plan: Plan }
  /** With `run`, `plan` is the plan as the user confirmed it, which may be an edited revision. */
  | { type: 'plan_resolved'; planId: string; answer: 'run' | 'discard'; plan?: Plan }
  /**
   * `implicit`: the model wrote to files of the step without reporting its start. `unchanged`: the step is done and changed none of its
   * files.
   */
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
  /** The changes of the step were undone, except in the files that were refused. */
  | { type: 'step_rolled_back'; planId: string; hash?: string; step: number; undoId: string; results: UndoResult[] }
  /** From now on the run follows this revision. `was` lists the former numbers of its steps, 0 for a new step. */
  | { type: 'plan_revised'; plan: Plan; reason: string; was?: number[] }
  /** `unpriced` counts the answers of unknown price, which are missing from the money that was counted. */
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
  /** Logged before the first byte that an undo or a restore writes, so that it can itself be undone. */
  | { type: 'undo_staged'; undoId: string; restore?: true; changes: Omit<ChangeSummary, 'diff'>[] }
  /** `part` where not the whole run was taken back: one file of it, or one hunk of that. An undo without an `undoId` cannot be taken back. */
  | { type: 'changes_undone'; undoneRunId: string; results: UndoResult[]; undoId?: string; part?: { path: string; hunk?: number } }
  | { type: 'changes_restored'; undoId: string; to: RestorePoint; results: UndoResult[] };

/**
 * `seq` counts the durable events of a session from 1. A transient event has the `seq` of the last durable one. `at` is milliseconds since
 * 1970.
 */
export type AgentEvent = EventBody & { runId: string; seq: number; at: number };

const TRANSIENT: ReadonlySet<EventBody['type']> = new Set([
  'text_delta',
  'reasoning_delta',
  'tool_input_delta',
  'model_waiting',
  'tool_progress',
]);

/** Durable events are written to the log before anyone receives them. */
export function isDurable(event: EventBody): boolean {
  return !TRANSIENT.has(event.type);
}

/** Lists are limited to `MAX_NAMED` entries; the counts are not. */
export type Receipt = {
  mode: Mode;
  calls: number;
  /** Executed calls by effect. */
  effects: Partial<Record<Effect, number>>;
  /** How many calls were allowed without an approval, by policy rule. */
  allowed: Partial<Record<RuleId, number>>;
  asked: number;
  /** How many of the requested approvals were granted. */
  approved: number;
  rejected: number;
  denied: number;
  /** Failed calls among the executed ones, and calls of unknown tools in Agent mode. Missing in older logs. */
  failed?: number;
  /** Denied calls by policy rule. */
  deniedBy: Partial<Record<RuleId, number>>;
  read: string[];
  readCount: number;
  changed: string[];
  changedCount: number;
  /** Plan steps that are done and changed none of their files. Missing when there are none, and in older logs. */
  unchangedSteps?: number[];
  commands: string[];
  commandCount: number;
  hosts: string[];
  hostCount: number;
  /** The MCP servers that were called. */
  servers: string[];
  /** Whether the run had any tool that can change something. Missing when that is unknown. */
  canWrite?: boolean;
};

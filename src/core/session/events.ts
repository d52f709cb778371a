import type { Compaction } from '../context/compacted.ts';
import type { ContextUse } from '../context/window.ts';
import type { AssistantMessage, Cost, ModelRef, ToolResult, Usage, UserMessage } from '../model/messages.ts';
import type { ModelErrorKind, ModelWaiting } from '../model/model.ts';
import type { Mode } from '../modes.ts';
import type { Check, Plan, StepStatus } from '../plan/plan.ts';
import type { AnswerRating, ApprovalAnswer, Granted, Question, QuestionAnswer } from './answers.ts';
import type { RunParent } from './children/child-ids.ts';
import type {
  AppliedCode,
  AppliedWorktree,
  ChangeSummary,
  CommandLine,
  Decision,
  Effect,
  FileRead,
  HookRan,
  Reason,
  Receipt,
  ServerTool,
  Target,
} from './effects.ts';
import type { Permission, Subject } from './grant-scope.ts';
import type { BudgetKey, Estimate, RunLimits, SessionLimits } from './limits.ts';
import type { RuleId } from './rule-ids.ts';
import type { RunAgent } from './shapes/run-agent.ts';

export { MODE_NAME, MODES, type Mode } from '../modes.ts';
export type { AnswerRating, ApprovalAnswer, Granted, Question, QuestionAnswer } from './answers.ts';
export type { Receipt } from './effects.ts';
export type { GrantScope, Permission, Subject } from './grant-scope.ts';

/** `check` means that a step of the plan did not pass its check. */
export type RunError = { kind: ModelErrorKind | 'internal' | 'check'; message: string };
export type Outcome = 'answered' | 'plan_proposed' | 'refused' | 'stopped' | 'failed';
/**
 * `interrupted`: the host exited during the run. `edit_plan`: the user wants to edit the plan of the run. `user`: the user paused the run.
 * `repeating`: the model repeated the same tool calls with the same results.
 */
export type PauseReason = 'limit' | 'max_tokens' | 'interrupted' | 'edit_plan' | 'user' | 'repeating';

/** `merged`: the file was also changed by others after the run, and their changes were kept. */
export type UndoResult = { path: string; outcome: 'restored' | 'merged' | 'unchanged' | 'refused'; reason?: string };

export type CheckOutcome = 'passed' | 'failed' | 'not_run';

export type WorktreeOutcome = 'applied' | 'dropped' | 'copied';

/** An item of the to-do list that the model keeps during a task without a plan. */
export type TodoItem = { text: string; state: 'open' | 'doing' | 'done' };

/** The point to which files are restored: right after a tool call, before a run (without `callId`), or before an undo or restore. */
export type RestorePoint = { runId: string; callId?: string } | { undoId: string };

/**
 * All events of a session. The log, the panel, the native chat, the terminal and `--json` use the same types. The conversation is computed
 * from `message_added` and `tool_finished`. Deltas and progress are for display and are not logged.
 */
export type EventBody =
  /**
   * `resumes` is the id of the run that started the plan. `revises` is the id of the plan that the model must propose again. With `applies`, no
   * model is called: the user applies code from an answer to a file. With `edits`, the prompt is another version of the prompt of that run,
   * which is in another session. `attachments` contains the prompt's attachments, so that none is lost if the program ends before the
   * prompt is logged. `grants` are permissions that the user gave for this run when starting it. `worktree` is the id of the worktree in which
   * the run works. With `applies`, its changes are applied to the user's files. `agent` is the agent of the run; `mode` and `limits` are
   * those that it leaves. With `parent`, it is a child run.
   */
  | {
      type: 'run_started';
      mode: Mode;
      prompt: string;
      model: ModelRef;
      limits: RunLimits;
      plan?: Plan;
      resumes?: string;
      revises?: string;
      applies?: AppliedCode | AppliedWorktree;
      edits?: string;
      attachments?: UserMessage['content'];
      grants?: Permission[];
      worktree?: string;
      parent?: RunParent;
      agent?: RunAgent;
    }
  /** The computer that serves the model is short of memory, so the limits of this run are reduced. */
  | { type: 'limits_shrunk'; limits: RunLimits; reason: string }
  | HookRan
  /** `context` says what fills the context window at this request. The field is missing in older logs. */
  | { type: 'turn_started'; turn: number; context?: ContextUse }
  /** The model is writing a summary for a compaction. `done` is set if it was stopped and no compaction follows. */
  | { type: 'context_compacting'; done?: true }
  /**
   * The model receives a shorter conversation from now on; the log keeps all of it. `reason` is `user` if the user requested it, and `overflow` if
   * the service refused the request. Its error may contain the `window` of the model. `before` and `after` are estimated tokens. The usage
   * fields describe the request for the summary, as in `message_added`.
   */
  | (Compaction & {
      type: 'context_compacted';
      reason: 'window' | 'overflow' | 'user';
      by: 'model' | 'rules';
      before: number;
      after: number;
      /** The content of the context window after the compaction. */
      context: ContextUse;
      window?: number;
      usage?: Usage;
      usd?: number;
      estimated?: number;
      estimatedUsd?: number;
    })
  | { type: 'text_delta'; text: string }
  | { type: 'reasoning_delta'; text: string }
  | { type: 'tool_input_delta'; name?: string; text: string }
  | ModelWaiting
  /**
   * `queued` is the id that the message had in the queue. `estimated` is the number of tokens of an answer that the service did not report,
   * estimated by length. `estimatedUsd` is the cost of the answer including these tokens.
   */
  | { type: 'message_added'; message: UserMessage | AssistantMessage; queued?: string; estimated?: number; estimatedUsd?: number }
  /**
   * The user sent a message during a run. It is added to the conversation before the next turn of the model. An event with the id of a
   * queued message replaces that message.
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
      /** All reasons, if there are several. The most serious reason is first. */
      reasons?: Reason[];
      /** Whether an approval lets the model read a file that may contain keys or passwords. */
      secret?: true;
      changes: ChangeSummary[];
      digest?: string;
      /** The complete command that is run after an approval. */
      command?: CommandLine;
      /** The hosts that the call contacts. */
      hosts?: string[];
      /** The complete URL that is requested, or the tool of an MCP server that is called. */
      address?: string;
      mcp?: ServerTool;
      /** The input and targets of the call, when the request contains no command, URL or changes to display. */
      input?: unknown;
      targets?: Target[];
      /** The permissions that the user can grant, widest first. The field is missing if an approval applies to this call only. */
      covers?: Permission[];
      /** The number of other calls in the model's answer that the widest permission would probably allow, too. */
      similar?: number;
    }
  /**
   * `granted` is the permission that the answer grants. `digest` identifies the effect that the user agreed to, which is a part of the
   * proposed effect if the user revised the proposal.
   */
  | { type: 'approval_resolved'; approvalId: string; callId: string; digest?: string; answer: ApprovalAnswer; granted?: Granted }
  /** The run waits for the answer to the question. */
  | { type: 'question_asked'; questionId: string; callId: string; question: Question }
  | { type: 'question_answered'; questionId: string; callId: string; answer: QuestionAnswer }
  /** The user revoked permissions of this session: `covers`, or all of them if `covers` is missing. */
  | { type: 'grants_revoked'; covers?: Permission }
  | { type: 'tool_progress'; callId: string; text: string }
  /** The event is logged before the first byte of a change is written, so that the change can be undone even if a crash interrupts it. */
  | { type: 'changes_staged'; callId: string; changes: Omit<ChangeSummary, 'diff'>[] }
  | { type: 'file_changed'; callId: string; changes: ChangeSummary[] }
  /** The staged changes of the call could not be written, and all files are unchanged. */
  | { type: 'changes_dropped'; callId: string }
  /** `withheld` is true when the call was not executed because it was denied, rejected or beyond a limit. */
  | {
      type: 'tool_finished';
      callId: string;
      result: ToolResult;
      durationMs: number;
      decision?: Decision;
      note?: string;
      /** The number of characters of the result that the model receives, if it does not receive all of it. */
      shown?: number;
      /** Whether the command of the call was stopped before it ended. */
      stopped?: true;
      /** The file that the call read. The field is missing in older logs. */
      read?: FileRead;
      withheld?: true;
    }
  /** The model's complete to-do list. It replaces the earlier list. */
  | { type: 'todo_changed'; items: TodoItem[] }
  | { type: 'plan_proposed'; plan: Plan }
  /** With `run`, `plan` is the plan that the user confirmed, which may be an edited revision. */
  | { type: 'plan_resolved'; planId: string; answer: 'run' | 'discard'; plan?: Plan }
  /**
   * `implicit`: the model wrote to files of the step without reporting its start. `unchanged`: the step is done, but none of its files were
   * changed.
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
  /** A check after the last step of the plan was run. */
  | { type: 'plan_checked'; planId: string; hash?: string; check: Check; outcome: CheckOutcome; output: string }
  /** The changes of the step were undone, except in files with the outcome `refused`. */
  | { type: 'step_rolled_back'; planId: string; hash?: string; step: number; undoId: string; results: UndoResult[] }
  /** The run follows this revision of the plan from now on. `was[i]` is the former number of the step at index `i`, or 0 for a new step. */
  | { type: 'plan_revised'; plan: Plan; reason: string; was?: number[] }
  /** `unpriced` is the number of answers of unknown price. The counted cost contains only an estimate for them, or nothing. */
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
  /** The event is logged before an undo or a restore writes its first byte, so that the undo or restore can itself be undone. */
  | { type: 'undo_staged'; undoId: string; restore?: true; changes: Omit<ChangeSummary, 'diff'>[] }
  /** `part` is set when only one file or one hunk of the run was undone. An undo without an `undoId` cannot itself be undone. */
  | { type: 'changes_undone'; undoneRunId: string; results: UndoResult[]; undoId?: string; part?: { path: string; hunk?: number } }
  | { type: 'changes_restored'; undoId: string; to: RestorePoint; results: UndoResult[] }
  | AnswerRating
  | SessionEventBody;

/** Events that concern the session itself. They do not belong to a run, so their `runId` is empty. */
export type SessionEventBody =
  | { type: 'session_renamed'; title: string }
  /** The model gave the session a title, based on the user's own text. The usage fields describe this request. */
  | ({ type: 'session_titled'; title: string; usage?: Usage; usd?: number } & Estimate)
  | { type: 'session_pinned'; pinned: boolean }
  /** The user set the effect for a subject in this session. Without `effect`, the settings apply again. Only edits can be allowed. */
  | { type: 'session_permission_set'; about: Subject; effect?: 'allow' | 'ask' | 'deny' }
  /** The user set a limit for each run of this session. Without `amount`, the settings apply again. */
  | { type: 'session_limit_set'; limit: keyof SessionLimits; amount?: number }
  /** The user revoked a permission of this session, apart from any run. */
  | { type: 'session_grant_revoked'; covers: Permission }
  /** The first event of a fork. The copied events of `parent` follow. `copied` is the number of the last of them in this session. */
  | { type: 'session_forked'; parent: SessionParent; copied?: number }
  /** The events before this one come from a file. Nothing in them can be undone, confirmed or continued as a plan. */
  | { type: 'session_imported' }
  /** The changes of the worktree were applied to the user's files, or dropped, or stay in the session that this one is a copy of. */
  | { type: 'session_worktree_closed'; worktree: string; outcome: WorktreeOutcome }
  /** The log was damaged and was written again without the damaged lines. A copy of the damaged file is kept. */
  | { type: 'session_repaired' };

/** The session that a fork was made of, and the number of the last event that was copied. */
export type SessionParent = { sessionId: string; seq: number };

/**
 * `seq` counts the durable events of a session from 1. A transient event has the `seq` of the last durable event. `at` is in milliseconds
 * since 1970.
 */
export type AgentEvent = EventBody & { runId: string; seq: number; at: number };

export function isSessionEvent({ type }: { type: string }): boolean {
  return type.startsWith('session_');
}

const TRANSIENT: ReadonlySet<EventBody['type']> = new Set([
  'text_delta',
  'reasoning_delta',
  'tool_input_delta',
  'model_waiting',
  'tool_progress',
  'context_compacting',
]);

/** Durable events are written to the log before anyone receives them. */
export function isDurable(event: EventBody): boolean {
  return !TRANSIENT.has(event.type);
}

import type { AssistantMessage, Cost, ModelRef, ToolResult, Usage, UserMessage } from './messages.ts';
import type { ModelErrorKind, ModelWaiting } from './model.ts';
import type { Plan, StepStatus } from './plan.ts';
import type { ChangeSummary, Decision, Effect, Target } from './tool.ts';

export type Mode = 'ask' | 'plan' | 'agent';
export const MODES: readonly Mode[] = ['ask', 'plan', 'agent'];

/** `minutes` is wall time; the time that a run waits for its user does not count. */
export type Limits = { turns: number; callsPerTurn: number; callsPerRun: number; minutes: number };

export type GrantScope = 'run' | 'session' | 'workspace';

/** Answer to an approval: yes (and for how long edits need not be asked again), or no, with words for the model. */
/** `by: 'nobody'`: nobody was there to be asked, and the words are the host's. */
export type ApprovalAnswer = { approve: true; grant?: GrantScope } | { approve: false; words?: string; by?: 'nobody' };

/** What a call asks the user. `id` is the question's own in its call; `options` are offered as buttons, `freeText` allows own words. */
export type Question = { id: string; text: string; options: { label: string; detail?: string }[]; freeText?: boolean };
/** The label of the option, or own words. `by: 'nobody'`: nobody was there to be asked. */
export type QuestionAnswer = { option: string; words?: string } | { words: string; by?: 'nobody' };

export type RunError = { kind: ModelErrorKind | 'internal'; message: string };
export type Outcome = 'answered' | 'plan_proposed' | 'refused' | 'stopped' | 'failed';
/** `interrupted`: the host went away in mid-run. */
export type PauseReason = 'limit' | 'max_tokens' | 'interrupted';

export type UndoResult = { path: string; outcome: 'restored' | 'unchanged' | 'refused'; reason?: string };

/**
 * Everything that happens. There is no second vocabulary: the log, the panel, the native chat, the terminal and `--json` all speak this one.
 * History is folded from `message_added` and `tool_finished`; deltas and progress are for display and are not logged.
 */
export type EventBody =
  | { type: 'run_started'; mode: Mode; prompt: string; model: ModelRef; limits: Limits; plan?: Plan }
  /** The machine that serves the model is short of memory, so this run pauses earlier than usual. */
  | { type: 'limits_shrunk'; limits: Limits; reason: string }
  | { type: 'turn_started'; turn: number }
  | { type: 'text_delta'; text: string }
  | { type: 'reasoning_delta'; text: string }
  | { type: 'tool_input_delta'; name?: string; text: string }
  | ModelWaiting
  | { type: 'message_added'; message: UserMessage | AssistantMessage }
  | { type: 'tool_started'; callId: string; name: string; title: string; effect: Effect; targets: Target[]; decision: Decision }
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
    }
  /** The answer as it counts: a grant is kept only where the rule is `edit`, since for others it would change nothing. */
  | { type: 'approval_resolved'; approvalId: string; callId: string; digest?: string; answer: ApprovalAnswer }
  /** The run waits until it is answered. */
  | { type: 'question_asked'; questionId: string; callId: string; question: Question }
  | { type: 'question_answered'; questionId: string; callId: string; answer: QuestionAnswer }
  /** Edits are asked for again, whatever this session or a run of it was granted before. */
  | { type: 'grants_revoked' }
  | { type: 'tool_progress'; callId: string; text: string }
  /** Written before the first byte of a change is, so that a crash in between can be taken back too. */
  | { type: 'changes_staged'; callId: string; changes: Omit<ChangeSummary, 'diff'>[] }
  | { type: 'file_changed'; callId: string; changes: ChangeSummary[] }
  | { type: 'tool_finished'; callId: string; result: ToolResult; durationMs: number; decision?: Decision }
  | { type: 'plan_proposed'; plan: Plan }
  /** `run` carries the plan as the user confirmed it, which may be an edited revision. */
  | { type: 'plan_resolved'; planId: string; answer: 'run' | 'discard'; plan?: Plan }
  | { type: 'plan_step'; planId: string; step: number; status: StepStatus; note?: string }
  | { type: 'budget_reached'; limit: keyof Limits; max: number }
  | { type: 'run_paused'; reason: PauseReason; summary: string }
  | { type: 'run_resumed' }
  | { type: 'run_finished'; outcome: Outcome; error?: RunError; usage: Usage; cost?: Cost; sessionCost?: Cost; durationMs: number }
  | { type: 'changes_undone'; undoneRunId: string; results: UndoResult[] };

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

/** What is known of a session, and of its runs, by its events. */

import type { Cost, Message, ModelRef, ToolCall, ToolResult, Usage, UserMessage } from '../model/messages.ts';
import type { Plan } from '../plan/plan.ts';
import type { StepStates } from '../plan/progress.ts';
import type { Allowance, Reached, Use } from '../run/budget.ts';
import type { CompletedCall } from '../run/repeats.ts';
import type { AgentEvent, ApprovalAnswer, Mode, Outcome, PauseReason, QuestionAnswer } from './events.ts';
import type { Grant } from './grant-scope.ts';
import type { Write } from './staged-writes.ts';

export type ApprovalRequest = Extract<AgentEvent, { type: 'approval_requested' }>;
export type AskedQuestion = Extract<AgentEvent, { type: 'question_asked' }>;

export type RunRecord = {
  runId: string;
  mode: Mode;
  model: ModelRef;
  prompt: string;
  plan?: Plan;
  /** Of the plan, by their numbers. */
  steps: StepStates;
  /** The plan that this run is to propose anew. */
  revises?: string;
  /** `live` after a crash or reload means: interrupted, and can be resumed. */
  status: 'live' | 'paused' | 'finished';
  pause?: PauseReason;
  outcome?: Outcome;
  /** Of all its answers so far, over pauses and reloads. */
  usage: Usage;
  cost: Partial<Cost>;
  used: Use;
  /** The limit at which it paused last. */
  reached?: Reached;
  /** Where it counts from, by the limits at which it was let go on with more. */
  from: Allowance;
  changed: boolean;
  /** How much the session had staged, and how many messages it had, when the run began. */
  stagedBefore: number;
  messagesBefore: number;
};

export type SessionState = {
  seq: number;
  title: string;
  /** Of all runs. */
  usage: Usage;
  cost: Partial<Cost>;
  runs: Map<string, RunRecord>;
  lastRun: RunRecord | undefined;
  messages: Message[];
  /** Calls of the last assistant message, while not all of them have a result. */
  open: ToolCall[];
  results: Map<string, ToolResult>;
  /** Calls that came to an end and were not withheld: denied, rejected, or beyond a limit. */
  carriedOut: Set<string>;
  /** Calls that may have taken effect although no result of them is known. */
  begun: Set<string>;
  approvals: Map<string, { approvalId: string; digest?: string; answer: ApprovalAnswer }>;
  pendingApprovals: Map<string, ApprovalRequest>;
  questionAnswers: Map<string, QuestionAnswer>;
  pendingQuestions: Map<string, AskedQuestion>;
  plans: Map<string, { plan: Plan; status: 'proposed' | 'confirmed' | 'discarded' | 'superseded' }>;
  /** What runs were about to write, in order, for undo. */
  staged: Write[];
  undone: Set<string>;
  /** The runs that an undo or a restore took back whole. */
  undos: Map<string, string[]>;
  /** What was taken back since the model last heard of its user. */
  takenBack: Set<string>;
  /** What the user allowed when asked, but for what the host keeps for the whole workspace. */
  grants: Grant[];
  callIds: Set<string>;
  /** What waits to join a run, in order, by its id. */
  queue: Map<string, Queued>;
  /** The run's last calls with their results. */
  recent: readonly CompletedCall[];
  /** When the last event of the log happened. */
  at: number;
};

export type Queued = { id: string; message: UserMessage };

export function emptySession(): SessionState {
  return {
    seq: 0,
    title: '',
    usage: {},
    cost: {},
    runs: new Map(),
    lastRun: undefined,
    messages: [],
    open: [],
    results: new Map(),
    carriedOut: new Set(),
    begun: new Set(),
    approvals: new Map(),
    pendingApprovals: new Map(),
    questionAnswers: new Map(),
    pendingQuestions: new Map(),
    plans: new Map(),
    staged: [],
    undone: new Set(),
    undos: new Map(),
    takenBack: new Set(),
    grants: [],
    callIds: new Set(),
    queue: new Map(),
    recent: [],
    at: 0,
  };
}

/** Whether the user has to answer something before the run can go on. */
export function waitsForUser({ pendingApprovals, pendingQuestions }: SessionState): boolean {
  return pendingApprovals.size > 0 || pendingQuestions.size > 0;
}

/** The state of a session and its runs, as computed from its events. */

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
  /** The steps of the plan by number. */
  steps: StepStates;
  /** The id of the plan that this run is to propose again. */
  revises?: string;
  /** After a crash or reload, `live` means that the run was interrupted and can be resumed. */
  status: 'live' | 'paused' | 'finished';
  pause?: PauseReason;
  outcome?: Outcome;
  /** The total of all answers so far, across pauses and reloads. */
  usage: Usage;
  cost: Partial<Cost>;
  used: Use;
  /** The limit at which the run paused last. */
  reached?: Reached;
  /** For each limit that the user extended, the use at that time. */
  from: Allowance;
  changed: boolean;
  /** The number of staged writes and of messages when the run began. */
  stagedBefore: number;
  messagesBefore: number;
};

export type SessionState = {
  seq: number;
  title: string;
  /** The total of all runs. */
  usage: Usage;
  cost: Partial<Cost>;
  runs: Map<string, RunRecord>;
  lastRun: RunRecord | undefined;
  messages: Message[];
  /** The calls of the last assistant message, until all of them have a result. */
  open: ToolCall[];
  results: Map<string, ToolResult>;
  /** Calls that were executed. Denied and rejected calls, and those beyond a limit, are not. */
  carriedOut: Set<string>;
  /** Calls that may have taken effect although they have no result. */
  begun: Set<string>;
  approvals: Map<string, { approvalId: string; digest?: string; answer: ApprovalAnswer }>;
  pendingApprovals: Map<string, ApprovalRequest>;
  questionAnswers: Map<string, QuestionAnswer>;
  pendingQuestions: Map<string, AskedQuestion>;
  plans: Map<string, { plan: Plan; status: 'proposed' | 'confirmed' | 'discarded' | 'superseded' }>;
  /** Writes that were about to happen, in order, for undo. */
  staged: Write[];
  undone: Set<string>;
  /** The runs that each undo or restore has completely undone. */
  undos: Map<string, string[]>;
  /** Paths that were undone since the model's last user message. */
  takenBack: Set<string>;
  /** The permissions that the user granted, except those for the whole workspace, which the host stores. */
  grants: Grant[];
  callIds: Set<string>;
  /** Messages that wait to join a run, in order, by id. */
  queue: Map<string, Queued>;
  /** The latest calls of the run with their results. */
  recent: readonly CompletedCall[];
  /** The time of the last logged event. */
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

/** Whether the run waits for an answer of the user. */
export function waitsForUser({ pendingApprovals, pendingQuestions }: SessionState): boolean {
  return pendingApprovals.size > 0 || pendingQuestions.size > 0;
}

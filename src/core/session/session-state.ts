/**
 * The state of a session and its runs, as computed from its events. Only `reduce` and the functions that it calls use the mutable types;
 * all other code gets the same objects with readonly types.
 */

import type { Compaction } from '../context/compacted.ts';
import {
  type Cost,
  type Message,
  type ModelRef,
  type ToolCall,
  type ToolResult,
  textOf,
  type Usage,
  type UserMessage,
} from '../model/messages.ts';
import type { Check, Plan, PlanStatus, StepStatus } from '../plan/plan.ts';
import type { ChangeSummary } from './effects.ts';
import type { AgentEvent, ApprovalAnswer, CheckOutcome, Mode, Outcome, PauseReason, QuestionAnswer, TodoItem } from './events.ts';
import type { Grant } from './grant-scope.ts';
import type { Allowance, Reached, Use } from './limits.ts';
import type { CompletedCall } from './repeats.ts';

export type ApprovalRequest = Extract<AgentEvent, { type: 'approval_requested' }>;
export type AskedQuestion = Extract<AgentEvent, { type: 'question_asked' }>;

export type RunRecord = Readonly<MutableRunRecord>;

export type MutableRunRecord = {
  runId: string;
  mode: Mode;
  model: ModelRef;
  prompt: string;
  plan?: Plan;
  /** The states of the plan's steps, by step number. */
  steps: StepStates;
  /** The id of the plan that this run is to propose again. */
  revises?: string;
  /** After a crash or reload, `live` means that the run was interrupted and can be resumed. */
  status: 'live' | 'paused' | 'finished';
  pause?: PauseReason;
  outcome?: Outcome;
  /** The total usage and cost of the run, across pauses and reloads. */
  usage: Usage;
  cost: Partial<Cost>;
  used: Use;
  /** The last limit at which the run paused. */
  reached?: Reached;
  /** For each limit that the user extended, the use at that time. */
  from: Allowance;
  changed: boolean;
  /** The number of staged writes and the number of messages when the run began. */
  stagedBefore: number;
  messagesBefore: number;
  /** Whether the message that starts the run is in the log, or was among the queued messages. */
  hasOpening: boolean;
};

/** A readonly view of a collection. Its entries come from events, which are never changed. */
type ReadonlyCollection<T> =
  T extends Map<infer Key, infer Value>
    ? ReadonlyMap<Key, Readonly<Value>>
    : T extends Set<infer Value>
      ? ReadonlySet<Value>
      : T extends readonly (infer Entry)[]
        ? readonly Readonly<Entry>[]
        : T extends object
          ? Readonly<T>
          : T;

export type SessionState = { readonly [Field in keyof MutableSessionState]: ReadonlyCollection<MutableSessionState[Field]> };

export type MutableSessionState = {
  seq: number;
  title: string;
  /** The total usage and cost of all runs. */
  usage: Usage;
  cost: Partial<Cost>;
  runs: Map<string, MutableRunRecord>;
  lastRun: MutableRunRecord | undefined;
  messages: Message[];
  /** The latest compaction. */
  compaction: Compaction | undefined;
  /** The estimated size of the last request in tokens, until its answer tells the real size. */
  asked: number | undefined;
  /** The ratio of counted to estimated tokens by model, see `modelKey`. */
  ratios: Map<string, number>;
  /** The context windows that overflow errors told, in tokens by model. */
  windows: Map<string, number>;
  /** The calls of the last assistant message, until all of them have a result. */
  open: ToolCall[];
  results: Map<string, ToolResult>;
  /** Ids of the calls that were executed. Calls that were denied, rejected or beyond a limit are not included. */
  carriedOut: Set<string>;
  /** Ids of the calls that may have taken effect although they have no result. */
  begun: Set<string>;
  approvals: Map<string, { approvalId: string; digest?: string; answer: ApprovalAnswer }>;
  pendingApprovals: Map<string, ApprovalRequest>;
  questionAnswers: Map<string, QuestionAnswer>;
  pendingQuestions: Map<string, AskedQuestion>;
  plans: Map<string, { plan: Plan; status: PlanStatus }>;
  /** What the model has listed to do in the last run, or in the runs of the same plan. */
  todo: readonly TodoItem[];
  /** All writes of the session in the order in which they were staged, for undo. */
  staged: Write[];
  undone: Set<string>;
  /** Ids of the runs that were completely undone, by the id of the undo or restore. */
  undos: Map<string, string[]>;
  /** Paths whose changes were undone since the last user message. */
  takenBack: Set<string>;
  /** The permissions that the user granted, except those for the whole workspace, which the host stores. */
  grants: Grant[];
  callIds: Set<string>;
  /** Messages that the user sent during a run and that the model has not received yet, in order, by id. */
  queue: Map<string, Queued>;
  /** The latest calls of the run with their results, for detecting repetitions. */
  recent: readonly CompletedCall[];
  /** The time of the last logged event. */
  at: number;
};

/** `runId` is the run during which the message was sent. */
export type Queued = { id: string; message: UserMessage; runId: string };

export function emptySession(): MutableSessionState {
  return {
    seq: 0,
    title: '',
    usage: {},
    cost: {},
    runs: new Map(),
    lastRun: undefined,
    messages: [],
    compaction: undefined,
    asked: undefined,
    ratios: new Map(),
    windows: new Map(),
    open: [],
    results: new Map(),
    carriedOut: new Set(),
    begun: new Set(),
    approvals: new Map(),
    pendingApprovals: new Map(),
    questionAnswers: new Map(),
    pendingQuestions: new Map(),
    plans: new Map(),
    todo: [],
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

/** Returns the texts of all queued messages, joined. */
export function queuedText({ queue }: Pick<SessionState, 'queue'>): string {
  return [...queue.values()].map(({ message }) => textOf(message)).join('\n\n');
}

/** Whether the run waits for an answer from the user. */
export function waitsForUser({ pendingApprovals, pendingQuestions }: SessionState): boolean {
  return pendingApprovals.size > 0 || pendingQuestions.size > 0;
}

/** `landed` is true when the write is known to have completed. `planId` and `step` name the plan step that it belongs to. */
export type Write = {
  runId: string;
  callId: string;
  planId?: string;
  step?: number | undefined;
  change: Omit<ChangeSummary, 'diff'>;
  landed: boolean;
  restore?: true;
};

export type StepState = {
  status: StepStatus;
  /** Whether the step was started by its first write instead of a report of the model. */
  implicit?: boolean;
  /** Whether the step is done but changed none of its files. */
  unchanged?: boolean;
  note?: string;
  check?: { check: Check; outcome: CheckOutcome; output: string };
  rolledBack?: boolean;
  /** The paths that the step changed, except those whose changes were undone. */
  files?: readonly string[];
};

export type StepStates = Record<number, StepState>;

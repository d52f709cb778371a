/**
 * The state of a session and its runs, as computed from its events. Only `reduce` and the functions that it calls use the mutable types;
 * all other code gets the same objects with readonly types.
 */

import type { Compaction } from '../context/compacted.ts';
import { type Cost, type ModelRef, type ToolCall, type ToolResult, textOf, type Usage, type UserMessage } from '../model/messages.ts';
import type { Check, Plan, PlanStatus, StepStatus } from '../plan/plan.ts';
import type { RunParent } from './children/child-ids.ts';
import type { AppliedCode, AppliedWorktree, ChangeSummary, FileRead } from './effects.ts';
import type {
  AgentEvent,
  ApprovalAnswer,
  CheckOutcome,
  Mode,
  Outcome,
  PauseReason,
  QuestionAnswer,
  SessionParent,
  TodoItem,
} from './events.ts';
import type { Grant, SessionRule } from './grant-scope.ts';
import type { Allowance, Reached, SessionLimits, Use } from './limits.ts';
import { type Conversation, MessageList } from './lists.ts';
import type { CompletedCall } from './repeats.ts';
import type { RunAgent } from './shapes/run-agent.ts';

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
  /** The latest results of the checks after the last step. */
  endChecks: readonly CheckResult[];
  /** The id of the plan that this run must propose again. */
  revises?: string;
  /** The attachments of the prompt, until its message is logged. The field is missing in older logs. */
  attachments?: UserMessage['content'];
  /** The code or the changes of a worktree that the user applies to files in this run. No model is called. */
  applies?: AppliedCode | AppliedWorktree;
  /** The id of the worktree in which the run works. */
  worktree?: string;
  /** The id of a run in another session. The prompt of this run is another version of the prompt of that run. */
  edits?: string;
  agent?: RunAgent;
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
  /** For each limit that the user extended, the usage at that time. */
  from: Allowance;
  changed: boolean;
  /** The number of calls that may have changed something, such as commands. */
  actions?: number;
  /** The number of staged writes when the run began. */
  stagedBefore: number;
  /** The number of messages when the run began. */
  messagesBefore: number;
  /** Whether the message that starts the run is in the log, or was among the queued messages. */
  hasOpening: boolean;
  /** The call in which this run works, if another run started it. */
  parent?: RunParent;
  /** The number of the latest child run. */
  children?: number;
};

/** A readonly view of a collection. Its entries come from events, which are never changed. */
type ReadonlyCollection<T> = T extends MessageList
  ? Conversation
  : T extends Map<infer Key, infer Value>
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
  /** The runs that the user started. In the state of a child run, this is the child alone. */
  runs: Map<string, MutableRunRecord>;
  /** The states of the child runs of the last run, at all depths, until the calls in which they work have a result. */
  children: Map<string, MutableSessionState>;
  lastRun: MutableRunRecord | undefined;
  /** The name of the agent that the user chose last. */
  agent: string | undefined;
  messages: MessageList;
  /** The latest compaction. */
  compaction: Compaction | undefined;
  /** The estimated size of the last request in tokens, until the answer reports the actual size. */
  asked: number | undefined;
  /** The ratio of counted to estimated tokens by model, see `modelKey`. */
  ratios: Map<string, number>;
  /** The context windows that overflow errors contained, in tokens by model. */
  windows: Map<string, number>;
  /** The calls of the last assistant message, until all of them have a result. */
  open: ToolCall[];
  results: Map<string, ToolResult>;
  /** The event numbers of these results, by call id. */
  resultSeqs: Map<string, number>;
  /** Ids of the calls that were executed. Calls that were denied, rejected or beyond a limit are not included. */
  carriedOut: Set<string>;
  /** Ids of the calls that may have taken effect although they have no result. */
  begun: Set<string>;
  approvals: Map<string, { approvalId: string; digest?: string; answer: ApprovalAnswer }>;
  pendingApprovals: Map<string, ApprovalRequest>;
  questionAnswers: Map<string, QuestionAnswer>;
  pendingQuestions: Map<string, AskedQuestion>;
  plans: Map<string, { plan: Plan; status: PlanStatus }>;
  /** The model's to-do list of the last run, or of all runs of the same plan. */
  todo: readonly TodoItem[];
  /** All writes of the session in the order in which they were staged, for undo. */
  staged: Write[];
  /** The file that a call read, by the id of the call. */
  reads: Map<string, FileRead>;
  /** The hash of the latest content of each file that was read or changed, according to the log, or undefined if the file was deleted. */
  contents: Map<string, string | undefined>;
  undone: Set<string>;
  /** Ids of the runs that were completely undone, by the id of the undo or restore. */
  undos: Map<string, string[]>;
  /** Paths whose changes were undone since the last user message. */
  takenBack: Set<string>;
  /** The permissions that the user granted, except those for the whole workspace, which the host stores. */
  grants: Grant[];
  /** The subjects that the user set to ask or deny in this session. */
  rules: SessionRule[];
  /** The limits that the user set for each run of this session. */
  limits: SessionLimits;
  callIds: Set<string>;
  /** Messages that the user sent during a run and that the model has not received yet, in order, by id. */
  queue: Map<string, Queued>;
  /** The latest calls of the run with their results, for detecting repetitions. */
  recent: readonly CompletedCall[];
  /** The time of the last logged event, except ratings. */
  at: number;
  isPinned: boolean;
  /** The session that this one is a fork of. */
  parent: SessionParent | undefined;
  /** The id of the worktree in which the session works, until its changes are applied or dropped. */
  worktree: string | undefined;
};

/** `runId` is the run during which the message was sent. */
export type Queued = { id: string; message: UserMessage; runId: string };

/** @param messages the list for the conversation, which is empty */
export function emptySession(messages = new MessageList()): MutableSessionState {
  return {
    seq: 0,
    title: '',
    usage: {},
    cost: {},
    runs: new Map(),
    children: new Map(),
    lastRun: undefined,
    agent: undefined,
    messages,
    compaction: undefined,
    asked: undefined,
    ratios: new Map(),
    windows: new Map(),
    open: [],
    results: new Map(),
    resultSeqs: new Map(),
    carriedOut: new Set(),
    begun: new Set(),
    approvals: new Map(),
    pendingApprovals: new Map(),
    questionAnswers: new Map(),
    pendingQuestions: new Map(),
    plans: new Map(),
    todo: [],
    staged: [],
    worktree: undefined,
    reads: new Map(),
    contents: new Map(),
    undone: new Set(),
    undos: new Map(),
    takenBack: new Set(),
    grants: [],
    rules: [],
    limits: {},
    callIds: new Set(),
    queue: new Map(),
    recent: [],
    at: 0,
    isPinned: false,
    parent: undefined,
  };
}

/** Returns the texts of all queued messages, joined. */
export function queuedText({ queue }: Pick<SessionState, 'queue'>): string {
  return [...queue.values()].map(({ message }) => textOf(message)).join('\n\n');
}

/** Returns true if the run waits for an answer from the user, and none of its child runs can work meanwhile. */
export function waitsForUser({ pendingApprovals, pendingQuestions, children, lastRun }: SessionState): boolean {
  if (pendingApprovals.size === 0 && pendingQuestions.size === 0) return false;
  for (const child of children.values()) {
    const run = child.lastRun;
    if (run?.status === 'live' && run.parent?.runId === lastRun?.runId && !waitsForUser(child)) return false;
  }
  return true;
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
  check?: CheckResult;
  rolledBack?: boolean;
  /** Whether a command or another program ran during the step, which may have changed files without Kedge knowing. */
  acted?: true;
  /** The paths that the step changed, except those whose changes were undone. */
  files?: readonly string[];
};

export type CheckResult = { check: Check; outcome: CheckOutcome; output: string };

export type StepStates = Record<number, StepState>;

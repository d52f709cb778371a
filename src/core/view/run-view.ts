/** One run as hosts display it. Views are immutable: parts that an event does not concern stay the same objects. */

import type { ContextUse } from '../context/window.ts';
import type { Cost, ImagePart, MentionRef, ModelRef, ToolResult, Usage } from '../model/messages.ts';
import type { ModelWaiting } from '../model/model.ts';
import type { Plan } from '../plan/plan.ts';
import { refusedPaths } from '../plan/progress.ts';
import type { Rating } from '../session/answers.ts';
import type { RunParent } from '../session/children/child-ids.ts';
import type { ChangeSummary, Decision, Effect, Target } from '../session/effects.ts';
import type {
  AgentEvent,
  ApprovalAnswer,
  Mode,
  Outcome,
  PauseReason,
  Receipt,
  RunError,
  TodoItem,
  UndoResult,
  WorktreeOutcome,
} from '../session/events.ts';
import type { BudgetKey } from '../session/limits.ts';
import type { ApprovalRequest, AskedQuestion, CheckResult, StepStates } from '../session/session-state.ts';
import { callText } from '../words/call-text.ts';
import type { ReadRules } from './read-rules.ts';
import type { FileChange, RunWrite } from './run-changes.ts';

export type CallStatus = 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'denied' | 'rejected';

export type CallView = {
  id: string;
  name: string;
  status: CallStatus;
  title?: string;
  effect?: Effect;
  input?: unknown;
  malformed?: string;
  /** Why a malformed call is invalid, when its arguments are valid JSON. */
  problem?: string;
  targets: readonly Target[];
  decision?: Decision;
  /** The MCP server of the tool. The field is missing for built-in tools. */
  source?: string;
  command?: string;
  hosts?: readonly string[];
  /** The approval requests of the call, newest last. A request without an answer is pending, or the run has ended. */
  asked: readonly { request: ApprovalRequest; answer?: ApprovalAnswer }[];
  /** True if the policy or the user has allowed the call and its execution has begun. */
  begun?: true;
  /** True if the tool was executed, regardless of its result. */
  carriedOut?: true;
  answer?: ApprovalAnswer;
  progress?: string;
  result?: ToolResult;
  durationMs?: number;
  /** The outcome of the call in one or two words, such as `exit 1`. */
  note?: string;
  /** Whether the command of the call was stopped before it ended. */
  stopped?: true;
  changes: readonly ChangeSummary[];
  /** When the call began, in milliseconds since 1970. */
  at?: number;
};

export type TurnView = {
  turn: number;
  text: string;
  reasoning: string;
  /** Whether the answer was cut off. The received part is kept. */
  brokeOff?: boolean;
  /** The tool call that the model is writing. `size` is the number of characters received. */
  draft?: { name?: string; size: number };
  /** Whether the complete message has arrived. It replaces the text that was streamed. */
  settled: boolean;
  calls: readonly CallView[];
};

/** A message or answer from the user during the run, or a note from Kedge to the model. */
export type SaidView = {
  key: string;
  text: string;
  answers?: string;
  images?: readonly ImagePart[];
  mentions?: readonly MentionRef[];
  by?: 'kedge';
};
/** A compaction of the conversation, with the text that replaced the earlier messages. */
export type CompactionView = Pick<
  Extract<AgentEvent, { type: 'context_compacted' }>,
  'reason' | 'by' | 'before' | 'after' | 'carried' | 'summary' | 'seq'
>;
export type ProposalView = { plan: Plan; resolved?: 'run' | 'discard' | 'superseded' };

export type RunView = {
  id: string;
  mode: Mode;
  prompt: string;
  /** When the run began, in milliseconds since 1970. */
  at?: number;
  /** Images that were attached to the prompt. */
  images?: readonly ImagePart[];
  /** The mentions of the prompt. */
  mentions?: readonly MentionRef[];
  model?: ModelRef;
  /** Whether the user applies code from an answer to a file. No model is called. */
  applies?: true;
  /** The id of a run in another session. The prompt of this run is another version of the prompt of that run. */
  /** The name of the agent. */
  agent?: string;
  edits?: string;
  /** Whether the run comes from a file, so that nothing in it can be undone. */
  isImported?: true;
  /** The worktree in which the run works, or what became of it. Nothing can be undone in a closed worktree. */
  worktree?: 'open' | WorktreeOutcome;
  worktreeId?: string;
  /** The wait before the request is sent to the model again. */
  waiting?: ModelWaiting;
  /** The rules files and memories that were added to the conversation in this run. */
  rules?: readonly ReadRules[];
  /** The confirmed plan that this run carries out. */
  plan?: Plan;
  /** Why the run follows a later revision of the plan than the confirmed one. */
  revised?: string;
  /** The content of the context window at the last request. */
  context?: ContextUse;
  /** The model's to-do list. */
  todo?: readonly TodoItem[];
  compactions: readonly CompactionView[];
  /** Whether the model is writing a summary. */
  compacting?: true;
  steps: StepStates;
  /** The latest results of the checks after the last step of the plan. */
  endChecks: readonly CheckResult[];
  turns: readonly TurnView[];
  approvals: readonly ApprovalRequest[];
  questions: readonly AskedQuestion[];
  said: readonly SaidView[];
  proposal?: ProposalView;
  /** The writes of the run's calls, in order. */
  writes: readonly RunWrite[];
  /** The changes in `writes`, by file. */
  changes: readonly FileChange[];
  /** The commands that the run executed in tool calls and plan checks. */
  commands: readonly string[];
  /** The numbers of the plan steps that are done and changed none of their files. */
  unchangedSteps: readonly number[];
  limit?: { limit: BudgetKey; max: number; unpriced?: number | undefined };
  /** Why the limits of the run are lower than usual. */
  shrunk?: string;
  /** The actions of hooks, each reported once. */
  hooks?: readonly string[];
  paused?: { reason: PauseReason; summary: string };
  finished?: { outcome: Outcome; error?: RunError; usage: Usage; cost?: Cost; sessionCost?: Cost; durationMs: number; receipt?: Receipt };
  /** The user's rating of the answer. */
  rating?: { rating: Rating; words?: string };
  /** The call in which this run works, if another run started it. */
  parent?: RunParent;
  /** The child runs, in the order in which they began. */
  children?: readonly RunView[];
  undone?: readonly UndoResult[];
  /** The id of the undo that undid the run, with which the undo can itself be undone. */
  undoId?: string;
  /** The id of the restore that undid the run. */
  restoredBy?: string;
  /** The results of undoing single files or hunks, by path. */
  parts?: Readonly<Record<string, { result: UndoResult; hunk: boolean }>>;
};

export function newRun(id: string): RunView {
  const lists = {
    turns: [],
    approvals: [],
    questions: [],
    said: [],
    compactions: [],
    writes: [],
    changes: [],
    commands: [],
    unchangedSteps: [],
    endChecks: [],
  };
  return { id, mode: 'ask', prompt: '', steps: {}, ...lists };
}

export function callsIn({ turns }: RunView): CallView[] {
  return turns.flatMap(({ calls }) => calls);
}

/** Returns the run and all runs that worked for it. */
export function withChildren(run: RunView): RunView[] {
  return [run, ...(run.children ?? []).flatMap(withChildren)];
}

/** Returns the index of the turn that made the call, or -1. The search starts at the end. */
export function turnOf({ turns }: RunView, callId: string): number {
  return turns.findLastIndex(({ calls }) => calls.some(({ id }) => id === callId));
}

export function findCall(run: RunView, callId: string): CallView | undefined {
  return run.turns[turnOf(run, callId)]?.calls.find(({ id }) => id === callId);
}

/**
 * Returns what a run that the user has paused does next, for example "Edit src/tide.ts". It does not describe the effect of the call, because the
 * call is prepared and judged later.
 */
export function nextStepText({ turns }: RunView): string {
  const call = turns.at(-1)?.calls.find(({ status }) => status === 'queued');
  return call ? callText(call.name, call.input) : 'the model’s next turn';
}

/** Returns the files whose content the run has read. The targets of searches and listings are folders. */
export function filesRead(run: RunView): Set<string> {
  const read = callsIn(run).filter(({ status, name }) => status === 'done' && name === 'read_file');
  return new Set(read.flatMap(({ targets }) => targets.map(({ path }) => path)));
}

/** Returns true if all changes of the run were undone, by an undo or a restore. */
export function isTakenBack({ undone, restoredBy }: RunView): boolean {
  return restoredBy !== undefined || (undone !== undefined && refusedPaths(undone).size === 0);
}

/** Returns true if the last answer was cut off and can be continued. */
export function brokeOff(run: RunView): boolean {
  return run.turns.at(-1)?.brokeOff ?? false;
}

/** One run as hosts show it. Views are immutable: whatever an event does not concern stays the same object. */

import type { Cost, ImagePart, ModelRef, ToolResult, Usage } from '../model/messages.ts';
import type { ModelWaiting } from '../model/model.ts';
import type { Plan } from '../plan/plan.ts';
import { refusedPaths } from '../plan/progress.ts';
import type { ChangeSummary, Decision, Effect, Target } from '../session/effects.ts';
import type { ApprovalAnswer, Mode, Outcome, PauseReason, Receipt, RunError, UndoResult } from '../session/events.ts';
import type { BudgetKey } from '../session/limits.ts';
import type { ApprovalRequest, AskedQuestion, StepStates } from '../session/session-state.ts';
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
  /** What else is wrong with a malformed call than that it is not JSON. */
  problem?: string;
  targets: readonly Target[];
  decision?: Decision;
  /** The server that the tool belongs to; absent for built-in tools. */
  source?: string;
  command?: string;
  hosts?: readonly string[];
  /** What the user was asked about the call, the newest last; without an answer it is pending, or its run ended. */
  asked: readonly { request: ApprovalRequest; answer?: ApprovalAnswer }[];
  /** The policy or the user allowed the call, and it began. */
  begun?: true;
  /** The tool was run, with whatever result. */
  carriedOut?: true;
  answer?: ApprovalAnswer;
  progress?: string;
  result?: ToolResult;
  durationMs?: number;
  /** How it ended, in a word or two. */
  note?: string;
  /** The command that the call is about was stopped before it ended. */
  stopped?: true;
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
  steps: StepStates;
  turns: readonly TurnView[];
  approvals: readonly ApprovalRequest[];
  questions: readonly AskedQuestion[];
  said: readonly SaidView[];
  proposal?: ProposalView;
  /** What its calls wrote, in order. */
  writes: readonly RunWrite[];
  /** The same by file. */
  changes: readonly FileChange[];
  /** Commands that it ran: those of its calls, and the checks of its plan's steps. */
  commands: readonly string[];
  /** Steps that it finished without changing a file. */
  unchangedSteps: readonly number[];
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
};

export function newRun(id: string): RunView {
  const lists = { turns: [], approvals: [], questions: [], said: [], writes: [], changes: [], commands: [], unchangedSteps: [] };
  return { id, mode: 'ask', prompt: '', steps: {}, ...lists };
}

export function callsIn({ turns }: RunView): CallView[] {
  return turns.flatMap(({ calls }) => calls);
}

/** The index of the turn that asked for the call, looked for from the end; -1 where none did. */
export function turnOf({ turns }: RunView, callId: string): number {
  return turns.findLastIndex(({ calls }) => calls.some(({ id }) => id === callId));
}

export function findCall(run: RunView, callId: string): CallView | undefined {
  return run.turns[turnOf(run, callId)]?.calls.find(({ id }) => id === callId);
}

/** Files whose content the run has read. What a search or a listing looks at is a folder. */
export function filesRead(run: RunView): Set<string> {
  const read = callsIn(run).filter(({ status, name }) => status === 'done' && name === 'read_file');
  return new Set(read.flatMap(({ targets }) => targets.map(({ path }) => path)));
}

/** Whether all that the run changed was taken back, by an undo or a restore. */
export function isTakenBack({ undone, restoredBy }: RunView): boolean {
  return restoredBy !== undefined || (undone !== undefined && refusedPaths(undone).size === 0);
}

/** Whether there is half an answer to go on with. */
export function brokeOff(run: RunView): boolean {
  return run.turns.at(-1)?.brokeOff ?? false;
}

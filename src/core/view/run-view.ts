/** One run as hosts display it. Views are immutable: whatever an event does not concern stays the same object. */

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
  /** Why a malformed call is invalid, when its arguments are valid JSON. */
  problem?: string;
  targets: readonly Target[];
  decision?: Decision;
  /** The MCP server of the tool. Missing for built-in tools. */
  source?: string;
  command?: string;
  hosts?: readonly string[];
  /** The approval requests of the call, newest last. One without an answer is pending, or its run has ended. */
  asked: readonly { request: ApprovalRequest; answer?: ApprovalAnswer }[];
  /** The policy or the user allowed the call, and its execution began. */
  begun?: true;
  /** The tool was executed, with any result. */
  carriedOut?: true;
  answer?: ApprovalAnswer;
  progress?: string;
  result?: ToolResult;
  durationMs?: number;
  /** How the call ended, in one or two words. */
  note?: string;
  /** The command of the call was stopped before it ended. */
  stopped?: true;
  changes: readonly ChangeSummary[];
};

export type TurnView = {
  turn: number;
  text: string;
  reasoning: string;
  /** The answer ended early. The part that was received is kept. */
  brokeOff?: boolean;
  /** The call that the model is writing now. */
  draft?: { name?: string; size: number };
  /** The complete message has arrived and replaces what was streamed. */
  settled: boolean;
  calls: readonly CallView[];
};

/** What the user said during the run (a message that joined, or an answer), or what Kedge told the model. */
export type SaidView = { key: string; text: string; answers?: string; images?: readonly ImagePart[]; by?: 'kedge' };
export type ProposalView = { plan: Plan; resolved?: 'run' | 'discard' | 'superseded' };

export type RunView = {
  id: string;
  mode: Mode;
  prompt: string;
  /** Images that were attached to the prompt. */
  images?: readonly ImagePart[];
  model?: ModelRef;
  /** The model is not called again before this wait ends. */
  waiting?: ModelWaiting;
  /** The confirmed plan that this run carries out. */
  plan?: Plan;
  /** Why the plan is a different revision than the confirmed one. */
  revised?: string;
  steps: StepStates;
  turns: readonly TurnView[];
  approvals: readonly ApprovalRequest[];
  questions: readonly AskedQuestion[];
  said: readonly SaidView[];
  proposal?: ProposalView;
  /** The writes of its calls, in order. */
  writes: readonly RunWrite[];
  /** The same writes, by file. */
  changes: readonly FileChange[];
  /** The commands that it ran: those of its calls, and the checks of its plan's steps. */
  commands: readonly string[];
  /** The plan steps that it finished without changing a file. */
  unchangedSteps: readonly number[];
  limit?: { limit: BudgetKey; max: number; unpriced?: number | undefined };
  /** Why the run has smaller limits than usual. */
  shrunk?: string;
  paused?: { reason: PauseReason; summary: string };
  finished?: { outcome: Outcome; error?: RunError; usage: Usage; cost?: Cost; sessionCost?: Cost; durationMs: number; receipt?: Receipt };
  undone?: readonly UndoResult[];
  /** The id of the undo, with which it can itself be undone, or the id of the restore. */
  undoId?: string;
  restoredBy?: string;
  /** The results for single files that were undone, wholly or in part. */
  parts?: Readonly<Record<string, { result: UndoResult; hunk: boolean }>>;
};

export function newRun(id: string): RunView {
  const lists = { turns: [], approvals: [], questions: [], said: [], writes: [], changes: [], commands: [], unchangedSteps: [] };
  return { id, mode: 'ask', prompt: '', steps: {}, ...lists };
}

export function callsIn({ turns }: RunView): CallView[] {
  return turns.flatMap(({ calls }) => calls);
}

/** Returns the index of the turn that made the call, or -1. The search starts at the end. */
export function turnOf({ turns }: RunView, callId: string): number {
  return turns.findLastIndex(({ calls }) => calls.some(({ id }) => id === callId));
}

export function findCall(run: RunView, callId: string): CallView | undefined {
  return run.turns[turnOf(run, callId)]?.calls.find(({ id }) => id === callId);
}

/** Returns the files whose content the run has read. The targets of searches and listings are folders. */
export function filesRead(run: RunView): Set<string> {
  const read = callsIn(run).filter(({ status, name }) => status === 'done' && name === 'read_file');
  return new Set(read.flatMap(({ targets }) => targets.map(({ path }) => path)));
}

/** Tells whether all changes of the run were undone, by an undo or a restore. */
export function isTakenBack({ undone, restoredBy }: RunView): boolean {
  return restoredBy !== undefined || (undone !== undefined && refusedPaths(undone).size === 0);
}

/** Tells whether there is a partial answer that can be continued. */
export function brokeOff(run: RunView): boolean {
  return run.turns.at(-1)?.brokeOff ?? false;
}

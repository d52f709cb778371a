/** Which writes an undo or a restore takes back, how, and what the log says of it. */
import type { EventBody, RestorePoint, UndoResult } from '../../core/session/events.ts';
import type { SessionState } from '../../core/session/session-state.ts';
import type { RecordChanges, WriteGate } from '../../workspace/gate.ts';
import { writesOfFile, writesOfRun, writesSince } from './checkpoints.ts';
import type { EventLog } from './event-log.ts';
import { SessionError } from './session-error.ts';

/** A file of a run's changes, or one hunk of it, by its place in the diff of the review that has this digest. */
export type UndoPart = { path: string; hunk?: { index: number; digest: string } };

export type TakingBack = {
  runId: string;
  isRestore: boolean;
  carryOut(gate: WriteGate, record: RecordChanges, signal: AbortSignal | undefined): Promise<UndoResult[]>;
  done(undoId: string, results: UndoResult[]): EventBody;
};

/** @throws SessionError where there is nothing to take back. */
export function undoing(state: SessionState, runId: string, part?: UndoPart): TakingBack {
  const staged = part ? writesOfFile(state, runId, part.path) : writesOfRun(state, runId);
  if (staged.length === 0) throw new SessionError(part ? `This run did not change ${part.path}.` : 'This run did not change any files.');
  const isMoved = staged.some(({ path }) => path !== part?.path);
  // A file that was moved goes back whole.
  const hunk = isMoved ? undefined : part?.hunk;
  const named = part && { part: { path: part.path, ...(hunk && { hunk: hunk.index }) } };
  return {
    runId,
    isRestore: false,
    carryOut: (gate, record, signal) => (hunk ? gate.undoHunk(staged, hunk, record) : gate.undo(staged, record, signal)),
    done: (undoId, results) => ({ type: 'changes_undone', undoneRunId: runId, undoId, results, ...named }),
  };
}

/** @throws SessionError where there is nothing to take back. */
export function restoring(state: SessionState, to: RestorePoint): TakingBack {
  const staged = writesSince(state, to);
  if (staged.length === 0) throw new SessionError('Kedge has not changed any files since then.');
  // What is taken back of the undo of one run belongs to that run.
  const undone = 'undoId' in to ? state.staged.find(({ callId }) => callId === to.undoId) : undefined;
  return {
    runId: undone?.runId ?? state.lastRun?.runId ?? '',
    isRestore: !undone || undone.restore === true,
    carryOut: (gate, record, signal) => gate.undo(staged, record, signal),
    done: (undoId, results) => ({ type: 'changes_restored', undoId, to, results }),
  };
}

export type TakeBackPorts = { log: EventLog; gate(): Promise<WriteGate>; newId(): string };

/**
 * `plan` says what is to be taken back, once nobody else can write the log. Where it is stopped, the log says what was taken back by then.
 * @throws SessionError where another window or process writes the log, and what `signal` says where nothing was done yet.
 */
export async function takeBack(plan: () => TakingBack, { log, gate, newId }: TakeBackPorts, signal?: AbortSignal): Promise<void> {
  log.lock();
  try {
    const { runId, isRestore, carryOut, done } = plan();
    const undoId = newId();
    const record: RecordChanges = (changes) =>
      log.emit(runId, { type: 'undo_staged', undoId, ...(isRestore && { restore: true }), changes });
    const results = await carryOut(await gate(), record, signal);
    log.emit(runId, done(undoId, results));
  } finally {
    log.unlock();
  }
}

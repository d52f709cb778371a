/** Undoes or restores files and logs the result. */
import type { EventBody, RestorePoint, UndoResult } from '../../core/session/events.ts';
import type { SessionState } from '../../core/session/session-state.ts';
import type { RecordChanges, WriteGate } from '../../workspace/gate.ts';
import { writesOfFile, writesOfRun, writesSince } from './checkpoints.ts';
import type { EventLog } from './event-log.ts';
import { SessionError } from './session-error.ts';

export { writesOfRun };

/**
 * One file of a run's changes, or one hunk of it. `index` is the position of the hunk in the diff of the review with the digest `digest`.
 */
export type UndoPart = { path: string; hunk?: { index: number; digest: string } };

export type TakingBack = {
  runId: string;
  isRestore: boolean;
  carryOut(gate: WriteGate, record: RecordChanges, signal: AbortSignal | undefined): Promise<UndoResult[]>;
  done(undoId: string, results: UndoResult[]): EventBody;
};

/** Selects the changes of a run to undo. @throws SessionError if there are none. */
export function undoing(state: SessionState, runId: string, part?: UndoPart): TakingBack {
  const staged = part ? writesOfFile(state, runId, part.path) : writesOfRun(state, runId);
  if (staged.length === 0)
    throw new SessionError(
      part
        ? `This run did not change ${part.path}, so there is nothing to undo.`
        : 'This run did not change any files, so there is nothing to undo.',
    );
  const isMoved = staged.some(({ path }) => path !== part?.path);
  // A moved file can only be undone completely.
  const hunk = isMoved ? undefined : part?.hunk;
  const named = part && { part: { path: part.path, ...(hunk && { hunk: hunk.index }) } };
  return {
    runId,
    isRestore: false,
    carryOut: (gate, record, signal) => (hunk ? gate.undoHunk(staged, hunk, record) : gate.undo(staged, record, signal)),
    done: (undoId, results) => ({ type: 'changes_undone', undoneRunId: runId, undoId, results, ...named }),
  };
}

/** Selects the changes to undo for a restore. @throws SessionError if there are none. */
export function restoring(state: SessionState, to: RestorePoint): TakingBack {
  const staged = writesSince(state, to);
  if (staged.length === 0) throw new SessionError('Kedge has not changed any files since this point, so there is nothing to restore.');
  // If the restore reverses the undo of one run, its event belongs to that run.
  const undone = 'undoId' in to ? state.staged.find(({ callId }) => callId === to.undoId) : undefined;
  return {
    runId: undone?.runId ?? state.lastRun?.runId ?? '',
    isRestore: !undone || undone.restore === true,
    carryOut: (gate, record, signal) => gate.undo(staged, record, signal),
    done: (undoId, results) => ({ type: 'changes_restored', undoId, to, results }),
  };
}

/** `gate` returns the gate of the place in which a run worked. */
export type TakeBackPorts = { log: EventLog; gate(runId: string): Promise<WriteGate>; newId(): string };

/**
 * Undoes or restores files. `plan` is called while the log is locked and selects the changes. If `signal` stops the work, the log contains
 * what was done. @throws SessionError if another window or process is writing to the log, or the reason of `signal` if nothing was undone yet.
 */
export async function takeBack(plan: () => TakingBack, { log, gate, newId }: TakeBackPorts, signal?: AbortSignal): Promise<void> {
  log.lock();
  try {
    const { runId, isRestore, carryOut, done } = plan();
    const undoId = newId();
    const record: RecordChanges = (changes) =>
      log.emit(runId, { type: 'undo_staged', undoId, ...(isRestore && { restore: true }), changes });
    const results = await carryOut(await gate(runId), record, signal);
    log.emit(runId, done(undoId, results));
  } finally {
    log.unlock();
  }
}

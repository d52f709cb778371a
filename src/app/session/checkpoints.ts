/** Selects the writes of a session that an undo or a restore undoes. */
import type { RestorePoint } from '../../core/session/events.ts';
import type { SessionState, Write } from '../../core/session/session-state.ts';
import type { Staged } from '../../workspace/checkpoints.ts';

const asStaged = ({ change, landed }: Write): Staged => ({ ...change, landed });

/** Returns the writes of a run and of its undos. With `path`, only the writes of that file are returned. */
export function writesOfRun({ staged }: SessionState, runId: string, path?: string): Staged[] {
  return staged
    .filter((write) => write.runId === runId && !write.restore && (path ?? write.change.path) === write.change.path)
    .map(asStaged);
}

/** Returns the writes of a file under all paths between which the run moved it. */
export function writesOfFile(state: SessionState, runId: string, path: string): Staged[] {
  const all = writesOfRun(state, runId);
  const places = new Set([path]);
  for (let known = 0; known < places.size; ) {
    known = places.size;
    for (const write of all) {
      if (write.from === undefined || !(places.has(write.path) || places.has(write.from))) continue;
      places.add(write.path).add(write.from);
    }
  }
  return all.filter((write) => places.has(write.path));
}

/** Returns all writes of the session after a restore point, including those of undos. */
export function writesSince({ staged, runs }: SessionState, to: RestorePoint): Staged[] {
  if ('undoId' in to) return staged.filter(({ callId }) => callId === to.undoId).map(asStaged);
  const last = staged.findLastIndex(({ callId }) => callId === to.callId);
  const from = to.callId === undefined ? runs.get(to.runId)?.stagedBefore : last < 0 ? undefined : last + 1;
  return from === undefined ? [] : staged.slice(from).map(asStaged);
}

/** The files that a run changed. */

import { refusedPaths } from '../plan/progress.ts';
import type { ChangeSummary } from '../session/effects.ts';
import type { UndoResult } from '../session/events.ts';

type Change = Omit<ChangeSummary, 'diff'>;

/**
 * The changes that one call wrote. `staged` means that the call is about to write them. `unknown` means that the run ended before the log
 * recorded whether they were written. `step` is the plan step that was running.
 */
export type RunWrite = { callId: string; status: 'staged' | 'unknown' | 'landed'; step?: number | undefined; changes: readonly Change[] };

/**
 * All changes of one file. `callId` is the last call that changed the file. It is missing when the last change may not have been written.
 */
export type FileChange = Pick<ChangeSummary, 'path' | 'kind' | 'from' | 'added' | 'removed'> & { callId?: string };

/** Returns one entry for each file. A file that was moved counts once, under its new path. */
export function changesOf(writes: readonly RunWrite[]): FileChange[] {
  const byPath = new Map<string, FileChange>();
  for (const write of writes) addWrite(byPath, write);
  return [...byPath.values()];
}

/** Adds a write to the result of `changesOf`. */
export function withWrite(changes: readonly FileChange[], write: RunWrite): FileChange[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  addWrite(byPath, write);
  return [...byPath.values()];
}

function addWrite(byPath: Map<string, FileChange>, { callId, status, changes }: RunWrite): void {
  const moved = new Set(changes.map(({ from }) => from));
  for (const { path, kind, from, added, removed } of changes) {
    if (kind === 'delete' && moved.has(path)) continue;
    const before = byPath.get(path) ?? (from === undefined ? undefined : byPath.get(from));
    if (from !== undefined) byPath.delete(from);
    byPath.set(path, {
      path,
      kind: before?.kind === 'create' && kind !== 'delete' ? 'create' : kind,
      from: before?.from ?? from,
      added: (before?.added ?? 0) + added,
      removed: (before?.removed ?? 0) + removed,
      callId: status === 'landed' ? callId : undefined,
    });
  }
}

/**
 * Removes the writes that were undone when a step was rolled back. Writes of other steps and of files that could not be restored remain.
 */
export function rolledBack(writes: readonly RunWrite[], step: number, results: readonly UndoResult[]): RunWrite[] {
  const refused = refusedPaths(results);
  return writes.map((write) => {
    if (write.step === step) return { ...write, changes: write.changes.filter(({ path }) => refused.has(path)) };
    // The write is replaced by a new object, because reduce-run.ts caches facts about the staged object that no longer apply.
    return write.status === 'staged' ? { ...write } : write;
  });
}

/** Returns the changes that are known to have been written. */
export function landedChanges({ writes }: { writes: readonly RunWrite[] }): FileChange[] {
  return changesOf(writes.filter(({ status }) => status === 'landed'));
}

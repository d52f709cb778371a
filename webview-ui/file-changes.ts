/** The files that a run changed, a row each. */
import type { ChangeSummary } from '../src/core/session/effects.ts';

/** Without `callId` it may have been written: no diff of it is known. */
export type FileChange = Pick<ChangeSummary, 'path' | 'kind' | 'from' | 'added' | 'removed'> & { callId?: string };

/** A file that several calls changed is one row; its diff is the last call's. */
export function mergeChanges(
  changes: readonly FileChange[],
  callId: string | undefined,
  added: readonly Omit<ChangeSummary, 'diff'>[],
): FileChange[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const moved = new Set(added.map(({ from }) => from));
  for (const { path, kind, from, added: plus, removed } of added) {
    if (kind === 'delete' && moved.has(path)) continue;
    const before = byPath.get(path) ?? (from === undefined ? undefined : byPath.get(from));
    if (from !== undefined) byPath.delete(from);
    byPath.set(path, {
      path,
      kind: before?.kind === 'create' && kind !== 'delete' ? 'create' : kind,
      from: before?.from ?? from,
      added: (before?.added ?? 0) + plus,
      removed: (before?.removed ?? 0) + removed,
      callId,
    });
  }
  return [...byPath.values()];
}

/** Lets a user accept or refuse the hunks of a displayed diff. */
import type { ChangeSummary, FileRevision } from '../session/effects.ts';

/** Splits a diff into its hunks. A diff without hunks, as of a move, gives an empty list. */
export function splitHunks(diff: string): string[] {
  // Only \n ends a line of a diff. Other line breaks may be part of a line that looks like a hunk header.
  return diff.split(/(?<=\n)(?=@@ )/).filter((part) => part.startsWith('@@ '));
}

/** A moved file consists of two changes. The deletion of the old path follows the decision on the new one. */
export function goesWithMove({ path, kind }: ChangeSummary, changes: readonly ChangeSummary[]): boolean {
  return kind === 'delete' && changes.some(({ from }) => from === path);
}

/** Counts the hunks to decide on. A created, deleted or only moved file counts as one. */
export function countHunks({ diff }: ChangeSummary): number {
  return Math.max(1, splitHunks(diff).length);
}

/** Returns undefined when the file is accepted as proposed. */
export function fileRevision(total: number, refused: readonly number[]): FileRevision | undefined {
  if (refused.length === 0) return undefined;
  return refused.length === total ? 'refused' : { without: [...refused] };
}

/** Lets a user accept or refuse the hunks of a displayed diff. */
import type { ChangeSummary, FileRevision } from '../session/effects.ts';

/** Splits a diff into its hunks. Returns an empty list for a diff without hunks, such as the diff of a move. */
export function splitHunks(diff: string): string[] {
  // Only \n ends a line of a diff. Other line breaks may be part of a line that looks like a hunk header.
  return diff.split(/(?<=\n)(?=@@ )/).filter((part) => part.startsWith('@@ '));
}

/** Returns true if a change is the deletion of the old path of a moved file. The decision on the new path applies to it, too. */
export function goesWithMove({ path, kind }: ChangeSummary, changes: readonly ChangeSummary[]): boolean {
  return kind === 'delete' && changes.some(({ from }) => from === path);
}

/** Returns the number of hunks that the user can decide on. A diff without hunks counts as one. */
export function countHunks({ diff }: ChangeSummary): number {
  return Math.max(1, splitHunks(diff).length);
}

/** Returns the decision on a file from the indexes of the refused hunks, or undefined when the file is accepted as proposed. */
export function fileRevision(total: number, refused: readonly number[]): FileRevision | undefined {
  if (refused.length === 0) return undefined;
  return refused.length === total ? 'refused' : { without: [...refused] };
}

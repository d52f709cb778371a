/** What a user keeps of a proposed change, by the hunks of its diffs as they are shown. */
import type { ChangeSummary, FileRevision } from './tool.ts';

/** Of a diff without any, as of a move, there are none. */
export function splitHunks(diff: string): string[] {
  // Only \n ends a line of a diff: what else a line holds may look like one.
  return diff.split(/(?<=\n)(?=@@ )/).filter((part) => part.startsWith('@@ '));
}

/** A file that moves is two changes, of which the one where it comes from goes with the other. */
export function goesWithMove({ path, kind }: ChangeSummary, changes: readonly ChangeSummary[]): boolean {
  return kind === 'delete' && changes.some(({ from }) => from === path);
}

/** A file that is made, deleted or only moved is taken or left whole. */
export function hunksIn({ diff }: ChangeSummary): number {
  return Math.max(1, splitHunks(diff).length);
}

/** undefined where the file is taken as it was proposed. */
export function fileRevision(total: number, refused: readonly number[]): FileRevision | undefined {
  if (refused.length === 0) return undefined;
  return refused.length === total ? 'refused' : { without: [...refused] };
}

/**
 * A change set contains all changes that one tool call would make to files. It is displayed, checked against the policy, approved and
 * applied as one unit.
 */

import type { ChangeSummary, Target } from '../core/session/effects.ts';
import { cutMark } from '../core/view/approval-details.ts';
import { decodeText, encodeText, hashOf, sameBytes } from './content.ts';
import { hunksOf, replacement } from './hunks.ts';
import type { FileChange } from './types.ts';

export type ChangeSet = { changes: FileChange[]; summaries: ChangeSummary[]; digest: string };

const MAX_DIFF_LINES = 2_000;

/** Summarizes the changes. A longer diff is cut off after `mostLines` lines. */
export async function changeSet(changes: FileChange[], mostLines = MAX_DIFF_LINES): Promise<ChangeSet> {
  const summaries = await Promise.all(changes.map((change) => summarize(change, changes, mostLines)));
  return { changes, summaries, digest: await digestOf(summaries) };
}

/** Returns a digest of the effect only: changes of the same files with the same contents before and after have the same digest. */
export async function digestOf(effects: readonly Pick<ChangeSummary, 'path' | 'before' | 'after'>[]): Promise<string> {
  const effect = effects.map(({ path, before = '', after = '' }) => [path, before, after]).sort();
  return hashOf(encodeText(JSON.stringify(effect)));
}

/** Lists the files to be written and deleted. The old path of a moved file counts as written, because its content is not lost. */
export function targetsOf({ changes }: ChangeSet): Target[] {
  const moved = new Set(changes.map(({ movedFrom }) => movedFrom));
  return changes.map(({ path, after }) => ({ path: path.replace(/\/$/, ''), access: after || moved.has(path) ? 'write' : 'delete' }));
}

/** For a move, the diff compares the content with the content at the old path, and is listed under the new path. */
async function summarize(
  { path, before, after, movedFrom }: FileChange,
  changes: readonly FileChange[],
  mostLines: number,
): Promise<ChangeSummary> {
  const kind = movedFrom ? 'move' : !before ? 'create' : !after ? 'delete' : 'edit';
  const movesAway = !after && changes.some((change) => change.movedFrom === path);
  const source = movedFrom && !before ? changes.find((change) => change.path === movedFrom) : undefined;
  const [beforeHash, afterHash] = await Promise.all([before && hashOf(before), after && hashOf(after)]);
  return {
    path,
    kind,
    ...(movedFrom && { from: movedFrom }),
    ...(beforeHash && { before: beforeHash }),
    ...(afterHash && { after: afterHash }),
    ...(movesAway ? { added: 0, removed: 0, diff: '' } : diffOf(source?.before ?? before, after, mostLines)),
  };
}

export function diffOf(
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
  mostLines = MAX_DIFF_LINES,
): { added: number; removed: number; diff: string } {
  if (sameBytes(before, after)) return { added: 0, removed: 0, diff: '' };
  const [old, now] = [before ? decodeText(before) : '', after ? decodeText(after) : ''];
  if (old === undefined || now === undefined) return { added: 0, removed: 0, diff: 'Binary file.' };
  const hunks = hunksOf(old, now) ?? [replacement(old, now)];
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  const count = (sign: string) => hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
  const cut = lines.length > mostLines ? [...lines.slice(0, mostLines), cutMark(lines.length - mostLines)] : lines;
  return { added: count('+'), removed: count('-'), diff: cut.join('\n') };
}

/** Computes the content that a file must have to undo its recorded writes. */

import type { ChangeSummary } from '../core/session/effects.ts';
import type { UndoResult } from '../core/session/events.ts';
import { hashOf } from './content.ts';
import { mergeBytes } from './merge.ts';
import type { BlobStore } from './types.ts';

/** A write as it was recorded before it began. `landed` is true when it is known to have completed. */
export type Staged = Pick<ChangeSummary, 'path' | 'from' | 'before' | 'after' | 'mode' | 'made'> & { landed: boolean };

type Hash = string | undefined;

/**
 * Consecutive writes of one file without changes by others in between. `before` is the content before the first write. `left` are
 * the possible contents after the last write; there are several if it is not known which writes completed.
 */
export type Stretch = { before: Hash; left: ReadonlySet<Hash> };

/** The recorded writes to one path, oldest first. `mode` contains the permissions of a file that was deleted. */
export type History = { path: string; stretches: Stretch[]; mode?: number | undefined };

/**
 * Groups writes by path, newest first, without paths that certainly ended with their original content. Files that undo deletes come before
 * files that it restores, because a deleted file may occupy the path of a directory that is needed.
 */
export function historiesOf(staged: readonly Staged[]): History[] {
  const all = new Map<string, { path: string; stretches: { before: Hash; left: Set<Hash> }[]; mode?: number }>();
  for (const { path, before, after, mode, landed } of staged) {
    const history = all.get(path) ?? { path, stretches: [] };
    all.set(path, history);
    if (mode !== undefined) history.mode ??= mode;
    const last = history.stretches.at(-1);
    if (!last?.left.has(before)) history.stretches.push({ before, left: new Set(landed ? [after] : [before, after]) });
    else if (landed) last.left = new Set([after]);
    else last.left.add(after);
  }
  const changed = [...all.values()]
    .map((history) => ({ ...history, stretches: history.stretches.filter(({ before, left }) => left.size > 1 || !left.has(before)) }))
    .filter(({ stretches }) => stretches.length > 0)
    .reverse();
  const goes = ({ stretches }: History) => stretches[0]?.before === undefined;
  return [...changed.filter(goes), ...changed.filter((history) => !goes(history))];
}

/** The result of planning an undo. Without `content`, nothing is written; with `content.bytes` undefined, the file is deleted. */
export type RestoredContent = Omit<UndoResult, 'path'> & { content?: { bytes: Uint8Array | undefined } };

/**
 * Undoes the writes of one file, newest first. Changes by others are merged. On a conflict, the undo of the file is refused, or with
 * `isPartial`, only the lines in conflict are left unchanged.
 */
export async function restoredContent(
  now: Uint8Array | undefined,
  stretches: readonly Stretch[],
  blobs: Pick<BlobStore, 'get'>,
  isPartial = false,
): Promise<RestoredContent> {
  const begun = now && (await hashOf(now));
  let hash: Hash = begun;
  let bytes = now;
  let merges = false;
  for (const { before, left } of stretches.toReversed()) {
    if (hash === before) continue;
    const image = before === undefined ? undefined : await blobs.get(before);
    const refused = (reason: string): RestoredContent => ({ outcome: 'refused', reason });
    if (before !== undefined && !image) return refused('The earlier content is no longer stored.');
    if (left.has(hash)) {
      [bytes, hash] = [image, before];
      continue;
    }
    if (!bytes) return refused('The file was deleted after Kedge wrote it.');
    const [base] = left;
    if (!image || base === undefined || left.size > 1) return refused('The file was changed after Kedge wrote it.');
    const then = await blobs.get(base);
    if (!then) return refused('The file was changed after Kedge wrote it, and the content that Kedge wrote is no longer stored.');
    const merged = mergeBytes(then, bytes, image, isPartial);
    if (!merged) return refused('The same lines were changed after Kedge wrote them.');
    [bytes, hash, merges] = [merged, await hashOf(merged), true];
  }
  if (hash === begun) return { outcome: 'unchanged' };
  return { outcome: merges ? 'merged' : 'restored', content: { bytes } };
}

/** From what is known of earlier writes, what a file has to become so that they are taken back. */

import type { ChangeSummary } from '../core/session/effects.ts';
import type { UndoResult } from '../core/session/events.ts';
import { hashOf } from './content.ts';
import { mergeBytes } from './merge.ts';
import type { BlobStore } from './types.ts';

/** What was about to be written; `landed`: known to have been, whole. */
export type Staged = Pick<ChangeSummary, 'path' | 'from' | 'before' | 'after' | 'mode' | 'made'> & { landed: boolean };

type Hash = string | undefined;

/** Writes of a file with nobody else's in between: from `before` to one of `left`, or several where it is not known how far they came. */
export type Stretch = { before: Hash; left: ReadonlySet<Hash> };

/** What was written to one place, oldest stretch first. `mode` is that of a file which went. */
export type History = { path: string; stretches: Stretch[]; mode?: number | undefined };

/**
 * By path; what is sure to have ended where it began is left out. Newest first, and what has to go before what comes back, since it
 * may stand in its way.
 */
export function historiesOf(staged: readonly Staged[]): History[] {
  const all = new Map<string, { path: string; stretches: { before: Hash; left: Set<Hash> }[]; mode?: number }>();
  for (const { path, before, after, mode, landed } of staged) {
    const known = all.get(path) ?? { path, stretches: [] };
    all.set(path, known);
    if (mode !== undefined) known.mode ??= mode;
    const last = known.stretches.at(-1);
    if (!last?.left.has(before)) known.stretches.push({ before, left: new Set(landed ? [after] : [before, after]) });
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

/** `content` where it is to be written; undefined where the file is to go. */
export type Earlier = Omit<UndoResult, 'path'> & { content?: { bytes: Uint8Array | undefined } };

/** What the file has to become, stretch by stretch, the newest first. Where somebody else wrote, theirs is kept by merging or not touched at all. */
export async function earlier(now: Uint8Array | undefined, stretches: readonly Stretch[], blobs: Pick<BlobStore, 'get'>): Promise<Earlier> {
  const begun = now && (await hashOf(now));
  let hash: Hash = begun;
  let bytes = now;
  let merges = false;
  for (const { before, left } of stretches.toReversed()) {
    if (hash === before) continue;
    const image = before === undefined ? undefined : await blobs.get(before);
    const refused = (reason: string): Earlier => ({ outcome: 'refused', reason });
    if (before !== undefined && !image) return refused('Its earlier content is no longer kept.');
    if (left.has(hash)) {
      [bytes, hash] = [image, before];
      continue;
    }
    if (!bytes) return refused('It was deleted since.');
    const [base] = left;
    if (!image || base === undefined || left.size > 1) return refused('It was changed since.');
    const then = await blobs.get(base);
    if (!then) return refused('It was changed since, and what Kedge had left there is no longer kept.');
    const merged = mergeBytes(then, bytes, image);
    if (!merged) return refused('It was changed since, in the same lines.');
    [bytes, hash, merges] = [merged, await hashOf(merged), true];
  }
  if (hash === begun) return { outcome: 'unchanged' };
  return { outcome: merges ? 'merged' : 'restored', content: { bytes } };
}

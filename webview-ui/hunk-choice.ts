/** Determines which hunks of a proposed change the user has accepted. */

import { countHunks, fileRevision, goesWithMove } from '../src/core/run/hunk-revision.ts';
import type { ChangeSummary, Revision } from '../src/core/session/effects.ts';
import type { PanelApproval } from './model.ts';

/** The indices of rejected hunks by path. */
export type RejectedHunks = Readonly<Record<string, readonly number[]>>;

/** Returns the number of hunks to choose from. A file that the user edited can only be accepted or rejected completely. */
export function hunkCount(change: ChangeSummary, edited: PanelApproval['edited']): number {
  return edited?.[change.path] ? 1 : countHunks(change);
}

export type Choice = { total: number; accepted: number; files: number; isEdited: boolean; revised?: Revision };

/** Counts the accepted hunks. `revised` is set only if the user's choice differs from the proposed change. */
export function choiceOf({ changes, edited = {} }: Pick<PanelApproval, 'changes' | 'edited'>, rejected: RejectedHunks): Choice {
  const choice: Choice = { total: 0, accepted: 0, files: 0, isEdited: false };
  const revised: Revision = {};
  for (const change of changes) {
    if (goesWithMove(change, changes)) continue;
    const { path } = change;
    const total = hunkCount(change, edited);
    const without = (rejected[path] ?? []).filter((index) => index < total);
    const content = edited[path]?.content;
    choice.total += total;
    choice.accepted += total - without.length;
    choice.files++;
    const revision = fileRevision(total, without) ?? (content === undefined ? undefined : { content });
    if (revision) revised[path] = revision;
    choice.isEdited ||= content !== undefined && without.length < total;
  }
  return Object.keys(revised).length > 0 ? { ...choice, revised } : choice;
}

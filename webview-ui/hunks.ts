/** What the user has chosen of a proposed change so far. */
import { countHunks, fileRevision, goesWithMove } from '../src/core/run/hunk-revision.ts';
import type { ChangeSummary, Revision } from '../src/core/session/effects.ts';
import type { PanelApproval } from './state.ts';

/** Indices of refused hunks by path. */
export type Refused = Readonly<Record<string, readonly number[]>>;

/** How many hunks a file has to choose from: one that the user edited is taken or left whole. */
export function hunkCount(change: ChangeSummary, edited: PanelApproval['edited']): number {
  return edited?.[change.path] ? 1 : countHunks(change);
}

export type Choice = { total: number; kept: number; files: number; isEdited: boolean; revised?: Revision };

/** What of the change is kept, and what to say so with; `revised` only where it is not the change as proposed. */
export function choiceOf({ changes, edited = {} }: Pick<PanelApproval, 'changes' | 'edited'>, refused: Refused): Choice {
  const choice: Choice = { total: 0, kept: 0, files: 0, isEdited: false };
  const revised: Revision = {};
  for (const change of changes) {
    if (goesWithMove(change, changes)) continue;
    const { path } = change;
    const total = hunkCount(change, edited);
    const without = (refused[path] ?? []).filter((index) => index < total);
    const content = edited[path]?.content;
    choice.total += total;
    choice.kept += total - without.length;
    choice.files++;
    const made = fileRevision(total, without) ?? (content === undefined ? undefined : { content });
    if (made) revised[path] = made;
    choice.isEdited ||= content !== undefined && without.length < total;
  }
  return Object.keys(revised).length > 0 ? { ...choice, revised } : choice;
}

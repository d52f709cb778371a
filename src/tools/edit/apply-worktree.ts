/** Applies the changes of a worktree to the user's files. Where both changed the same lines, the user's lines stay. */
import * as z from 'zod';
import { type PreparedCall, type Tool, ToolError } from '../../core/run/tool.ts';
import type { Revision } from '../../core/session/effects.ts';
import { sameBytes } from '../../workspace/content.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import { mergeBytes } from '../../workspace/merge.ts';
import type { FileChange } from '../../workspace/types.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { changeCall } from './change-call.ts';

/** A file that a run changed elsewhere. `path` is relative to the only open folder. */
export type ElsewhereChange = { path: string; before: Uint8Array | undefined; after: Uint8Array | undefined; mode?: number };
/** `skipped` lists what cannot be taken over. */
export type ElsewhereChanges = { changes: readonly ElsewhereChange[]; skipped: readonly string[] };

/** A change that is not applied, or not completely. Its content is not repeated, because the model may not be allowed to read the file. */
type LeftOut = { path: string; why: string };

/** The note of a result after which the worktree still contains something that was not applied. */
export const PARTLY_APPLIED = 'in part';

const SKIPPED = 'cannot be applied, because it is a link, very large, or outside the open folder';

/** `staysOpen` says whether the worktree remains until all of its changes are applied. */
type Elsewhere = { staysOpen: boolean; read(signal: AbortSignal): Promise<ElsewhereChanges> };

/** This tool is not offered to models. */
export function applyWorktreeTool(workspace: Workspace, gate: WriteGate, { staysOpen, read }: Elsewhere): Tool {
  return defineTool({
    name: 'apply_worktree',
    description: 'Apply the changes of a worktree to the files of the user.',
    effect: 'mutating',
    input: z.object({}),
    async prepare(_, signal) {
      const { changes, skipped } = await read(signal);
      const applied: FileChange[] = [];
      const left: LeftOut[] = skipped.map((path) => ({ path, why: SKIPPED }));
      for (const change of changes) {
        const { change: own, leaves } = await onto(workspace, change);
        if (own) applied.push(own);
        if (leaves) left.push(leaves);
      }
      const note = left.map(({ path, why }) => `${path} ${why}.`).join('\n');
      if (applied.length === 0)
        throw new ToolError(
          note
            ? `No change can be applied.\n${note}`
            : changes.length === 0
              ? 'The worktree contains no changes.'
              : `Your files already contain all changes of the worktree${staysOpen ? ', so you can drop it' : ''}.`,
        );
      const count = `${applied.length} ${applied.length === 1 ? 'file' : 'files'}`;
      // The diff does not show permissions.
      const executable = applied.filter(({ before, mode = 0 }) => !before && mode & 0o111).map(({ path }) => path);
      const notes = [
        ...(executable.length > 0 ? [`Executable: ${executable.join(', ')}.`] : []),
        ...left.map(({ path, why }) => `${path} ${why}.`),
        ...(left.length > 0 ? [staysOpen ? 'What is left out stays in the worktree.' : 'What is left out is deleted.'] : []),
      ];
      const done = `The changes of the worktree were applied to ${count}.${note && `\n${note}`}`;
      const title = [`Apply the changes of the worktree to ${count}`, ...notes].join('. ');
      const call = await changeCall(title, applied, gate, done);
      return staysOpen ? noteOf(call, left.length > 0) : call;
    },
  });
}

/** The result says in its note whether something was left out, so that the worktree is not deleted. */
function noteOf(call: PreparedCall, isPartial: boolean): PreparedCall {
  return {
    ...call,
    async revise(revision) {
      const revised = await call.revise?.(revision);
      if (!revised) throw new ToolError('This change cannot be revised.');
      return noteOf(revised, isPartial || leavesOut(revision));
    },
    async execute(context) {
      const output = await call.execute(context);
      if (!isPartial) return output;
      return { ...output, content: `${output.content}\nWhat was left out is still in the worktree.`, note: PARTLY_APPLIED };
    },
  };
}

/** An edited file is not left out: the user decided what it contains. */
function leavesOut(revision: Revision): boolean {
  return Object.values(revision).some((decision) => decision === 'refused' || 'without' in decision);
}

/** Returns true for a change that is not, or not completely, in the user's file. */
export async function isUnapplied(workspace: Workspace, change: ElsewhereChange): Promise<boolean> {
  return Object.keys(await onto(workspace, change)).length > 0;
}

/** Computes what a change means for the user's file as it is now. */
async function onto(
  workspace: Workspace,
  { path, before, after, mode }: ElsewhereChange,
): Promise<{ change?: FileChange; leaves?: LeftOut }> {
  const place = await workspace.resolve(path).catch(() => undefined);
  if (!place) return { leaves: { path, why: 'cannot be changed, because it is hidden or behind a link' } };
  const now = (await workspace.snapshot(place.at))?.bytes;
  const changed = (to: Uint8Array | undefined): FileChange => ({ ...place, before: now, after: to, ...(!now && { mode }) });
  const leaves = (why: string) => ({ path, why });
  if (sameBytes(now, after)) return {};
  if (sameBytes(now, before)) return { change: changed(after) };
  if (!before || !after || !now) return { leaves: leaves(now ? 'was changed by you meanwhile' : 'was deleted by you meanwhile') };
  const whole = mergeBytes(before, now, after);
  if (whole) return sameBytes(whole, now) ? {} : { change: changed(whole) };
  const part = mergeBytes(before, now, after, true);
  const conflict = leaves('was changed by you in the same lines, which stay as they are');
  return part && !sameBytes(part, now) ? { change: changed(part), leaves: conflict } : { leaves: conflict };
}

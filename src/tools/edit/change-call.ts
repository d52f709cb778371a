import type { PreparedCall } from '../../core/run/tool.ts';
import { ToolError } from '../../core/run/tool.ts';
import { revisionNote } from '../../workspace/apply-revision.ts';
import { type ChangeSet, targetsOf } from '../../workspace/changes.ts';
import { decodeText } from '../../workspace/content.ts';
import { formatChanges } from '../../workspace/format-changes.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { FileChange } from '../../workspace/types.ts';
import type { Resolved, Workspace } from '../../workspace/workspace.ts';
import { missingFile } from '../files/similar-names.ts';

/** A prepared call whose whole effect is these changes, written through the gate. `done` is what the model is told. */
export async function changeCall(title: string, changes: FileChange[], gate: WriteGate, done: string): Promise<PreparedCall> {
  if (!gate.format) return callOf(title, await gate.prepare(changes), gate, done);
  const { changes: formatted, formatted: paths } = await formatChanges(changes, gate.format);
  const note = paths.length > 0 ? `\nTidied by the editor, so read before the next edit: ${paths.join(', ')}` : '';
  return callOf(title, await gate.prepare(formatted), gate, done + note);
}

function callOf(title: string, set: ChangeSet, gate: WriteGate, done: string): PreparedCall {
  return {
    title,
    targets: targetsOf(set),
    changes: set.summaries,
    digest: set.digest,
    async revise(revision) {
      const kept = await gate.revise(set, revision);
      return callOf(title, kept, gate, `${done}\n${revisionNote(set.changes, kept.changes)}`);
    },
    async execute(context) {
      await gate.apply(set, context);
      return { content: done };
    },
  };
}

/** @throws ToolError, with this advice, unless it is there and a file. */
export async function existingFile(workspace: Workspace, { at, path }: Resolved, advice?: string): Promise<Uint8Array> {
  const file = await workspace.snapshot(at);
  if (!file) throw await missingFile(workspace, path, advice);
  return file.bytes;
}

/** Where a new file is to be. @throws ToolError unless the path has a file's name, and nothing is there. */
export async function newFile(workspace: Workspace, input: string, instead: string): Promise<Resolved> {
  const place = await workspace.resolve(input);
  await expectFree(workspace, place, instead);
  if (/[/\\]\s*$/.test(input)) throw new ToolError(`${input.trim()} is the path of a directory. Add the name of the file.`);
  return place;
}

/** @throws ToolError unless nothing is at the place. */
export async function expectFree(workspace: Workspace, { at, path }: Resolved, instead: string): Promise<void> {
  if (at.path === '') throw new ToolError(`${path} is a folder.`);
  const stat = await workspace.stat(at);
  if (stat)
    throw new ToolError(
      stat.type === 'directory' ? `${path} is a directory. Add the name of the file.` : `${path} exists already. ${instead}`,
    );
  // On the way to a real place there is no link, so that one look for links was enough for all directories above it.
  for (let end = at.path.lastIndexOf('/'); end > 0; end = at.path.lastIndexOf('/', end - 1)) {
    const above = { ...at, path: at.path.slice(0, end) };
    const found = await workspace.fs.stat(above);
    if (found?.type === 'directory') return;
    if (found) throw new ToolError(`${workspace.display(above)} is not a directory: nothing can be below it.`);
  }
}

export function textContent(bytes: Uint8Array, path: string): string {
  const text = decodeText(bytes);
  if (text === undefined) throw new ToolError(`${path} is not UTF-8 text and cannot be edited.`);
  return text;
}

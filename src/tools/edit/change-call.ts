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

/** Prepares a call that writes these changes through the write gate. `done` is the tool result after the changes are applied. */
export async function changeCall(title: string, changes: FileChange[], gate: WriteGate, done: string): Promise<PreparedCall> {
  if (!gate.format) return callOf(title, await gate.prepare(changes), gate, done);
  const { changes: formatted, formatted: paths } = await formatChanges(changes, gate.format);
  const note = paths.length > 0 ? `\nThe editor formatted these files. Read them before the next edit: ${paths.join(', ')}` : '';
  return callOf(title, await gate.prepare(formatted), gate, done + note);
}

function callOf(title: string, set: ChangeSet, gate: WriteGate, done: string): PreparedCall {
  return {
    title,
    targets: targetsOf(set),
    changes: set.summaries,
    digest: set.digest,
    async revise(revision) {
      const revisedSet = await gate.revise(set, revision);
      return callOf(title, revisedSet, gate, `${done}\n${revisionNote(set.changes, revisedSet.changes)}`);
    },
    async execute(context) {
      await gate.apply(set, context);
      return { content: done };
    },
  };
}

/** Reads a file. @throws ToolError, with `advice` in the message, when the path does not exist or is not a file. */
export async function existingFile(workspace: Workspace, { at, path }: Resolved, advice?: string): Promise<Uint8Array> {
  const file = await workspace.snapshot(at);
  if (!file) throw await missingFile(workspace, path, advice);
  return file.bytes;
}

/** Resolves the path of a new file. @throws ToolError when the path already exists, or does not end with the name of a file. */
export async function newFile(workspace: Workspace, input: string, instead: string): Promise<Resolved> {
  const place = await workspace.resolve(input);
  await expectFree(workspace, place, instead);
  if (/[/\\]\s*$/.test(input)) throw new ToolError(`${input.trim()} is the path of a directory. Add the name of the file.`);
  return place;
}

/** @throws ToolError when the path already exists, or when one of its parents is not a directory. */
export async function expectFree(workspace: Workspace, { at, path }: Resolved, instead: string): Promise<void> {
  if (at.path === '') throw new ToolError(`${path} is a workspace folder, not a file. Use a path inside it.`);
  const stat = await workspace.stat(at);
  if (stat)
    throw new ToolError(
      stat.type === 'directory' ? `${path} is a directory. Add the name of the file.` : `${path} already exists. ${instead}`,
    );
  // A resolved path contains no symbolic links, so its parent directories do not have to be resolved again.
  for (let end = at.path.lastIndexOf('/'); end > 0; end = at.path.lastIndexOf('/', end - 1)) {
    const above = { ...at, path: at.path.slice(0, end) };
    const entry = await workspace.fs.stat(above);
    if (entry?.type === 'directory') return;
    if (entry) throw new ToolError(`${workspace.display(above)} is not a directory, so it cannot contain files. Use another path.`);
  }
}

export function textContent(bytes: Uint8Array, path: string): string {
  const text = decodeText(bytes);
  if (text === undefined)
    throw new ToolError(`${path} is not UTF-8 text, so it cannot be edited. Ask the user to convert the file to UTF-8.`);
  return text;
}

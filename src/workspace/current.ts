/** What is in the workspace right now, as far as the write gate has to know it before and after a write. It only reads. */

import { ToolError } from '../core/run/tool.ts';
import type { ChangeSummary } from '../core/session/effects.ts';
import { sameBytes } from './content.ts';
import { parsePath } from './paths.ts';
import type { FileChange } from './types.ts';
import type { Workspace } from './workspace.ts';

/** The content at the place of a change, in the form that the change has it: a directory counts as empty content. */
export async function currentContent(workspace: Workspace, { path, at }: Pick<FileChange, 'path' | 'at'>): Promise<Uint8Array | undefined> {
  if (!path.endsWith('/')) return (await workspace.snapshot(at))?.bytes;
  const stat = await workspace.fs.stat(at);
  if (stat && stat.type !== 'directory') throw new Error(`${path} is not a directory.`);
  return stat && new Uint8Array();
}

/** Checks right before a write that no link has come into the path and that the content is still the one before the change. @throws ToolError */
export async function expectUnchanged(workspace: Workspace, { path, at, before }: FileChange): Promise<void> {
  const real = await workspace.fs.canonical(at);
  if (!real || workspace.display(real) !== path.replace(/\/$/, ''))
    throw new ToolError(`${path} is no longer at that place. Nothing was changed.`);
  const now = await currentContent(workspace, { path, at }).catch((error) => {
    throw new ToolError(`${error instanceof Error ? error.message : error} Nothing was changed.`);
  });
  if (!sameBytes(now, before)) {
    const what = !now ? 'was deleted' : !before ? 'exists by now' : 'was changed';
    throw new ToolError(`${path} ${what} since the change was prepared. Nothing was changed: read it again.`);
  }
}

/** Adds what undo will need and what cannot be found out after the change: the mode of a file that goes, and directories that come. */
export async function withUndoFacts<Summary extends Omit<ChangeSummary, 'diff'>>(
  workspace: Workspace,
  summary: Summary,
  change: FileChange | undefined,
): Promise<Summary> {
  if (!change || (change.before && change.after)) return summary;
  if (change.before) {
    const mode = change.path.endsWith('/') ? undefined : (await workspace.stat(change.at))?.mode;
    return mode === undefined ? summary : { ...summary, mode };
  }
  const made: string[] = [];
  const { folder, path } = change.at;
  await workspace.stat(change.at);
  for (let at = parentOf(path); at && !(await workspace.fs.stat({ folder, path: at })); at = parentOf(at))
    made.push(`${workspace.display({ folder, path: at })}/`);
  return made.length > 0 ? { ...summary, made: made.reverse() } : summary;
}

/** The directories among these paths that hold nothing but each other. */
export async function emptyDirectories(
  workspace: Workspace,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FileChange[]> {
  const empty = new Map<string, FileChange>();
  // On the way to a real place there is no link, so one look is enough for all directories around it.
  let real = '';
  for (const path of paths) {
    if (signal?.aborted) break;
    try {
      const at = parsePath(path, workspace.fs.folders);
      // The writer may have removed it with the file.
      if (!(await workspace.fs.stat(at))) continue;
      const change: FileChange = { path, at, before: new Uint8Array(), after: undefined };
      if (!real.startsWith(path)) await expectUnchanged(workspace, change);
      real = path;
      const left = (await workspace.fs.list(at)).filter(({ name }) => !empty.has(`${path}${name}/`));
      if (left.length === 0) empty.set(path, change);
    } catch {
      // What cannot be looked at is left where it is.
    }
  }
  return [...empty.values()];
}

/** Of a path in a folder: '' for what is in the folder itself. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

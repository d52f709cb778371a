/** Reads the current state of the workspace, which the write gate compares with a change before and after it writes. */

import { ToolError } from '../core/run/tool.ts';
import type { ChangeSummary } from '../core/session/effects.ts';
import { sameBytes } from './content.ts';
import { parsePath } from './paths.ts';
import type { FileChange } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Reads the current content the way `FileChange` represents it: a directory counts as empty content. */
export async function currentContent(workspace: Workspace, { path, at }: Pick<FileChange, 'path' | 'at'>): Promise<Uint8Array | undefined> {
  if (!path.endsWith('/')) return (await workspace.snapshot(at))?.bytes;
  const stat = await workspace.fs.stat(at);
  if (stat && stat.type !== 'directory') throw new Error(`${path} is not a directory.`);
  return stat && new Uint8Array();
}

/**
 * Checks right before a write that the path still leads to the same place and that the content is unchanged.
 * @throws ToolError
 */
export async function expectUnchanged(workspace: Workspace, { path, at, before }: FileChange): Promise<void> {
  const real = await workspace.fs.canonical(at);
  if (!real || workspace.display(real) !== path.replace(/\/$/, ''))
    throw new ToolError(`${path} no longer leads to the same place. Nothing was changed. Check the path and try again.`);
  const now = await currentContent(workspace, { path, at }).catch((error) => {
    throw new ToolError(`${error instanceof Error ? error.message : error} Nothing was changed.`);
  });
  if (!sameBytes(now, before)) {
    const what = !now ? 'was deleted' : !before ? 'was created' : 'was changed';
    throw new ToolError(`${path} ${what} after this change was prepared. Nothing was changed. Read the file again.`);
  }
}

/**
 * Adds the information that undo needs and that must be read before the write: the permissions of a deleted file, and the directories that
 * a new file creates.
 */
export async function withUndoInfo<Summary extends Omit<ChangeSummary, 'diff'>>(
  workspace: Workspace,
  summary: Summary,
  change: FileChange | undefined,
): Promise<Summary> {
  if (!change || (change.before && change.after)) return summary;
  if (change.before) {
    const mode = change.path.endsWith('/') ? undefined : (await workspace.stat(change.at))?.mode;
    return mode === undefined ? summary : { ...summary, mode };
  }
  const newDirectories: string[] = [];
  const { folder, path } = change.at;
  await workspace.stat(change.at);
  for (let at = parentOf(path); at && !(await workspace.fs.stat({ folder, path: at })); at = parentOf(at))
    newDirectories.push(`${workspace.display({ folder, path: at })}/`);
  return newDirectories.length > 0 ? { ...summary, made: newDirectories.reverse() } : summary;
}

/** Returns the directories that are empty or contain only directories that are returned too. Inner directories must come first. */
export async function emptyDirectories(
  workspace: Workspace,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FileChange[]> {
  const empty = new Map<string, FileChange>();
  // A resolved path contains no symbolic links, so one check is enough for a path and all directories above it.
  let real = '';
  for (const path of paths) {
    if (signal?.aborted) break;
    try {
      const at = parsePath(path, workspace.fs.folders);
      // The writer may have removed the directory together with its file.
      if (!(await workspace.fs.stat(at))) continue;
      const change: FileChange = { path, at, before: new Uint8Array(), after: undefined };
      if (!real.startsWith(path)) await expectUnchanged(workspace, change);
      real = path;
      const left = (await workspace.fs.list(at)).filter(({ name }) => !empty.has(`${path}${name}/`));
      if (left.length === 0) empty.set(path, change);
    } catch {
      // A directory that cannot be read is not removed.
    }
  }
  return [...empty.values()];
}

/** Returns the parent directory, or '' for a path at the top of its folder. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

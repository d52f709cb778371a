/** Copies the uncommitted changes of a repository into a worktree, and keeps a second copy of them for the later comparison. */
import { chmod, copyFile, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SessionError } from '../../../app/session/session-error.ts';
import { git } from './git.ts';

const MOST_FILES = 5_000;
const MOST_BYTES = 500_000_000;

/** Paths below the top of the repository. Files that are neither saved nor deleted are as in the commit. */
export type CopiedFiles = { saved: string[]; deleted: string[] };

/**
 * Links and directories such as submodules are not copied. @throws SessionError if there are too many files, or Git fails
 */
export async function copyUncommitted(
  top: string,
  { tree, base }: { tree: string; base: string },
  signal: AbortSignal,
): Promise<CopiedFiles> {
  const paths = await uncommitted(top, signal);
  if (paths.length > MOST_FILES)
    throw new SessionError(
      `There are ${paths.length} uncommitted files, and at most ${MOST_FILES} are copied. Commit or ignore them first.`,
    );
  const copied: CopiedFiles = { saved: [], deleted: [] };
  let bytes = 0;
  for (const path of paths) {
    signal.throwIfAborted();
    const from = join(top, path);
    const entry = await lstat(from).catch(() => undefined);
    if (!entry) {
      if (await hasRealParents(tree, path)) await rm(join(tree, path), { force: true });
      copied.deleted.push(path);
    }
    if (!entry?.isFile()) continue;
    bytes += entry.size;
    if (bytes > MOST_BYTES)
      throw new SessionError(`The uncommitted files have more than ${MOST_BYTES / 1_000_000} MB. Commit or ignore the large ones first.`);
    const [kept, own] = [join(base, path), join(tree, path)];
    await removeNonDirectoryAbove(tree, path);
    for (const file of [kept, own]) await mkdir(dirname(file), { recursive: true });
    // Both copies have the same bytes, even if the user saves the file meanwhile.
    await copyFile(from, kept);
    await rm(own, { force: true, recursive: true });
    await copyFile(kept, own);
    await chmod(own, entry.mode & 0o777);
    copied.saved.push(path);
  }
  return copied;
}

/** Copies a file that may be missing. A link at `to` is replaced, so that its target stays as it is. @throws Error if it cannot be copied */
export async function copyIfPresent(from: string, to: string): Promise<void> {
  const copy = `${to}.copy`;
  try {
    await copyFile(from, copy);
    await rename(copy, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Returns false if a directory above the path is missing or a link, which could lead out of the tree. */
export async function hasRealParents(tree: string, path: string): Promise<boolean> {
  for (const parent of parentsOf(path)) if (!(await lstat(join(tree, parent)).catch(() => undefined))?.isDirectory()) return false;
  return true;
}

/** The commit may have a link where the user has a directory, and nothing may be written through that link. */
async function removeNonDirectoryAbove(tree: string, path: string): Promise<void> {
  for (const parent of parentsOf(path)) {
    const entry = await lstat(join(tree, parent)).catch(() => undefined);
    if (entry && !entry.isDirectory()) return rm(join(tree, parent));
  }
}

/** Returns the directories above a path, the outermost first. */
function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Lists changed, deleted and new files without those that Git ignores. */
async function uncommitted(top: string, signal: AbortSignal): Promise<string[]> {
  const status = await git(
    top,
    ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all'],
    signal,
  );
  return status.split('\0').flatMap((line) => (line.length > 3 ? [line.slice(3)] : []));
}

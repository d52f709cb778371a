/** Worktrees of a repository outside the user's folder, in which runs work while the user's files stay as they are. */
import { randomBytes } from 'node:crypto';
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { SessionError } from '../../../app/session/session-error.ts';
import { makeDirectory, replaceFile } from '../../../sessions/directory.ts';
import type { ElsewhereChange, ElsewhereChanges } from '../../../tools/edit/apply-worktree.ts';
import { sameBytes } from '../../../workspace/content.ts';
import { IGNORE_FILE } from '../../../workspace/ignore.ts';
import { type CopiedFiles, copyIfPresent, copyUncommitted, hasRealParents } from './copied-files.ts';
import { expectNoPrograms, git, gitBytes } from './git.ts';

/**
 * `top` is the root of the user's repository, and `folder` the path of the open folder in it, '' or ending with a slash. `made` is missing
 * until the worktree is complete. `kept` means that the user deletes it.
 */
type Info = {
  session: string;
  top: string;
  folder: string;
  tree: string;
  commit: string;
  createdAt: number;
  made?: CopiedFiles;
  kept?: true;
};

const INFO = 'worktree.json';
const MOST_CHANGES = 2_000;
const MOST_FILE_BYTES = 20_000_000;

export class Worktrees {
  /** The folder of all worktrees of a workspace. */
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Creates a worktree with the files of `folder` as they are now, including uncommitted changes. Returns its id.
   * @throws SessionError if that is not possible, for example outside a repository
   */
  async create(folder: string, session: string, signal: AbortSignal): Promise<string> {
    const { top, prefix, commit } = await repositoryOf(folder, signal);
    await expectNoPrograms(top);
    const id = randomBytes(6).toString('hex');
    const own = join(this.#directory, id);
    const tree = join(own, basename(top) || 'files');
    makeDirectory(own);
    const info: Info = { session, top, folder: prefix, tree, commit, createdAt: Date.now() };
    try {
      // The description is written first, so that a worktree whose creation was interrupted can be removed.
      replaceFile(join(own, INFO), JSON.stringify(info));
      await git(top, ['worktree', 'add', '--detach', tree, commit], signal);
      const made = await copyUncommitted(top, { tree, base: join(own, 'base') }, signal);
      // Git may ignore this file, and what it hides must stay hidden.
      await copyIfPresent(join(folder, IGNORE_FILE), join(tree, prefix, IGNORE_FILE));
      replaceFile(join(own, INFO), JSON.stringify({ ...info, made }));
    } catch (error) {
      await this.remove(id).catch(() => undefined);
      throw error;
    }
    return id;
  }

  /** Returns the directory in which a run works. @throws SessionError if the session has no such worktree */
  async folder(id: string, session: string): Promise<string> {
    const { tree, folder } = await this.#made(id, session);
    return join(tree, folder);
  }

  /** Returns the directory for the data of this worktree, such as the journal of its writer. */
  storage(id: string): string {
    return join(this.#directory, id, 'data');
  }

  /** Compares the worktree with the files with which it was created. @throws SessionError if the session has no such worktree, or Git fails */
  async changes(id: string, session: string, signal: AbortSignal): Promise<ElsewhereChanges> {
    const info = await this.#made(id, session);
    const { tree, commit, folder, made } = info;
    await expectNoPrograms(tree);
    const list = async (...args: string[]) => (await git(tree, args, signal)).split('\0').filter(Boolean);
    const saved = new Set(made.saved);
    const paths = new Set([
      ...(await list('diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all', commit, '--')),
      ...(await list('ls-files', '--others', '--exclude-standard', '-z')),
      ...made.saved,
      ...made.deleted,
    ]);
    if (paths.size > MOST_CHANGES)
      throw new SessionError(`More than ${MOST_CHANGES} files were changed in the worktree, which is too many.`);
    const changes: ElsewhereChange[] = [];
    const skipped: string[] = [];
    for (const path of [...paths].sort()) {
      signal.throwIfAborted();
      const isReal = await hasRealParents(tree, path);
      const entry = isReal ? await lstat(join(tree, path)).catch(() => undefined) : undefined;
      if ((entry && !entry.isFile()) || (entry && entry.size > MOST_FILE_BYTES)) skipped.push(path);
      else {
        const before = saved.has(path) ? await readFile(join(this.#directory, id, 'base', path)) : await committed(info, path, signal);
        const after = entry && (await readFile(join(tree, path)));
        if (sameBytes(before, after)) continue;
        if (!path.startsWith(folder)) skipped.push(path);
        else changes.push({ path: path.slice(folder.length), before, after, ...(entry && { mode: entry.mode & 0o777 }) });
      }
    }
    return { changes, skipped };
  }

  /** Deletes a worktree with everything in it, and Git's record of it. Does nothing if it does not exist. */
  async remove(id: string): Promise<void> {
    const own = join(this.#directory, expectId(id));
    const info = await this.#info(id);
    await rm(own, { recursive: true, force: true, maxRetries: 3 });
    // Git forgets worktrees whose directory does not exist.
    if (info) await git(info.top, ['worktree', 'prune', '--expire', 'now']).catch(() => undefined);
  }

  /** Leaves a worktree to the user. Returns its directory, or undefined if it does not exist. */
  async keep(id: string): Promise<string | undefined> {
    const info = await this.#info(id);
    if (!info || !(await exists(info.tree))) return undefined;
    replaceFile(join(this.#directory, id, INFO), JSON.stringify({ ...info, kept: true }));
    return info.tree;
  }

  /** Lists the worktrees with the sessions for which they were created, without those that are kept and still exist. */
  async list(): Promise<{ id: string; session: string; createdAt: number }[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const infos = await Promise.all(names.map(async (id) => ({ id, info: isId(id) ? await this.#info(id) : undefined })));
    const listed = await Promise.all(infos.map(async ({ info }) => info && !(info.kept && (await exists(info.tree)))));
    return infos.flatMap(({ id, info }, index) =>
      info && listed[index] ? [{ id, session: info.session, createdAt: info.createdAt }] : [],
    );
  }

  /** The id comes from a log, which could be changed, so the worktree of another session is treated as missing. */
  async #made(id: string, session: string): Promise<Info & { made: CopiedFiles }> {
    const info = await this.#info(id);
    const { made } = info ?? {};
    if (info?.session !== session || !made || !(await exists(info.tree)))
      throw new SessionError('The worktree of this session no longer exists, so its changes are gone. Drop it to continue in your folder.');
    return { ...info, made };
  }

  async #info(id: string): Promise<Info | undefined> {
    const text = await readFile(join(this.#directory, expectId(id), INFO), 'utf8').catch(() => undefined);
    try {
      return text === undefined ? undefined : (JSON.parse(text) as Info);
    } catch {
      return undefined;
    }
  }
}

/** Returns the content of a file that had no uncommitted changes when the worktree was created. */
async function committed({ tree, commit, made }: Info, path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (made?.deleted.includes(path)) return undefined;
  // Links are listed with another mode.
  const listed = await git(tree, ['ls-tree', '-z', '--full-tree', commit, '--', path], signal);
  return listed.startsWith('100') ? gitBytes(tree, ['cat-file', '--filters', `${commit}:${path}`], signal) : undefined;
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Ids come from logs, which could be changed, and become paths. */
function isId(id: string): boolean {
  return /^[0-9a-f]{12}$/.test(id);
}

function expectId(id: string): string {
  if (!isId(id)) throw new SessionError('The log names a worktree that does not exist. Drop it to continue in your folder.');
  return id;
}

async function repositoryOf(folder: string, signal: AbortSignal): Promise<{ top: string; prefix: string; commit: string }> {
  const shown = await git(folder, ['rev-parse', '--show-toplevel', '--show-prefix'], signal).catch((error) => {
    signal.throwIfAborted();
    if (String(error).includes('not installed')) throw error;
    throw new SessionError(
      'This folder is not in a Git repository, so no worktree can be created. Run “git init” and commit once, or work without one.',
    );
  });
  const [top = '', prefix = ''] = shown.split('\n');
  const commit = await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD'], signal).catch(() => {
    signal.throwIfAborted();
    throw new SessionError('This repository has no commit yet, so no worktree can be created. Commit once, or work without one.');
  });
  return { top, prefix: posix.normalize(prefix) === '.' ? '' : prefix, commit: commit.trim() };
}

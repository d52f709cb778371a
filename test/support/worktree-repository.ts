/** A repository with uncommitted changes, and runs in its worktrees. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from '../../src/providers/scripted/index.ts';
import { assistantOn, type Files, type Harness } from './harness.ts';

export const edit = (path: string, from: string, to: string) =>
  call('replace_in_file', { path, edits: [{ old_text: from, new_text: to }] });
export const never = new AbortController().signal;

export const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' });

const FILES: Files = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n', 'gone.txt': 'gone\n', '.gitignore': 'out/\n' };

/** A committed repository, and in addition uncommitted changes of the user. */
export async function onRepository(
  script: Parameters<typeof assistantOn>[1],
  options: Parameters<typeof assistantOn>[2] = {},
): Promise<Harness> {
  const kedge = await assistantOn(FILES, script, { worktrees: true, ...options });
  git(kedge.root, 'init', '--quiet');
  git(kedge.root, 'add', '--all');
  git(kedge.root, 'commit', '--quiet', '--message', 'first');
  await kedge.write('b.txt', 'b of the user\n');
  await kedge.write('new.txt', 'new\n');
  await unlink(join(kedge.root, 'gone.txt'));
  return kedge;
}

export async function runInWorktree(kedge: Harness) {
  const worktree = await kedge.assistant.worktree(kedge.session);
  const id = await worktree.create(never);
  await kedge.session.prompt({ text: 'Change it.', mode: 'agent' }, { worktree: id });
  return worktree;
}

export const directories = (kedge: Harness) =>
  existsSync(join(kedge.storage, 'worktrees')) ? readdirSync(join(kedge.storage, 'worktrees')) : [];
export const recorded = (kedge: Harness) => git(kedge.root, 'worktree', 'list', '--porcelain').match(/^worktree /gm)?.length;

/** Everything of the user: files, and what Git knows. */
export async function ofUser(kedge: Harness) {
  const files = Object.entries(await kedge.snapshot()).filter(([path]) => !/\/\.git\//.test(path));
  return { files, status: git(kedge.root, 'status', '--porcelain'), refs: git(kedge.root, 'for-each-ref'), log: git(kedge.root, 'log') };
}

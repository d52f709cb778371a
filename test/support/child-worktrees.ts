/** Child runs that work in Git worktrees of a repository. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/providers/scripted/index.ts';
import { modelOf, type Role, resultsIn } from './delegating-model.ts';
import { assistantOn, type Harness, type HarnessOptions, lastOf } from './harness.ts';

export const FILES: Record<string, string> & { 'a.txt': string } = {
  'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n',
  'b.txt': 'two\n',
};

export const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' });

export type Roles = Parameters<typeof modelOf>[0];

export async function onRepository(
  roles: Roles,
  { files = {}, ...options }: HarnessOptions & { files?: Record<string, string> } = {},
): Promise<Harness> {
  const kedge = await assistantOn({ ...FILES, ...files }, [], { adapter: modelOf(roles), delegation: 2, worktrees: true, ...options });
  git(kedge.root, 'init', '--quiet');
  git(kedge.root, 'add', '--all');
  git(kedge.root, 'commit', '--quiet', '--message', 'first');
  return kedge;
}

export const text = (lines: readonly string[]) => `${lines.join('\n')}\n`;

export const giving =
  (...tasks: string[]): Role =>
  (turn, request) =>
    turn === 0
      ? tasks.flatMap((task, index) => call('delegate', { task, write: 'worktree' }, `d${index + 1}`))
      : say(resultsIn(request).join('\n---\n'));

export const replacing =
  (path: string, ...pairs: [string, string][]): Role =>
  (turn) =>
    turn < pairs.length
      ? call('replace_in_file', { path, edits: [{ old_text: pairs[turn]?.[0], new_text: pairs[turn]?.[1] }] }, 'r')
      : say(`Changed ${path}.`);

export const directories = (kedge: Harness) =>
  existsSync(join(kedge.storage, 'worktrees')) ? readdirSync(join(kedge.storage, 'worktrees')) : [];
export const recorded = (kedge: Harness) => git(kedge.root, 'worktree', 'list', '--porcelain').match(/^worktree /gm)?.length;
export const answerIn = ({ session }: Harness) =>
  lastOf(session.events, 'message_added').message.content.map((part) => (part as { text?: string }).text)[0] ?? '';

export function expectGone(kedge: Harness): void {
  assert.deepEqual([directories(kedge), recorded(kedge)], [[], 1]);
}

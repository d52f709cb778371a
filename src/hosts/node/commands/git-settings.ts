/** Reads the configuration of a repository the way git does, including included files and the configuration of submodules. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { GitSetting } from '../../../policy/commands/programs/git-programs.ts';

const LIMITS = { timeout: 10_000, maxBuffer: 100_000_000, windowsHide: true } as const;
const MAX_REPOSITORIES = 50;
/** The arguments of git commands that never run a program that the repository configures. */
const LIST = ['config', '--list', '--show-scope', '-z'];
const FILES = ['-c', 'core.fsmonitor=false', 'ls-files', '--stage', '-z'];

/** Returns an empty list when there is no repository or no git, and undefined when the configuration cannot be determined. */
export async function gitSettings(directory: string): Promise<GitSetting[] | undefined> {
  const settings: GitSetting[] = [];
  const waiting = [directory];
  for (let count = 0; count < waiting.length; count++) {
    if (count >= MAX_REPOSITORIES) return undefined;
    const at = waiting[count] as string;
    const listed = await git(at, LIST);
    if (listed === 'no git') return [];
    if (listed === undefined) return undefined;
    const own = ownSettings(listed);
    const isSubmodule = count > 0;
    settings.push(...(isSubmodule || !(await isElsewhere(at, own)) ? own.filter(({ key }) => key !== 'core.worktree') : own));
    if (own.length === 0) continue;
    const files = await git(at, FILES);
    if (files === undefined) return undefined;
    for (const path of linksIn(files)) if (existsSync(join(at, path, '.git'))) waiting.push(join(at, path));
  }
  return settings;
}

/** Returns the settings of one repository without its submodules. Returns undefined if they cannot be determined. */
export async function localGitSettings(directory: string, signal: AbortSignal): Promise<GitSetting[] | undefined> {
  const listed = await git(directory, LIST, signal);
  return listed === undefined || listed === 'no git' ? undefined : ownSettings(listed);
}

async function git(cwd: string, args: readonly string[], signal?: AbortSignal): Promise<string | undefined> {
  const options = { ...LIMITS, cwd, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' }, ...(signal && { signal }) };
  try {
    return (await promisify(execFile)('git', args, options)).stdout;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no git' : undefined;
  }
}

/** The format is scope, NUL, key, line feed, value, NUL. A key without a value has no line feed. */
function ownSettings(listed: string): GitSetting[] {
  const parts = listed.split('\0');
  const settings: GitSetting[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    if (!/^(?:local|worktree)$/.test(parts[at] as string)) continue;
    const [key = '', ...value] = (parts[at + 1] as string).split('\n');
    settings.push({ key, value: value.join('\n') });
  }
  return settings;
}

/** Returns true if `core.worktree` names a work tree without a `.git` entry. The work tree of a submodule has that entry. */
async function isElsewhere(cwd: string, settings: readonly GitSetting[]): Promise<boolean> {
  if (!settings.some(({ key }) => key === 'core.worktree')) return false;
  const top = (await git(cwd, ['rev-parse', '--show-toplevel']))?.trim();
  return !top || !existsSync(join(top, '.git'));
}

/** Returns the paths of submodules in the index. */
function linksIn(files: string): string[] {
  return files.split('\0').flatMap((line) => (line.startsWith('160000 ') ? [line.slice(line.indexOf('\t') + 1)] : []));
}

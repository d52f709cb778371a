/** The surroundings of a run that do not depend on an editor: the computer, the date and the git repository. */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Surroundings } from '../../app/context/surroundings.ts';
import type { Part } from '../../app/context/surroundings-parts.ts';
import { configuredProgram } from '../../policy/commands/programs/git-programs.ts';
import { localGitSettings } from './commands/git-settings.ts';
import { findShell } from './commands/process.ts';
import { readRegular } from './files/real-files.ts';

const NAMES: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows', freebsd: 'FreeBSD' };
/** How long to wait for git, in milliseconds. If git does not answer in time, the surroundings do not say whether there are changes. */
const GIT_MS = 200;

export function systemSurroundings(parts: ReadonlySet<Part>, now = new Date()): Surroundings {
  return {
    ...(parts.has('system') && { system: `${NAMES[process.platform] ?? process.platform}, ${findShell().name}` }),
    ...(parts.has('date') && { date: localDate(now) }),
    ...(parts.has('folders') && { folders: true }),
  };
}

/** Returns the surroundings of a terminal program that works in these folders. `root` is the first of them. */
export async function terminalSurroundings(root: string, parts: ReadonlySet<Part>, gitMs = GIT_MS): Promise<Surroundings> {
  const branch = parts.has('git') ? gitBranch(root) : undefined;
  const paths = branch === undefined ? undefined : await changedPaths(root, AbortSignal.timeout(gitMs));
  const changed = paths?.map((path) => ({ folder: 0, path }));
  return { ...systemSurroundings(parts), ...(branch !== undefined && { git: { branch, ...(changed && { changed }) } }) };
}

export function localDate(now: Date): string {
  const [year, month, day] = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return [String(year).padStart(4, '0'), ...[month, day].map((each) => String(each).padStart(2, '0'))].join('-');
}

/** Returns the branch of the repository at this folder, or the beginning of a commit. Returns undefined if there is no repository. */
export function gitBranch(root: string): string | undefined {
  const git = join(root, '.git');
  // In a worktree or submodule, `.git` is a file that names the directory.
  const linked = /^gitdir: (.+)$/m.exec(textOf(git) ?? '')?.[1];
  const head = textOf(join(linked === undefined ? git : resolve(root, linked.trim()), 'HEAD'))?.trim() ?? '';
  return /^ref: refs\/heads\/(\S+)$/.exec(head)?.[1] ?? /^[0-9a-f]{7}(?=[0-9a-f]{33}(?:[0-9a-f]{24})?$)/.exec(head)?.[0];
}

function textOf(path: string): string | undefined {
  try {
    const bytes = readRegular(path);
    return bytes.length > 10_000 ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Returns the paths with uncommitted changes, relative to the top of the repository. Returns undefined if git does not answer in time, or
 * if it would run a program that the repository configures.
 */
export async function changedPaths(root: string, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const settings = await localGitSettings(root, signal);
    if (!settings || configuredProgram([{ argv: ['git', 'status'] }], settings) !== undefined) return undefined;
    const status = ['-c', 'core.fsmonitor=false', 'status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=all'];
    const options = { cwd: root, signal, maxBuffer: 10_000_000, windowsHide: true, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } };
    const { stdout } = await promisify(execFile)('git', status, options);
    return stdout.split('\0').flatMap((line) => (line.length > 3 ? [line.slice(3).replace(/\/$/, '')] : []));
  } catch {
    return undefined;
  }
}

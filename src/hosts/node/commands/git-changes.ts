/** Reads the uncommitted changes of a repository without running a program that the repository's configuration names. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ToolError } from '../../../core/run/tool.ts';
import { configuredProgram } from '../../../policy/commands/programs/git-programs.ts';
import { gitSettings } from './git-settings.ts';

const MAX_FILES = 500;
const MAX_UNTRACKED = 50;
const LIMITS = { timeout: 30_000, maxBuffer: 20_000_000, windowsHide: true } as const;
/** Without optional locks, git does not write the index, so no hook runs. Paths are taken literally. */
const ENVIRONMENT = { GIT_OPTIONAL_LOCKS: '0', GIT_LITERAL_PATHSPECS: '1', GIT_NO_LAZY_FETCH: '1', GIT_PAGER: 'cat' };
const SETTINGS = ['-c', 'core.fsmonitor=false', '-c', 'safe.bareRepository=explicit', '-c', 'core.quotePath=false'];
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--relative', '--ignore-submodules=all'];
/** The tree without files, for a repository without commits. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * Returns the diff of the directory since the last commit, and the names of its untracked files, without the files for which `isWithheld`
 * returns true. Returns undefined outside a repository. With `isStaged`, returns only the staged changes, or undefined if there are none.
 * @throws ToolError if Git would run a program that the repository's configuration names
 */
export async function gitChanges(
  directory: string,
  isWithheld: (path: string) => boolean,
  signal: AbortSignal,
  isStaged = false,
): Promise<string | undefined> {
  const git = (...args: string[]) => output(directory, args, signal);
  const settings = await gitSettings(directory);
  if (!settings) throw new ToolError('The Git configuration of this repository cannot be read. Paste the changes instead.');
  const program = configuredProgram([{ argv: ['git', 'diff'] }], settings);
  if (program)
    throw new ToolError(
      `The configuration of this repository names a program that Git would run (${program}). Remove it, or paste the changes instead.`,
    );
  if ((await git('rev-parse', '--is-inside-work-tree').catch(() => ''))?.trim() !== 'true') return undefined;
  const base = await git('rev-parse', '--verify', '--quiet', 'HEAD').then(
    () => 'HEAD',
    () => EMPTY_TREE,
  );
  const difference = isStaged ? [...DIFF, '--cached'] : DIFF;
  const isShown = (path: string) => path !== '' && !isWithheld(path);
  const all = (await git(...difference, '--name-only', '-z', base, '--')).split('\0').filter(Boolean);
  // Git also applies the path of a file to everything below a directory of this name, for example if a directory has replaced the file.
  const aboveWithheld = new Set(all.filter((path) => !isShown(path)).flatMap(directoriesOf));
  const changed = all.filter((path) => isShown(path) && !aboveWithheld.has(path));
  const untracked = isStaged ? [] : (await git('ls-files', '--others', '--exclude-standard', '-z')).split('\0').filter(isShown);
  const diff =
    changed.length > 0
      ? diffOfOnly(
          new Set(changed),
          await git(
            ...difference,
            '--patch-with-raw',
            '-z',
            '--src-prefix=a/',
            '--dst-prefix=b/',
            base,
            '--',
            ...changed.slice(0, MAX_FILES),
          ),
        )
      : '';
  const more = changed.length > MAX_FILES && `[${changed.length - MAX_FILES} more changed files]`;
  const names = untracked.slice(0, MAX_UNTRACKED).join('\n');
  const others = untracked.length > MAX_UNTRACKED ? `\n[${untracked.length - MAX_UNTRACKED} more]` : '';
  const parts = [diff.trimEnd(), more, untracked.length > 0 && `Untracked files:\n${names}${others}`].filter(Boolean);
  return parts.join('\n\n') || (isStaged ? undefined : 'There are no uncommitted changes.');
}

/** Returns the directories around a path: `a` and `a/b` for `a/b/c`. */
function directoriesOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/**
 * Returns the diff from an output of `--patch-with-raw -z`: for each file `:modes`, NUL, its path, NUL, then a NUL and the diff. @throws
 * ToolError if it contains other files than the named ones, because the files changed since they were listed
 */
function diffOfOnly(paths: ReadonlySet<string>, text: string): string {
  let at = 0;
  while (text[at] === ':') {
    const name = text.indexOf('\0', at) + 1;
    const end = text.indexOf('\0', name);
    if (name === 0 || end < 0 || !paths.has(text.slice(name, end)))
      throw new ToolError('The files of this repository changed while their changes were read. Try again.');
    at = end + 1;
  }
  return text.slice(at).replace(/^\0/, '');
}

async function output(cwd: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    const env = { ...process.env, ...ENVIRONMENT };
    return (await promisify(execFile)('git', ['--no-pager', ...SETTINGS, ...args], { ...LIMITS, cwd, env, signal })).stdout;
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new ToolError('Git is not installed.');
    throw new ToolError('Git could not read the changes of this repository. Paste them instead.');
  }
}

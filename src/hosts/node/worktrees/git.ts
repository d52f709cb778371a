/** Runs Git commands that manage worktrees, without hooks and without programs that a repository's configuration names. */
import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { SessionError } from '../../../app/session/session-error.ts';
import { configuredProgram } from '../../../policy/commands/programs/git-programs.ts';
import { gitSettings } from '../commands/git-settings.ts';

const LIMITS = { timeout: 300_000, maxBuffer: 200_000_000, windowsHide: true } as const;
const SETTINGS = ['-c', `core.hooksPath=${devNull}`, '-c', 'core.fsmonitor=false', '-c', 'safe.bareRepository=explicit'];
const ENVIRONMENT = { GIT_LITERAL_PATHSPECS: '1', GIT_NO_LAZY_FETCH: '1', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

/** @throws SessionError that says why Git failed */
export async function git(cwd: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return (await gitBytes(cwd, args, signal)).toString();
}

/** Like `git`, for the content of a file. */
export async function gitBytes(cwd: string, args: readonly string[], signal?: AbortSignal): Promise<Buffer> {
  try {
    const options = { ...LIMITS, cwd, env: environment(), encoding: 'buffer' as const, ...(signal && { signal }) };
    return (await promisify(execFile)('git', ['--no-pager', ...SETTINGS, ...args], options)).stdout;
  } catch (error) {
    signal?.throwIfAborted();
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    if (code === 'ENOENT') throw new SessionError('Git is not installed, and a worktree needs it.');
    const why = stderr?.toString().trim().split('\n').at(-1)?.slice(0, 500);
    throw new SessionError(`Git failed${why ? `: ${why}` : '.'}`);
  }
}

/** @throws SessionError if Git would run a program that the repository's configuration names, for example a filter */
export async function expectNoPrograms(directory: string): Promise<void> {
  const settings = await gitSettings(directory);
  if (!settings) throw new SessionError('The Git configuration of this repository cannot be read, so no worktree can be created.');
  const program = configuredProgram([{ argv: ['git', 'checkout'] }, { argv: ['git', 'status'] }], settings);
  if (program)
    throw new SessionError(
      `The configuration of this repository names a program that Git would run (${program}). Remove it, or work without a worktree.`,
    );
}

/** Variables such as GIT_DIR would let Git work in another repository. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|PREFIX)$/.test(name),
  );
  return { ...Object.fromEntries(own), ...ENVIRONMENT };
}

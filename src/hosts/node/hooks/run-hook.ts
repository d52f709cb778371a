/** Runs the command of a hook: JSON on standard input, limited output, and an end at the time limit or when the run is stopped. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { HookExit } from '../../../hooks/answer.ts';
import { findShell, HINTS, shellArguments } from '../commands/process.ts';
import { ProcessGroup } from '../commands/process-group.ts';

export type HookCommand = { command: string; cwd: string; timeoutMs: number; env: NodeJS.ProcessEnv };

const MAX_OUTPUT = 100_000;
const MAX_ERRORS = 10_000;
/** How long the pipes may stay open after the command has exited, because a program that it started keeps them. */
const SETTLE_MS = 150;

export async function runHook({ command, cwd, timeoutMs, env }: HookCommand, input: string, signal: AbortSignal): Promise<HookExit> {
  signal.throwIfAborted();
  const shell = findShell(env);
  // In its own process group, which Windows does not have, the hook can be ended with everything that it has started.
  const child = spawn(shell.path, shellArguments(shell, command), {
    cwd,
    env: { ...env, TERM: 'dumb', ...HINTS },
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const group = new ProcessGroup(child);
  // A hook need not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => {
    let isOver = false;
    const stderr = collected(child.stderr, MAX_ERRORS, () => undefined);
    const stdout = collected(child.stdout, MAX_OUTPUT, () => end({ problem: `its output is longer than ${MAX_OUTPUT} characters.` }));
    const end = (exit: Omit<HookExit, 'stdout' | 'stderr'>) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve({ ...exit, stdout: stdout(), stderr: stderr() });
      // Nothing that the hook started outlives it.
      group.kill();
      child.stdout.destroy();
      child.stderr.destroy();
      group.forget();
    };
    const stop = () => end({ problem: 'the run was stopped.' });
    const timer = setTimeout(() => end({ problem: `it did not end within ${timeoutMs / 1_000} s.` }), timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    child.once('close', (code) => end(ended(code)));
    child.once('exit', (code) => setTimeout(() => end(ended(code)), SETTLE_MS).unref());
  });
}

function ended(code: number | null): Omit<HookExit, 'stdout' | 'stderr'> {
  return code === null ? { problem: 'it was ended by a signal.' } : { code };
}

/** Collects the beginning of an output. The rest is read and dropped, so that the hook does not wait. */
function collected(pipe: Readable, most: number, onFull: () => void): () => string {
  const decoder = new TextDecoder();
  let text = '';
  pipe.on('data', (chunk: Buffer) => {
    if (text.length >= most) return;
    text = (text + decoder.decode(chunk, { stream: true })).slice(0, most);
    if (text.length >= most) onFull();
  });
  pipe.on('error', () => undefined);
  return () => text.toWellFormed();
}

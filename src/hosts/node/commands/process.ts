/** Runs a command in its own process group, without a terminal. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandLine } from '../../../core/session/effects.ts';
import { ProcessGroup } from './process-group.ts';

export type Ending = { code?: number; signal?: string; leftovers?: boolean };

/** A running command. `ended` resolves after `output` has ended. */
export type Running = {
  output: AsyncIterable<string>;
  ended: Promise<Ending>;
  /** Sends SIGTERM immediately, and SIGKILL two seconds later or when this process exits. */
  stop(): void;
};

export type LaunchSpec = {
  text: string;
  cwd: string;
  background: boolean;
  shell: Shell;
  /** Names of variables that the command does not get. */
  withheld: readonly string[];
  /** Called right before the command is started. @throws PathError when a symbolic link was put on the path of `cwd`. */
  expectPlace(): void;
};
export type Launch = (spec: LaunchSpec, signal: AbortSignal) => Promise<Running>;

export type Shell = { name: CommandLine['shell']; path: string };

/** How long child processes may run after their shell has exited. A pipe that is silent for this long is then closed. */
const SETTLE_MS = 150;

/**
 * Variables that disable pagers and prompts, because a command has no terminal for answers. All other variables come from the user's
 * environment.
 */
export const HINTS: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // Read-only git commands must not write the index, which would run a hook.
  GIT_OPTIONAL_LOCKS: '0',
  NO_COLOR: '1',
};

/** Returns the shell for commands: the first bash on PATH, or else the default shell of the system. */
export function findShell(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): Shell {
  if (platform === 'win32') return { name: 'powershell', path: 'powershell.exe' };
  for (const directory of [...(env.PATH ?? '').split(delimiter), '/bin', '/usr/bin']) {
    const path = join(directory, 'bash');
    if (directory.startsWith('/') && isExecutable(path)) return { name: 'bash', path };
  }
  return { name: 'sh', path: '/bin/sh' };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function shellArguments({ name }: Shell, text: string): string[] {
  if (name === 'powershell') return ['-NoProfile', '-NonInteractive', '-Command', text];
  return name === 'bash' ? ['--norc', '--noprofile', '-c', text] : ['-c', text];
}

export const launchProcess: Launch = async ({ text, cwd, shell, withheld, expectPlace }) => {
  const inherited = Object.entries(process.env).filter(([name]) => !withheld.includes(name));
  const env = { ...Object.fromEntries(inherited), TERM: 'dumb', ...HINTS };
  const isWindows = shell.name === 'powershell';
  expectPlace();
  const child = isWindows
    ? spawn(shell.path, shellArguments(shell, text), { cwd, env, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] })
    : // Both outputs go into one pipe, so that their order is preserved.
      spawn('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', shell.path, ...shellArguments(shell, text)], {
        cwd,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
  const exited = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => resolve({ ...(code !== null && { code }), ...(signal && { signal }) }));
  });
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const group = new ProcessGroup(child);
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null);
  const ended = exited.then(async (ending) => {
    const leftovers = !isWindows && !(await group.gone(SETTLE_MS));
    if (leftovers) group.stop();
    await Promise.all(pipes.map(closeWhenSilent));
    group.forget();
    return { ...ending, ...(leftovers && { leftovers }) };
  });
  return { output: textOf(pipes), ended, stop: () => group.stop() };
};

/** Closes a pipe that is silent, because a process that has left the group may keep the pipe open forever. */
async function closeWhenSilent(pipe: Readable): Promise<void> {
  const closed = new Promise<boolean>((resolve) => {
    if (pipe.closed) resolve(true);
    else pipe.once('close', () => resolve(true));
  });
  for (let read = -1; !(await Promise.race([closed, delay(SETTLE_MS, false)])); ) {
    const { bytesRead } = pipe as Socket;
    if (bytesRead === read && pipe.readableLength === 0) pipe.destroy();
    read = bytesRead;
  }
}

/** Yields the output of all pipes as it arrives. Invalid UTF-8 is replaced. */
async function* textOf(pipes: Readable[]): AsyncGenerator<string> {
  if (pipes.length === 1) return yield* decoded(pipes[0] as Readable);
  const sources = pipes.map(decoded);
  const next = new Map(sources.map((source) => [source, source.next().then((result) => ({ source, result }))]));
  while (next.size > 0) {
    const { source, result } = await Promise.race(next.values());
    if (result.done) next.delete(source);
    else {
      yield result.value;
      next.set(
        source,
        source.next().then((following) => ({ source, result: following })),
      );
    }
  }
}

async function* decoded(pipe: Readable): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of pipe) yield decoder.decode(chunk as Uint8Array, { stream: true });
  } catch (error) {
    // `closeWhenSilent` closed the pipe, because a leftover process kept it open.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
  const rest = decoder.decode();
  if (rest) yield rest;
  return undefined;
}

/** A command as a process group of its own, without a terminal. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandLine } from '../../../core/session/effects.ts';
import { ProcessGroup } from './process-group.ts';

export type Ending = { code?: number; signal?: string; leftovers?: boolean };

/** A command that runs. `output` ends when no more can come; `ended` resolves after it. */
export type Running = {
  output: AsyncIterable<string>;
  ended: Promise<Ending>;
  /** Politely at once; by force two seconds later, or when this program ends. */
  stop(): void;
};

export type LaunchSpec = {
  text: string;
  cwd: string;
  background: boolean;
  shell: Shell;
  /** Names of variables that the command does not get. */
  withheld: readonly string[];
  /** Called right before the command is started. @throws PathError when a link was put on the way to `cwd`. */
  expectPlace(): void;
};
export type Launch = (spec: LaunchSpec, signal: AbortSignal) => Promise<Running>;

export type Shell = { name: CommandLine['shell']; path: string };

/** After a shell has ended, how long what it started has to end as well, or its pipe may be silent. */
const SETTLE_MS = 150;

/** Nobody is there to page through anything or to answer; what is left is the user's own environment. */
export const HINTS: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // What only reads writes no index, and so runs no hook.
  GIT_OPTIONAL_LOCKS: '0',
  NO_COLOR: '1',
};

/** The shell that commands are run with: the first bash on PATH, else what each system has. */
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

function shellArguments({ name }: Shell, text: string): string[] {
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
    : // Both outputs into one pipe, so that their order stays.
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

/** Whoever left the group may hold a pipe open for ever. */
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

/** What comes out of any of them, as it comes; bytes that are no UTF-8 are replaced. */
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
    // It was closed on what had been left behind.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
  const rest = decoder.decode();
  if (rest) yield rest;
  return undefined;
}

/** Starts the program of an MCP server, with pipes for its standard input and output. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import crossSpawn from 'cross-spawn';
import type { ServerProcess, StartServer } from '../../../mcp/types.ts';
import { ProcessGroup } from './process-group.ts';

/** How long a server has to exit after its input was closed, and after SIGTERM. */
const END_OF_INPUT_MS = 500;
const SIGTERM_MS = 1_000;

export const startServer: StartServer = async ({ command, args, env, cwd }, on) => {
  // In its own process group, which Windows does not have, the server does not receive a Ctrl+C that is meant for Kedge, and all its
  // processes can be stopped.
  const detached = process.platform !== 'win32';
  // On Windows, cross-spawn finds scripts such as npx.cmd.
  const child = crossSpawn(command, args, {
    env,
    ...(cwd !== undefined && { cwd }),
    detached,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { stdin, stdout, stderr } = child;
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const group = new ProcessGroup(child);
  // A write to a server that has exited must not throw; the caller learns of the exit from `closed`.
  stdin?.on('error', () => undefined);
  stdout?.on('data', on.output);
  stderr?.on('data', (chunk: Buffer) => on.said(chunk.toString()));
  child.once('close', on.closed);
  const endWatch = detached && child.pid !== undefined ? watchOver(child.pid) : undefined;
  // Another program could get the number of a group that is gone.
  child.once('close', () => void group.gone(0).then((isGone) => isGone && endWatch?.()));

  const stop = async () => {
    stdin?.end();
    if (!(await group.gone(END_OF_INPUT_MS))) {
      group.terminate();
      if (!(await group.gone(SIGTERM_MS))) group.kill();
    }
    endWatch?.();
    group.forget();
  };
  let stopping: Promise<void> | undefined;
  return {
    send: (text) =>
      new Promise((resolve) => {
        if (stdin?.write(text)) resolve();
        else stdin?.once('drain', resolve);
      }),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  } satisfies ServerProcess;
};

/** Waits for the end of its input, gives the group time to exit, and then stops it. */
const WATCH = 'read -r _; sleep 1; kill -TERM -"$0" && sleep 1 && kill -KILL -"$0"';

/**
 * Starts a shell that stops a process group when Kedge is gone, even if Kedge was killed: its input is then closed. Returns a function that
 * ends the shell.
 */
function watchOver(group: number): () => void {
  const shell = spawn('/bin/sh', ['-c', WATCH, String(group)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell, a server can outlive a Kedge that was killed.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  // The shell must not keep Kedge running.
  shell.unref();
  (shell.stdin as Socket).unref();
  return () => void shell.kill('SIGKILL');
}

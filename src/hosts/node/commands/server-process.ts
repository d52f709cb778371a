/** Starts the program of an MCP server, with pipes for its standard input and output. */
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

  const stop = async () => {
    stdin?.end();
    if (!(await group.gone(END_OF_INPUT_MS))) {
      group.terminate();
      if (!(await group.gone(SIGTERM_MS))) group.kill();
    }
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

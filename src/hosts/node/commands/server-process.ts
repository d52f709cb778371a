/** The program of an MCP server, with its standard input and output as pipes. */
import crossSpawn from 'cross-spawn';
import type { ServerProcess, StartServer } from '../../../mcp/types.ts';
import { ProcessGroup } from './process-group.ts';

/** How long a server has to end once its input has, and once it was asked to. */
const END_OF_INPUT_MS = 500;
const SIGTERM_MS = 1_000;

export const startServer: StartServer = async ({ command, args, env, cwd }, on) => {
  // A process group of its own on systems that know such a thing: a Ctrl+C meant for Kedge is not meant for it, and all of it can be ended.
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
  // Whoever writes to a server that has ended hears of that by its end.
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

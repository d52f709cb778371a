/**
 * Runs commands in terminals of the client, which displays their output. Approvals, limits of output and time limits are those of all
 * commands; only the process is started elsewhere.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ending, HINTS, type Launch, launchProcess } from '../node/commands/process.ts';
import type { SessionClient } from './client.ts';

/** The amount of output that the client keeps. All of it is transferred each time Kedge reads it. */
const OUTPUT_BYTES = 1_000_000;
const LOOK_MS = 100;
/** The interval at which a long output is read. */
const LONG_LOOK_MS = 1_000;
const LONG = 50_000;
/** How long a stopped command may take to exit. */
const STOP_MS = 2_000;

export class ClientTerminals {
  #client: SessionClient | undefined;
  #show: (terminalId: string) => void = () => undefined;

  /** `show` displays a terminal with the tool call that runs. */
  attach(client: SessionClient, show: (terminalId: string) => void): void {
    this.#client = client;
    this.#show = show;
  }

  /** The protocol has no way to start a script in PowerShell regardless of its execution policy, so commands there run in this program. */
  readonly launch: Launch = async (spec, signal) => {
    const client = this.#client;
    if (!client || spec.shell.name === 'powershell') return launchProcess(spec, signal);
    const folder = await mkdtemp(join(tmpdir(), 'kedge-command-'));
    const forget = () => rm(folder, { recursive: true, force: true }).catch(() => undefined);
    try {
      const script = join(folder, 'command');
      await writeFile(script, scriptOf(spec), { mode: 0o600 });
      spec.expectPlace();
      const options = spec.shell.name === 'bash' ? ['--norc', '--noprofile'] : [];
      const terminalId = await client.createTerminal({
        command: spec.shell.path,
        args: [...options, script],
        cwd: spec.cwd,
        env: environmentOf(spec.withheld),
        outputByteLimit: OUTPUT_BYTES,
      });
      this.#show(terminalId);
      const stopping = new AbortController();
      const exited = Promise.race([client.terminalExit(terminalId), afterStop(stopping.signal)]);
      const end = async () => {
        await client.releaseTerminal(terminalId).catch(() => undefined);
        await forget();
      };
      return {
        output: outputOf(client, terminalId, exited, end),
        // A client that has disconnected reports nothing. Its terminals end with it.
        ended: exited.catch((): Ending => ({})),
        stop() {
          stopping.abort();
          void client.killTerminal(terminalId).catch(() => undefined);
        },
      };
    } catch (error) {
      await forget();
      throw error;
    }
  };
}

/**
 * The client adds these variables to its own environment, which cannot be made smaller. Withheld variables are therefore empty until the
 * script removes them. BASH_ENV would make the shell run another script first.
 */
function environmentOf(withheld: readonly string[]): { name: string; value: string }[] {
  const empty = ['BASH_ENV', 'ENV', ...withheld].map((name): [string, string] => [name, '']);
  return Object.entries({ ...Object.fromEntries(empty), ...HINTS }).map(([name, value]) => ({ name, value }));
}

/** Resolves some time after a stop, because a client may wait for processes that the command has left behind. */
function afterStop(signal: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => void delay(STOP_MS, undefined, { ref: false }).then(() => resolve({})), { once: true });
  });
}

/**
 * Returns the command as a script. Some clients join the words of a command for the user's shell, which would read a command again and differently;
 * the path of a script has no special characters. The command begins in the first line, so that the numbers of lines in errors are right.
 */
function scriptOf({ text, withheld }: { text: string; withheld: readonly string[] }): string {
  const names = ['BASH_ENV', 'ENV', ...withheld].filter((name) => /^[A-Za-z_]\w*$/.test(name));
  return `exec </dev/null; unset -v ${names.join(' ')}; ${text}\n`;
}

/** Yields the output as it grows. What a client has rewritten, such as a line of progress, is yielded at the end. */
async function* outputOf(
  client: SessionClient,
  terminalId: string,
  exited: Promise<unknown>,
  end: () => Promise<void>,
): AsyncGenerator<string> {
  const over = exited.then(
    () => true,
    () => true,
  );
  let seen = '';
  try {
    for (let isOver = false; !isOver; ) {
      isOver = await Promise.race([over, delay(seen.length > LONG ? LONG_LOOK_MS : LOOK_MS, false)]);
      const output = (await client.terminalOutput(terminalId)).slice(-OUTPUT_BYTES);
      if (output.startsWith(seen)) {
        if (output.length > seen.length) yield output.slice(seen.length);
        seen = output;
      } else if (isOver) yield restOf(output, seen);
    }
  } finally {
    await end();
  }
}

/** Returns what follows the seen part of an output whose beginning or lines the client has changed. */
function restOf(output: string, seen: string): string {
  const tail = seen.slice(-1_000);
  const at = tail ? output.lastIndexOf(tail) : -1;
  if (at >= 0) return output.slice(at + tail.length);
  let same = 0;
  while (same < seen.length && seen[same] === output[same]) same++;
  return `\n${output.slice(same)}`;
}

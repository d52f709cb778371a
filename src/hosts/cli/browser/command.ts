/** `kedge browser`: shows whether the browser tool can be used, and sets it up. */
import { installedBrowser } from '../../node/browser/installed.ts';
import { findLibrary, LIBRARY } from '../../node/browser/library.ts';
import { SETUP_QUESTION, setUpBrowser } from '../../node/browser/setup.ts';
import { storageDirectory } from '../../node/storage.ts';
import { EXIT } from '../exit-codes.ts';
import { LineReader } from '../line-reader.ts';
import { UsageError } from '../options/arguments.ts';
import { browserOf } from '../options/environment.ts';
import { oneLine } from '../output/terminal.ts';

type Running = { env: NodeJS.ProcessEnv; yes: boolean; signal: AbortSignal };

/** Resolves to the exit code. @throws UsageError for unknown words, SetupError if the set-up fails */
export async function browserCommand([verb, ...more]: readonly string[], { env, yes, signal }: Running): Promise<number> {
  const data = storageDirectory(env);
  if (more.length > 0 || (verb !== undefined && verb !== 'setup')) throw new UsageError('Use kedge browser or kedge browser setup.');
  if (verb === undefined) {
    process.stdout.write(`${statusText(data, env)}\n`);
    return EXIT.answered;
  }
  if (findLibrary(data)) {
    process.stdout.write('The browser tool is set up already.\n');
    return EXIT.answered;
  }
  if (!(yes || (await confirms(signal)))) return EXIT.stopped;
  await setUpBrowser({ data, env }, signal);
  process.stdout.write('The browser tool is set up. To turn it on: kedge config set browser on\n');
  return EXIT.answered;
}

/** Without a terminal, the command itself is the confirmation. */
async function confirms(signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  const answer = await new LineReader(process.stdin).ask(`${SETUP_QUESTION} Continue? [y/N] `, signal);
  return /^\s*y/i.test(answer ?? '');
}

function statusText(data: string, env: NodeJS.ProcessEnv): string {
  const chosen = browserOf(env);
  const browser = chosen?.path ?? installedBrowser(env);
  return [
    `The browser tool is ${chosen ? 'on' : 'off. To turn it on: kedge config set browser on'}`,
    `${LIBRARY.name} ${LIBRARY.version}: ${findLibrary(data) ? 'set up' : 'not set up. To set it up: kedge browser setup'}`,
    `Browser: ${browser ? oneLine(browser) : 'none found. Install Chrome, Chromium or Edge, or set KEDGE_BROWSER to its path.'}`,
  ].join('\n');
}

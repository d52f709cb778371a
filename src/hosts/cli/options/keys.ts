/** `kedge keys`: manages the keys in the keychain. A key is read from standard input and never shown. */
import { catalogEntry } from '../../../providers/catalog.ts';
import type { StoredKeys } from '../../node/keyring.ts';
import { UsageError } from './arguments.ts';
import { type Environment, keyVariablesOf } from './environment.ts';

export type KeysCommand = { verb: 'list' } | { verb: 'set' | 'delete'; provider: string };
export type Terminal = { input: NodeJS.ReadStream; output: { write(text: string): unknown }; prompts: { write(text: string): unknown } };

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES = ['\u007f', '\b'];

/** Error messages do not repeat extra arguments, because one of them may be a key. */
export function keysCommand([verb, provider, ...more]: readonly string[]): KeysCommand {
  if (more.length > 0)
    throw new UsageError('Do not write a key on the command line: kedge keys set PROVIDER reads it from standard input.');
  if (verb === 'list' && provider === undefined) return { verb };
  if ((verb === 'set' || verb === 'delete') && provider !== undefined) return { verb, provider };
  throw new UsageError('Use kedge keys set PROVIDER, kedge keys delete PROVIDER or kedge keys list.');
}

/** Resolves to false if the user cancelled without entering a key. @throws Error whose message is one sentence */
export async function keys(command: KeysCommand, stored: StoredKeys, env: Environment, terminal: Terminal): Promise<boolean> {
  const { output } = terminal;
  if (command.verb === 'list') {
    for (const name of stored.names) output.write(`${name}\n`);
    if (stored.names.length === 0) terminal.prompts.write('The keychain has no keys. Keys in the environment are not listed here.\n');
    return true;
  }
  const entry = catalogEntry(command.provider);
  if (!entry || entry.id === 'offline') throw new UsageError('No provider with this name uses a key. To list providers, run kedge models.');
  const { id, label } = entry;
  const [variable] = keyVariablesOf(id).slice(-1);
  if (command.verb === 'delete') {
    const deleted = await stored.delete(id).catch((error) => throwKeychainError(error));
    output.write(deleted ? `The key for ${label} was deleted.\n` : `No key for ${label} is stored.\n`);
    return true;
  }
  const key = (await readKey(`Key for ${label} (not shown): `, terminal))?.trim();
  if (key === undefined) return false;
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('The key was not stored. Enter a key without spaces, in ASCII letters, digits and symbols.');
  await stored.set(id, key).catch((error) => throwKeychainError(error, ` Set ${variable} in the environment instead.`));
  const overriding = keyVariablesOf(id).find((name) => env[name]?.trim());
  output.write(
    `The key for ${label} was stored in the keychain.${overriding ? ` While ${overriding} is set, its key is used instead.` : ''}\n`,
  );
  return true;
}

function throwKeychainError(error: unknown, todo = ' Check that it is unlocked, and try again.'): never {
  const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  throw new Error(`The keychain of this computer could not be used (${why}).${todo}`);
}

/** Reads all of standard input, or one line without echo at a terminal. Resolves to undefined if the user cancels. */
async function readKey(prompt: string, { input, prompts }: Terminal): Promise<string | undefined> {
  input.setEncoding('utf8');
  if (!input.isTTY) {
    let text = '';
    for await (const chunk of input) text += chunk;
    return text;
  }
  prompts.write(prompt);
  input.setRawMode(true);
  let line = '';
  try {
    for await (const chunk of input) {
      for (const char of chunk as string) {
        if (char === '\r' || char === '\n') return line;
        if (char === CTRL_C || char === CTRL_D) return undefined;
        line = BACKSPACES.includes(char) ? line.slice(0, -1) : line + char;
      }
    }
    return undefined;
  } finally {
    input.setRawMode(false);
    prompts.write('\n');
  }
}

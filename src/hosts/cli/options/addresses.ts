/** Where the models of a session are, kept beside its log: going on with it must never send it elsewhere. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../sessions/directory.ts';
import { UsageError } from './arguments.ts';

/** By provider. `given`: with --base-url, so it wins over the environment. */
export type Addresses = Record<string, { baseUrl: string; given: boolean }>;

/** @throws UsageError when there are some that cannot be read, unless they `mayFail`. */
export function readAddresses(directory: string, session: string, mayFail: boolean): Addresses {
  try {
    const found: Addresses = JSON.parse(readFileSync(fileOf(directory, session), 'utf8'));
    if (Object.values(found).every(({ baseUrl }) => URL.canParse(baseUrl))) return found;
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return {};
  }
  if (mayFail) return {};
  throw new UsageError(`The address of the model of session ${session} cannot be read, so nothing was sent. Give it with --base-url.`);
}

export function writeAddresses(directory: string, session: string, addresses: Addresses): void {
  makeDirectory(directory);
  writeFileSync(fileOf(directory, session), `${JSON.stringify(addresses)}\n`, { mode: 0o600 });
}

/** Without what may be a secret: the user, the password and the query. */
export function bareAddress(address: string): string {
  const url = new URL(address);
  Object.assign(url, { username: '', password: '', search: '', hash: '' });
  return url.href;
}

function fileOf(directory: string, session: string): string {
  return join(directory, `${session}.address.json`);
}

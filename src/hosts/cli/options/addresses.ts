/** The addresses of a session's model servers, stored beside its log, so that continuing the session never sends it to another server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../sessions/directory.ts';
import { UsageError } from './arguments.ts';

/** Addresses by provider. `given` means that the address was set with --base-url, so it takes precedence over the environment. */
export type Addresses = Record<string, { baseUrl: string; given: boolean }>;

/** @throws UsageError if the stored addresses cannot be read, unless `mayFail` is set. */
export function readAddresses(directory: string, session: string, mayFail: boolean): Addresses {
  try {
    const addresses: Addresses = JSON.parse(readFileSync(fileOf(directory, session), 'utf8'));
    if (Object.values(addresses).every(({ baseUrl }) => URL.canParse(baseUrl))) return addresses;
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return {};
  }
  if (mayFail) return {};
  throw new UsageError(`The address of the model of session ${session} cannot be read, so nothing was sent. Set it with --base-url.`);
}

export function writeAddresses(directory: string, session: string, addresses: Addresses): void {
  makeDirectory(directory);
  writeFileSync(fileOf(directory, session), `${JSON.stringify(addresses)}\n`, { mode: 0o600 });
}

/** Removes the parts of an address that may be secret: the user name, the password and the query. */
export function bareAddress(address: string): string {
  const url = new URL(address);
  Object.assign(url, { username: '', password: '', search: '', hash: '' });
  return url.href;
}

function fileOf(directory: string, session: string): string {
  return join(directory, `${session}.address.json`);
}

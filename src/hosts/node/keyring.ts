/** Stores the API keys of providers in the keychain of the operating system. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abortable } from '../../core/abort.ts';

/** The operations of a keychain. `name` is the id of a provider. */
export interface Keychain {
  get(name: string): Promise<string | undefined>;
  set(name: string, key: string): Promise<void>;
  delete(name: string): Promise<void>;
}

const SERVICE = 'kedge';
/** How long to wait for the keychain, which may ask the user for a password. A run must not wait forever if the user does not answer. */
const ANSWER_MS = 60_000;

/** @throws Error when there is no usable keychain. */
async function systemKeychain(): Promise<Keychain> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  // Without a secret service on Linux, the library would fall back to a kernel store that is emptied by a restart.
  const entry = (name: string) => new AsyncEntry(SERVICE, name, { linux: { store: 'secret-service' } });
  const answer = <T>(asked: Promise<T>) => abortable(asked, AbortSignal.timeout(ANSWER_MS));
  return {
    get: async (name) => (await answer(entry(name).getPassword())) ?? undefined,
    set: (name, key) => answer(entry(name).setPassword(key)),
    delete: async (name) => void (await answer(entry(name).deletePassword())),
  };
}

/**
 * The stored keys. A file lists the providers that have a key. Therefore, Kedge does not open the keychain if no key is stored, and can
 * list the providers while the keychain is locked.
 */
export class StoredKeys {
  readonly #file: string;
  readonly #directory: string;
  readonly #open: () => Promise<Keychain>;

  constructor(directory: string, open: () => Promise<Keychain> = systemKeychain) {
    this.#directory = directory;
    this.#file = join(directory, 'keys.json');
    this.#open = open;
  }

  get names(): string[] {
    try {
      const names: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
    } catch {
      return [];
    }
  }

  /** Returns undefined if no key is stored, or if the keychain cannot be read: the user gets the same message in both cases. */
  async get(name: string): Promise<string | undefined> {
    if (!this.names.includes(name)) return undefined;
    try {
      return (await (await this.#open()).get(name)) || undefined;
    } catch {
      return undefined;
    }
  }

  /** @throws Error when the keychain cannot be written. */
  async set(name: string, key: string): Promise<void> {
    await (await this.#open()).set(name, key);
    this.#write([...new Set([...this.names, name])].sort());
  }

  /** Returns false when no key was stored. @throws Error when the keychain cannot be written. */
  async delete(name: string): Promise<boolean> {
    const { names } = this;
    if (!names.includes(name)) return false;
    await (await this.#open()).delete(name);
    this.#write(names.filter((other) => other !== name));
    return true;
  }

  #write(names: readonly string[]): void {
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(this.#file, `${JSON.stringify(names)}\n`, { mode: 0o600 });
  }
}

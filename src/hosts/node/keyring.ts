/** Keys of providers in the keychain of the operating system. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abortable } from '../../core/abort.ts';

/** What a keychain can do; `name` is a provider's id. */
export interface Keychain {
  get(name: string): Promise<string | undefined>;
  set(name: string, key: string): Promise<void>;
  delete(name: string): Promise<void>;
}

const SERVICE = 'kedge';
/** A keychain may ask its user for a password first; one that nobody can unlock must not keep a run waiting for ever. */
const ANSWER_MS = 60_000;

/** @throws Error where there is none, or none that can be used */
async function systemKeychain(): Promise<Keychain> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  // Where Linux has no secret service, the library would take a store of the kernel that a restart empties.
  const entry = (name: string) => new AsyncEntry(SERVICE, name, { linux: { store: 'secret-service' } });
  const answer = <T>(asked: Promise<T>) => abortable(asked, AbortSignal.timeout(ANSWER_MS));
  return {
    get: async (name) => (await answer(entry(name).getPassword())) ?? undefined,
    set: (name, key) => answer(entry(name).setPassword(key)),
    delete: async (name) => void (await answer(entry(name).deletePassword())),
  };
}

/**
 * The keys that were stored. A file lists the providers that have one, and nothing else: so a start without a stored key costs no
 * keychain, and names can be listed where it is locked.
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

  /** Undefined also where the keychain cannot be asked: what is missing is then said as if no key were stored. */
  async get(name: string): Promise<string | undefined> {
    if (!this.names.includes(name)) return undefined;
    try {
      return (await (await this.#open()).get(name)) || undefined;
    } catch {
      return undefined;
    }
  }

  /** @throws Error where the keychain cannot be written to */
  async set(name: string, key: string): Promise<void> {
    await (await this.#open()).set(name, key);
    this.#write([...new Set([...this.names, name])].sort());
  }

  /** False where there was none. @throws Error where the keychain cannot be written to */
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

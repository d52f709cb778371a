/** Kedge's memory: Markdown files in Kedge's own storage, which the user can read and edit. */
import { appendFileSync, closeSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../sessions/directory.ts';
import type { MemoryScope, MemoryStore } from '../../tools/remember.ts';
import { readRegular } from './files/real-files.ts';

/** A model never receives more than this, so a larger file is not read completely. */
const MAX_CHARACTERS = 1_000_000;
/** Older answers are forgotten. */
const MAX_ANSWERS = 1_000;

export class MemoryFiles implements MemoryStore {
  readonly #files: Record<MemoryScope, string>;

  constructor(files: Record<MemoryScope, string>) {
    this.#files = files;
  }

  async read(scope: MemoryScope): Promise<string> {
    try {
      return readRegular(this.#files[scope]).toString('utf8').slice(-MAX_CHARACTERS);
    } catch {
      return '';
    }
  }

  async add(scope: MemoryScope, entry: string): Promise<void> {
    const before = await this.read(scope);
    appendFileSync(this.path(scope), `${before === '' || before.endsWith('\n') ? '' : '\n'}- ${entry}\n`);
  }

  async answered(): Promise<string[]> {
    try {
      return readRegular(this.#answers).toString('utf8').split('\n').filter(Boolean).slice(-MAX_ANSWERS);
    } catch {
      return [];
    }
  }

  async answer(digest: string): Promise<void> {
    const known = await this.answered();
    if (known.includes(digest)) return;
    makeDirectory(dirname(this.#answers));
    writeFileSync(this.#answers, `${[...known, digest].slice(-MAX_ANSWERS).join('\n')}\n`, { mode: 0o600 });
  }

  /** The file with the digests of the lessons that the user has kept or dismissed. */
  get #answers(): string {
    return `${this.#files.lessons}.answered`;
  }

  /** Returns the path of a memory. The file is created if it does not exist. */
  path(scope: MemoryScope): string {
    const file = this.#files[scope];
    makeDirectory(dirname(file));
    closeSync(openSync(file, 'a', 0o600));
    return file;
  }
}

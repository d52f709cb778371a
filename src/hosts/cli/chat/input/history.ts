/**
 * Stores the messages that the user sent in conversations, for the Up key and Ctrl+R. Only the user can read the file, and it contains nothing
 * that looks like a key.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { holdsKey } from '../../../../core/keys.ts';
import { makeDirectory } from '../../../../sessions/directory.ts';

const MAX_ENTRIES = 500;
const MAX_LENGTH = 4_000;
const MAX_BYTES = 4_000_000;

export class History {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the entries, the newest last. A file that cannot be read is an empty history. */
  read(): string[] {
    try {
      const text = readFileSync(this.#file, 'utf8');
      if (text.length > MAX_BYTES) return [];
      return text.split('\n').flatMap(entryOf).slice(-MAX_ENTRIES);
    } catch {
      return [];
    }
  }

  /** Adds an entry. Other conversations may have added entries in the meantime, so the file is read again. */
  add(entry: string): void {
    if (entry.trim() === '' || entry.length > MAX_LENGTH || holdsKey(entry)) return;
    const entries = this.read();
    if (entries.at(-1) === entry) return;
    const text = [...entries, entry]
      .slice(-MAX_ENTRIES)
      .map((each) => `${JSON.stringify(each)}\n`)
      .join('');
    try {
      makeDirectory(dirname(this.#file));
      const temporary = `${this.#file}.${process.pid}`;
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, this.#file);
    } catch {
      // A conversation does not depend on its history.
    }
  }
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' ? [entry] : [];
  } catch {
    return [];
  }
}

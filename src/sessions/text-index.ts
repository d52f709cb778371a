/**
 * Stores the texts of sessions for searching beside their logs. Each session has one file with a filter and its texts. The filter is a set
 * of hashed triples of letters (a Bloom filter with one hash): it shows in microseconds that a session cannot contain a word, so the texts
 * of only a few sessions are read. A file is valid only for the log that it was created from.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jsonIn } from '../core/json.ts';
import type { SessionText } from '../core/session/texts.ts';
import { replaceFile } from './directory.ts';
import { INDEX } from './session-list.ts';

const VERSION = 1;
const HEAD = 128;
/** The bits of a filter for each different triple. A missing triple is then recognized in 7 of 8 cases, and a missing word much more often. */
const BITS_EACH = 8;
const [MIN_BYTES, MAX_BYTES] = [1 << 10, 1 << 16];
const MAX_SHIFT = 32 - Math.log2(MAX_BYTES * 8);

type Head = { version: number; inode: number; size: number; mtimeMs: number; filter: number };

/** Converts a text to a form in which upper and lower case are equal. */
export function folded(text: string): string {
  return text.toLowerCase();
}

export class TextIndex {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns true if a session can contain all words, which must be `folded`, or undefined if its texts are missing or outdated. */
  mayContain(id: string, words: readonly string[]): boolean | undefined {
    let handle: number | undefined;
    try {
      handle = openSync(this.#file(id), 'r');
      const head = this.#headIn(handle, id);
      if (!head) return undefined;
      const filter = Buffer.allocUnsafe(head.filter);
      if (readSync(handle, filter, 0, filter.length, HEAD) < filter.length) return undefined;
      return words.every((word) => hasTriples(filter, word));
    } catch {
      return undefined;
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  /** @throws Error if the file cannot be read */
  texts(id: string): SessionText[] {
    const bytes = readFileSync(this.#file(id));
    const { filter } = jsonIn(bytes.toString('latin1', 0, HEAD)) as Head;
    return bytes
      .toString('utf8', HEAD + filter)
      .split('\n')
      .map(jsonIn)
      .filter((text): text is SessionText => typeof (text as SessionText | undefined)?.text === 'string');
  }

  /**
   * Writes the texts of a session. `log` identifies the state of the log that they were read from. Texts that cannot be written are
   * collected again for the next search.
   */
  write(id: string, log: { inode: number; size: number; mtimeMs: number }, texts: readonly SessionText[]): void {
    const filter = filterOf(texts.map(({ text }) => folded(text)));
    const head: Head = { version: VERSION, ...log, filter: filter.length };
    const lines = texts.map((text) => JSON.stringify(text)).join('\n');
    try {
      replaceFile(this.#file(id), Buffer.concat([Buffer.from(JSON.stringify(head).padEnd(HEAD)), filter, Buffer.from(lines)]));
    } catch {}
  }

  /**
   * Removes the texts of sessions that no longer exist, and temporary files that were left by a crash. @returns the number of removed files
   */
  removeOthers(ids: ReadonlySet<string>, now = Date.now()): number {
    let removed = 0;
    for (const name of namesIn(join(this.#directory, INDEX))) {
      const id = /^([\w-]+)\.(?:text|digest)$/.exec(name)?.[1];
      const file = join(this.#directory, INDEX, name);
      const isDraft =
        /\.(text|digest|json)\.[\w-]{36}$/.test(name) && now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > 3_600_000;
      if (!isDraft && (id === undefined || ids.has(id))) continue;
      rmSync(file, { force: true });
      removed++;
    }
    return removed;
  }

  /** Returns values that identify the current content of a log. @throws Error if there is no log */
  stampOf(id: string): { inode: number; size: number; mtimeMs: number } {
    const { ino: inode, size, mtimeMs } = statSync(join(this.#directory, `${id}.jsonl`));
    return { inode, size, mtimeMs };
  }

  #headIn(handle: number, id: string): Head | undefined {
    const bytes = Buffer.alloc(HEAD);
    readSync(handle, bytes, 0, HEAD, 0);
    const head = jsonIn(bytes.toString('latin1')) as Head | undefined;
    const { inode, size, mtimeMs } = this.stampOf(id);
    const isCurrent = head?.version === VERSION && head.inode === inode && head.size === size && head.mtimeMs === mtimeMs;
    return isCurrent && head.filter >= MIN_BYTES && head.filter <= MAX_BYTES ? head : undefined;
  }

  #file(id: string): string {
    return join(this.#directory, INDEX, `${id}.text`);
  }
}

function filterOf(texts: readonly string[]): Buffer {
  const seen = new Uint8Array(MAX_BYTES * 8);
  let count = 0;
  for (const text of texts) {
    let [first, second] = [text.charCodeAt(0), text.charCodeAt(1)];
    for (let at = 2; at < text.length; at++) {
      const third = text.charCodeAt(at);
      const hash = hashOf(first, second, third) >>> MAX_SHIFT;
      if (seen[hash] === 0) {
        seen[hash] = 1;
        count++;
      }
      [first, second] = [second, third];
    }
  }
  let size = MIN_BYTES;
  while (size < MAX_BYTES && size * 8 < count * BITS_EACH) size *= 2;
  const filter = Buffer.alloc(size);
  const shift = Math.log2(MAX_BYTES / size);
  for (let hash = seen.indexOf(1); hash >= 0; hash = seen.indexOf(1, hash + 1)) {
    const bit = hash >>> shift;
    filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7));
  }
  return filter;
}

function hasTriples(filter: Buffer, word: string): boolean {
  const shift = 32 - Math.log2(filter.length * 8);
  for (let at = 0; at + 2 < word.length; at++) {
    const bit = hashOf(word.charCodeAt(at), word.charCodeAt(at + 1), word.charCodeAt(at + 2)) >>> shift;
    if (((filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Returns a hash of three letters. Its upper bits are the best distributed. */
function hashOf(first: number, second: number, third: number): number {
  const triple = Math.imul(first, 0x10001) + Math.imul(second, 0x101) + third;
  return Math.imul(triple ^ (triple >>> 15), 0x9e3779b1) >>> 0;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

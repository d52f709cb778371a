/**
 * Stores the digests of all sessions for insights beside their logs. A digest is valid only for the log that it was computed from. When
 * that log has grown, only its new events are read; otherwise the digest is computed again.
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addEvent, type Digest, emptyDigest } from '../core/insights/fold.ts';
import { FIRST_FORMAT } from '../core/session/log-format.ts';
import { emptySession } from '../core/session/session-state.ts';
import { applyValidEvents } from '../core/session/valid-events.ts';
import { replaceFile } from './directory.ts';
import { readLines } from './log-lines.ts';
import { INDEX } from './session-list.ts';

const VERSION = 2;
const TAIL = 64;

/**
 * `end` is the byte offset in the log up to which it was read, and `tail` are the bytes before it, which differ if the log was replaced.
 * `format` is the format of the next events. `zone` is the time zone, because a digest counts by day.
 */
type Stored = { version: number; zone: string; inode: number; end: number; tail: string; format: number; digest: Digest };

export class Digests {
  readonly #directory: string;
  readonly #zone: string;

  constructor(directory: string, zone = Intl.DateTimeFormat().resolvedOptions().timeZone) {
    this.#directory = directory;
    this.#zone = zone;
  }

  /** Returns the ids of all sessions that are not in the trash. */
  ids(): string[] {
    return namesIn(this.#directory).flatMap((name) => /^([\w-]+)\.jsonl$/.exec(name)?.[1] ?? []);
  }

  /** Returns the digest of the current log. @throws Error if the log cannot be read, or was written by a newer version */
  of(id: string): Digest {
    const known = this.#read(id);
    const handle = openSync(join(this.#directory, `${id}.jsonl`), 'r');
    try {
      const { ino: inode, size } = fstatSync(handle);
      const goesOn = known?.inode === inode && known.end <= size && tailAt(handle, known.end) === known.tail;
      if (goesOn && known.end === size) return known.digest;
      const more = goesOn ? continued(known, bytesAt(handle, known.end, size)) : undefined;
      const { digest, end, format } = more ?? made(bytesAt(handle, 0, size));
      this.#write(id, { version: VERSION, zone: this.#zone, inode, end, tail: tailAt(handle, end), format, digest });
      return digest;
    } finally {
      closeSync(handle);
    }
  }

  /** Removes the digests of sessions that no longer exist. */
  removeOthers(ids: ReadonlySet<string>): void {
    for (const name of namesIn(join(this.#directory, INDEX))) {
      const id = /^([\w-]+)\.digest$/.exec(name)?.[1];
      if (id !== undefined && !ids.has(id)) rmSync(this.#file(id), { force: true });
    }
  }

  #read(id: string): Stored | undefined {
    try {
      const stored = JSON.parse(readFileSync(this.#file(id), 'utf8')) as Stored;
      return stored.version === VERSION && stored.zone === this.#zone && Array.isArray(stored.digest?.cells) ? stored : undefined;
    } catch {
      return undefined;
    }
  }

  /** A digest that cannot be stored is computed again the next time. */
  #write(id: string, stored: Stored): void {
    try {
      replaceFile(this.#file(id), JSON.stringify(stored));
    } catch {}
  }

  #file(id: string): string {
    return join(this.#directory, INDEX, `${id}.digest`);
  }
}

type Made = Pick<Stored, 'digest' | 'end' | 'format'>;

/** Adds the events in `bytes`. @returns undefined if earlier events are needed to determine which of them are valid */
function continued({ digest, end, format }: Stored, bytes: Buffer): Made | undefined {
  const read = readLines(bytes, format);
  let last = digest.seq;
  for (const { seq } of read.events) {
    if (seq <= last) return undefined;
    last = seq;
  }
  if (read.damaged > 0) return undefined;
  for (const event of read.events) addEvent(digest, event);
  return { digest, end: end + read.end, format: read.format };
}

function made(bytes: Buffer): Made {
  const { events, end, format } = readLines(bytes, FIRST_FORMAT);
  const digest = emptyDigest();
  for (const event of applyValidEvents(emptySession(), events)) addEvent(digest, event);
  return { digest, end, format };
}

function bytesAt(handle: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, start));
}

function tailAt(handle: number, end: number): string {
  return bytesAt(handle, Math.max(0, end - TAIL), end).toString('base64');
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

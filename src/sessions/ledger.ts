/**
 * Records the usage of all runs, in one append-only JSONL file per day, so that several windows can share it and a crash loses nothing that
 * was written. Files of earlier days are not read.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DayEntry } from '../core/run/budget.ts';
import { makeDirectory } from './directory.ts';

export class Ledger {
  readonly #directory: string;
  #day = '';
  #handle: number | undefined;
  #read = 0;
  #entries: DayEntry[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws Error if the disk is full or not writable */
  append(entry: DayEntry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    // A single write call keeps lines of several windows from interleaving.
    writeSync(this.#open(entry.at), line);
  }

  /** Returns all entries of the day that contains the time `at`, from all windows, in file order. */
  entries(at: number): readonly DayEntry[] {
    const handle = this.#open(at);
    const { size } = fstatSync(handle);
    if (size <= this.#read) return this.#entries;
    const bytes = Buffer.alloc(size - this.#read);
    const length = readSync(handle, bytes, 0, bytes.length, this.#read);
    // If the last line has no newline, it is still being written. The next call reads it.
    const completeBytes = bytes.subarray(0, length).lastIndexOf('\n') + 1;
    this.#read += completeBytes;
    for (const line of bytes.toString('utf8', 0, completeBytes).split('\n')) {
      const entry = parse(line);
      if (entry) this.#entries.push(entry);
    }
    return this.#entries;
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
    this.#day = '';
  }

  #open(at: number): number {
    const day = dayOf(at);
    if (this.#handle !== undefined && day === this.#day) return this.#handle;
    this.close();
    makeDirectory(this.#directory);
    const handle = openSync(join(this.#directory, `${day}.jsonl`), 'a+', 0o600);
    const { size } = fstatSync(handle);
    const last = Buffer.from('\n');
    if (size > 0) readSync(handle, last, 0, 1, size - 1);
    // Without this newline, a line that a crash cut off would be joined with the next line.
    if (last.toString() !== '\n') writeSync(handle, '\n');
    [this.#day, this.#handle, this.#read, this.#entries] = [day, handle, 0, []];
    return handle;
  }
}

/** The date in the local time zone. */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function parse(line: string): DayEntry | undefined {
  try {
    const entry = JSON.parse(line);
    return entry && typeof entry === 'object' && typeof entry.at === 'number' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Lists sessions without reading their logs again: a file beside the logs stores the summary of each log and the byte offset up to which
 * the log was read. An entry is valid only for the log file that it was computed from, so a missing or wrong file only costs the time to
 * read the logs.
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jsonIn } from '../core/json.ts';
import { isLogged } from '../core/session/shapes/event-shape.ts';
import { NO_SUMMARY, type SessionStatus, type SessionSummary, SUMMARIZED, statusOf, summarize } from '../core/session/summary.ts';
import { replaceFile } from './directory.ts';
import { isLockedByOther } from './lock.ts';

/** `changedAt` is the time of the last event, except for titles, pinning and ratings. `events` is the number of lines of the log. */
export type SessionInfo = Omit<SessionSummary, 'status' | 'pending' | 'isProposing'> & {
  id: string;
  status: SessionStatus;
  changedAt: number;
  events: number;
  bytes: number;
};

export const INDEX = '.index';
const FILE = 'sessions.json';
const VERSION = 1;
const PIECE = 1 << 20;
const CHECKED = 64;
const WORK_MS = 20;
const NEWLINE = 0x0a;
const TYPE = /^\{"type":"(\w+)"/;
const AT = /"at":(\d{1,16})(?:,"format":\d+)?\}$/;

/** `tail` are the bytes before `end`, which differ if the log was replaced. */
type Entry = {
  inode: number;
  size: number;
  mtimeMs: number;
  end: number;
  tail: string;
  events: number;
  at: number;
  summary: SessionSummary;
};
type Index = { version: number; entries: Record<string, Entry> };

/**
 * Lists the sessions of a directory, newest first. With `remember: false`, the list is not stored, and with `trusts: false`, every log is
 * read again.
 */
export async function listSessions(directory: string, { remember = true, trusts = true } = {}): Promise<SessionInfo[]> {
  const before = trusts ? readIndex(directory) : {};
  const entries: Record<string, Entry> = {};
  let isNew = false;
  let begun = performance.now();
  for (const name of namesIn(directory)) {
    const id = /^([\w-]+)\.jsonl$/.exec(name)?.[1];
    if (id === undefined) continue;
    try {
      const known = before[id];
      const entry = entryOf(join(directory, name), known);
      isNew ||= entry !== known;
      if (entry) entries[id] = entry;
    } catch {
      // The log cannot be read, or has been deleted.
    }
    // Reading many logs for the first time takes seconds. The editor must not be blocked during this time.
    if (performance.now() - begun < WORK_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    begun = performance.now();
  }
  if (remember && (isNew || Object.keys(before).length !== Object.keys(entries).length)) writeIndex(directory, entries);
  const infos = Object.entries(entries).map(([id, entry]) => infoOf(directory, id, entry));
  return infos.sort((a, b) => b.changedAt - a.changedAt);
}

function infoOf(directory: string, id: string, { summary, at, mtimeMs, events, size }: Entry): SessionInfo {
  const { status: _, pending: __, isProposing: ___, ...shown } = summary;
  const isHeld = summary.status === 'live' && isLockedByOther(join(directory, `${id}.lock`));
  return {
    id,
    ...shown,
    title: summary.title || id,
    status: statusOf(summary, isHeld),
    changedAt: summary.startedAt === undefined ? mtimeMs : at,
    events,
    bytes: size,
  };
}

function entryOf(file: string, known: Entry | undefined): Entry | undefined {
  const stats = statSync(file);
  if (!stats.isFile()) return undefined;
  if (known && known.inode === stats.ino && known.size === stats.size && known.mtimeMs === stats.mtimeMs) return known;
  const handle = openSync(file, 'r');
  try {
    const { ino: inode, size, mtimeMs } = fstatSync(handle);
    const goesOn = known?.inode === inode && known.end <= size && tailAt(handle, known.end) === known.tail;
    const entry = { ...(goesOn ? known : { end: 0, tail: '', events: 0, at: 0, summary: NO_SUMMARY }), inode, size, mtimeMs };
    readOn(handle, entry);
    entry.tail = tailAt(handle, entry.end);
    return entry;
  } finally {
    closeSync(handle);
  }
}

/** Adds the complete lines after `entry.end`. */
function readOn(handle: number, entry: Entry): void {
  let rest: Buffer = Buffer.alloc(0);
  for (let at = entry.end; at < entry.size; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, entry.size - at));
    const length = readSync(handle, piece, 0, piece.length, at);
    if (length === 0) break;
    at += length;
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece.subarray(0, length)]) : piece.subarray(0, length);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      addLine(entry, bytes.subarray(start, end));
      start = end + 1;
    }
    entry.end += start;
    rest = bytes.subarray(start);
  }
}

function addLine(entry: Entry, line: Buffer): void {
  if (line.length === 0) return;
  entry.events++;
  const type = TYPE.exec(line.toString('latin1', 0, CHECKED))?.[1];
  if (type === undefined || !/^(session_(renamed|titled|pinned)|answer_rated)$/.test(type)) {
    const at = AT.exec(line.toString('latin1', Math.max(0, line.length - CHECKED)))?.[1];
    if (at !== undefined) entry.at = Math.max(entry.at, Number(at));
  }
  // The first field of an event is its type, unless another program wrote the line.
  if (type !== undefined && !SUMMARIZED.has(type)) return;
  const event = jsonIn(line.toString('utf8'));
  if (isLogged(event)) entry.summary = summarize(entry.summary, event);
}

function tailAt(handle: number, end: number): string {
  const bytes = Buffer.alloc(Math.min(CHECKED, end));
  readSync(handle, bytes, 0, bytes.length, end - bytes.length);
  return bytes.toString('base64');
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readIndex(directory: string): Record<string, Entry | undefined> {
  try {
    const index = JSON.parse(readFileSync(join(directory, INDEX, FILE), 'utf8')) as Index;
    return index.version === VERSION && typeof index.entries === 'object' ? (index.entries ?? {}) : {};
  } catch {
    return {};
  }
}

/** If the file cannot be written, listing is only slower the next time. */
function writeIndex(directory: string, entries: Record<string, Entry>): void {
  try {
    replaceFile(join(directory, INDEX, FILE), JSON.stringify({ version: VERSION, entries } satisfies Index));
  } catch {}
}

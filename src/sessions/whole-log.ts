/** Reads and writes whole logs. Their code is loaded when an existing session is opened, or a session is copied. */
import { type FileHandle, open } from 'node:fs/promises';
import type { AgentEvent } from '../core/session/events.ts';
import { LineParser, type ReadLines, type TakeEvent } from './log-lines.ts';

const PIECE = 1 << 20;

/**
 * Reads a log in pieces, so that it is never in memory as a whole and other work can be done in between.
 * @returns undefined if there is no log
 * @throws NewerLogError if the log was written by a newer version
 */
export async function readWholeLog(file: string, take: TakeEvent): Promise<ReadLines | undefined> {
  const handle = await openedIfThere(file);
  if (!handle) return undefined;
  try {
    const { ino: inode } = await handle.stat();
    const parser = new LineParser(take);
    let piece = Buffer.allocUnsafeSlow(PIECE);
    let kept = 0;
    for (let at = 0; ; ) {
      const { bytesRead } = await handle.read(piece, kept, piece.length - kept, at);
      if (bytesRead === 0) return { ...parser.finish(piece.subarray(0, kept)), inode };
      at += bytesRead;
      const filled = kept + bytesRead;
      const used = parser.add(piece.subarray(0, filled));
      // The next piece begins with the line that is not complete yet.
      piece.copyWithin(0, used, filled);
      kept = filled - used;
      if (kept === piece.length) piece = Buffer.concat([piece], 4 * kept);
    }
  } finally {
    await handle.close();
  }
}

async function openedIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the events of a log, or undefined if there is no log. @throws NewerLogError if the log was written by a newer version */
export async function eventsIn(log: { readAll(take: TakeEvent): Promise<boolean> }): Promise<AgentEvent[] | undefined> {
  const events: AgentEvent[] = [];
  return (await log.readAll((event) => events.push(event))) ? events : undefined;
}

type NewLog = { lock(): boolean; append(event: AgentEvent): unknown; sync(): void; close(): void; unlock(): void };

/** Writes the log of a new session. @throws Error of the file system */
export function writeWholeLog(log: NewLog, events: readonly AgentEvent[]): void {
  if (!log.lock()) throw new Error('The new session is in use.');
  try {
    for (const event of events) log.append(event);
    log.sync();
  } finally {
    log.close();
    log.unlock();
  }
}

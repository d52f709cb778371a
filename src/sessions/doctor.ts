/**
 * Checks and repairs the files that are stored beside the logs of sessions: contents for undo, indexes, lock files, and files left by
 * crashes.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '../workspace/content.ts';
import { isLockedByOther, releaseLock, takeLock } from './lock.ts';
import { INDEX, listSessions } from './session-list.ts';
import { TextIndex } from './text-index.ts';
import { completeDeletions, leftovers, TRASH } from './trash.ts';

/**
 * `problem` is a sentence for the user. `repaired` says how the problem was repaired. It is missing if the problem could not be repaired,
 * or if no repair was requested.
 */
export type Finding = { problem: string; repaired?: string };

export type Places = { sessions: string; blobs: string };

/** The number and total size of the stored files. */
export type Usage = Record<'sessions' | 'trash' | 'contents' | 'index', { files: number; bytes: number }>;

const HASH = /^[0-9a-f]{64}$/;
/** A temporary file that is older than this was left by a crash. */
const DRAFT_MS = 3_600_000;
const DRAFT = /\.[0-9a-f]{8}-[0-9a-f-]{27}$/;

export function usageOf({ sessions, blobs }: Places): Usage {
  const all = filesIn(sessions);
  const of = (files: readonly string[]) => ({ files: files.length, bytes: files.reduce((sum, file) => sum + sizeOf(file), 0) });
  const isIn = (file: string, folder: string) => file.startsWith(join(sessions, folder));
  return {
    sessions: of(all.filter((file) => !isIn(file, TRASH) && !isIn(file, INDEX))),
    trash: of(all.filter((file) => isIn(file, TRASH))),
    contents: of(filesIn(blobs)),
    index: of(all.filter((file) => isIn(file, INDEX))),
  };
}

/** @param repair whether problems are repaired, or only reported */
export async function* examineStorage(places: Places, repair: boolean, now = Date.now()): AsyncGenerator<Finding> {
  yield* examineLocks(places.sessions, repair);
  yield* examineDrafts([...filesIn(places.sessions), ...filesIn(places.blobs)], repair, now);
  yield* examineTrash(places.sessions, repair);
  yield* examineContents(places.blobs, repair);
  yield* examineIndex(places.sessions, repair);
}

function* examineLocks(sessions: string, repair: boolean): Generator<Finding> {
  for (const name of namesIn(sessions)) {
    const file = join(sessions, name);
    if (!name.endsWith('.lock') || isLockedByOther(file)) continue;
    // This process may already hold the lock. Taking and releasing it again then has no effect.
    if (Number(contentOf(file).split(' ')[0]) === process.pid) continue;
    const problem = `The lock ${name} was left by a process that has ended.`;
    if (!repair || !takeLock(file)) yield { problem };
    else {
      releaseLock(file);
      yield { problem, repaired: 'It was removed.' };
    }
  }
}

function* examineDrafts(files: readonly string[], repair: boolean, now: number): Generator<Finding> {
  const drafts = files.filter((file) => DRAFT.test(file) && now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > DRAFT_MS);
  if (drafts.length === 0) return;
  const problem = `${drafts.length} incomplete ${drafts.length === 1 ? 'file was' : 'files were'} left by a crash.`;
  if (repair) for (const file of drafts) rmSync(file, { force: true });
  yield { problem, ...(repair && { repaired: 'They were removed.' }) };
}

function* examineTrash(sessions: string, repair: boolean): Generator<Finding> {
  const { length } = leftovers(sessions);
  if (length === 0) return;
  const problem = `${length} ${length === 1 ? 'file' : 'files'} of deleted sessions ${length === 1 ? 'is' : 'are'} not in the trash.`;
  if (repair) completeDeletions(sessions);
  const isRepaired = repair && leftovers(sessions).length === 0;
  yield { problem, ...(isRepaired && { repaired: length === 1 ? 'It was moved there.' : 'They were moved there.' }) };
}

async function* examineContents(blobs: string, repair: boolean): AsyncGenerator<Finding> {
  let damaged = 0;
  for (const file of filesIn(blobs)) {
    const name = file.slice(-64);
    if (!HASH.test(name) || !existsSync(file) || (await hashOf(readFileSync(file))) === name) continue;
    damaged++;
    if (repair) renameSync(file, `${file}.damaged`);
  }
  if (damaged === 0) return;
  const problem = `${damaged} stored file ${damaged === 1 ? 'content is' : 'contents are'} damaged, so changes that depend on them cannot be undone.`;
  yield { problem, ...(repair && { repaired: 'They were renamed and are no longer used.' }) };
}

async function* examineIndex(sessions: string, repair: boolean): AsyncGenerator<Finding> {
  const file = join(sessions, INDEX, 'sessions.json');
  const known = await listSessions(sessions, { remember: false });
  const fresh = await listSessions(sessions, { remember: false, trusts: false });
  if (JSON.stringify(known) !== JSON.stringify(fresh)) {
    if (repair) rmSync(file, { force: true });
    if (repair) await listSessions(sessions);
    yield { problem: 'The list of sessions did not match the logs.', ...(repair && { repaired: 'It was rebuilt from the logs.' }) };
  }
  if (repair) new TextIndex(sessions).removeOthers(new Set(fresh.map(({ id }) => id)));
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

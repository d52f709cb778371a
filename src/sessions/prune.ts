/** Limits the stored file contents for undo and restore by age and total size. Contents of the oldest sessions are removed first. */
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeDeletions, expiredInTrash, removeFromTrash, TRASH } from './trash.ts';

export type CheckpointBounds = { maxBytes: number; maxDays: number };
export const DEFAULT_BOUNDS: CheckpointBounds = { maxBytes: 500_000_000, maxDays: 30 };

/** The number and total size of removed files. */
export type Pruned = { files: number; bytes: number };

type Blob = { file: string; size: number };

const DAY_MS = 86_400_000;
/** The minimum age of a file that is removed. Another process may not have recorded a newer file in its log yet. */
const YOUNG_MS = DAY_MS;
const UNRECORDED_MS = 10 * 60_000;
const HASH = /[0-9a-f]{64}/g;
const MARKER = 'pruned';

type PruneOptions = {
  blobs: string;
  sessions: string;
  /** The limits that the user set. They are stored, and apply when this field is missing. */
  bounds?: CheckpointBounds;
  /** Ids of open sessions, whose contents are kept regardless of age and size. */
  keep?: readonly string[];
  now?: number;
};

/**
 * Removes contents that no recent log refers to. If the rest exceeds the size limit, also removes contents of the sessions that changed
 * longest ago. Runs at most once a day per directory. Resolves to undefined if it did not run.
 */
export async function pruneBlobs({
  blobs,
  sessions,
  bounds: given,
  keep = [],
  now = Date.now(),
}: PruneOptions): Promise<Pruned | undefined> {
  completeDeletions(sessions);
  const marker = join(blobs, MARKER);
  const last = await stat(marker).catch(() => undefined);
  const kept = await keptBounds(blobs);
  const bounds = given ?? kept;
  const isRevised = bounds.maxBytes !== kept.maxBytes || bounds.maxDays !== kept.maxDays;
  if (last && !isRevised && now - last.mtimeMs < DAY_MS) return undefined;
  for (const id of expiredInTrash(sessions, { now })) removeFromTrash(sessions, id);
  const stored = await storedIn(blobs);
  if (stored.size === 0) return undefined;
  await writeFile(marker, JSON.stringify(bounds));
  const needed = await neededBlobs(await logsIn(sessions), stored, { bounds, keep, now });
  const pruned: Pruned = { files: 0, bytes: 0 };
  for (const [hash, { file, size }] of stored) {
    if (needed.has(hash)) continue;
    // The age is checked again, because the file may have been written again since.
    const current = await stat(file).catch(() => undefined);
    if (!current || now - current.mtimeMs < YOUNG_MS) continue;
    await rm(file, { force: true }).catch(() => undefined);
    pruned.files++;
    pruned.bytes += size;
  }
  return pruned;
}

/** Returns the limits that were last used. Only the editor knows the user's settings, so the terminal program uses these. */
export async function keptBounds(blobs: string): Promise<CheckpointBounds> {
  try {
    const { maxBytes, maxDays } = JSON.parse(await readFile(join(blobs, MARKER), 'utf8'));
    if (maxBytes > 0 && maxDays > 0) return { maxBytes, maxDays };
  } catch {
    // The file does not exist, or is from an earlier version.
  }
  return DEFAULT_BOUNDS;
}

type Log = { id: string; file: string; changedAt: number };

/**
 * Returns the hashes of the contents to keep. `logs` are sorted newest first. Each hash is counted for the newest session that refers to
 * it.
 */
async function neededBlobs(
  logs: readonly Log[],
  stored: ReadonlyMap<string, Blob>,
  { bounds, keep, now }: Required<Pick<PruneOptions, 'bounds' | 'keep' | 'now'>>,
): Promise<Set<string>> {
  const needed = new Set<string>();
  let bytes = 0;
  for (const { id, file, changedAt } of logs) {
    const isOpen = keep.includes(id);
    if (!isOpen && now - changedAt > bounds.maxDays * DAY_MS) continue;
    const own = new Set<string>();
    let size = 0;
    for (const hash of await hashesIn(file)) {
      const blob = needed.has(hash) ? undefined : stored.get(hash);
      if (!blob || own.has(hash)) continue;
      own.add(hash);
      size += blob.size;
    }
    bytes += size;
    // When the limit is reached, contents of this session and of all older sessions are removed, except for open sessions.
    if (!isOpen && bytes > bounds.maxBytes) continue;
    for (const hash of own) needed.add(hash);
  }
  return needed;
}

/** Returns the logs of all sessions, newest first. Sessions in the trash can be restored, so they are included. */
async function logsIn(directory: string): Promise<Log[]> {
  const trash = join(directory, TRASH);
  const deleted = (await readdir(trash).catch(() => [] as string[])).map((id) => join(trash, id));
  const logs: Log[] = [];
  for (const place of [directory, ...deleted]) {
    const names = (await readdir(place).catch(() => [] as string[])).filter((name) => name.endsWith('.jsonl'));
    for (const name of names) {
      const file = join(place, name);
      const stats = await stat(file).catch(() => undefined);
      if (stats) logs.push({ id: name.slice(0, -'.jsonl'.length), file, changedAt: stats.mtimeMs });
    }
  }
  return logs.sort((a, b) => b.changedAt - a.changedAt);
}

/**
 * Permanently deletes sessions in the trash, with the contents that only they refer to. Unless `all` is set, sessions that were deleted
 * recently are kept.
 */
export async function emptyTrash({ blobs, sessions, all = false, now = Date.now() }: EmptyOptions): Promise<{ sessions: number } & Pruned> {
  const ids = expiredInTrash(sessions, { now, all });
  const own = new Set<string>();
  for (const { file } of (await logsIn(sessions)).filter(({ id, file: at }) => ids.includes(id) && at.includes(TRASH)))
    for (const hash of await hashesIn(file)) own.add(hash);
  for (const id of ids) removeFromTrash(sessions, id);
  for (const { file } of own.size > 0 ? await logsIn(sessions) : []) for (const hash of await hashesIn(file)) own.delete(hash);
  const emptied = { sessions: ids.length, files: 0, bytes: 0 };
  for (const [hash, { file, size }] of own.size > 0 ? await storedIn(blobs) : []) {
    const stats = own.has(hash) && (await stat(file).catch(() => undefined));
    // Another process may have stored the same content a moment ago without recording it in its log yet.
    if (!stats || now - stats.mtimeMs < UNRECORDED_MS) continue;
    await rm(file, { force: true }).catch(() => undefined);
    emptied.files++;
    emptied.bytes += size;
  }
  return emptied;
}

type EmptyOptions = { blobs: string; sessions: string; all?: boolean; now?: number };

/** Returns everything in a log that looks like a hash; false positives are harmless. A log may be large, so it is read in chunks. */
async function hashesIn(file: string): Promise<Set<string>> {
  const hashes = new Set<string>();
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const text = rest + chunk;
    for (const [hash] of text.matchAll(HASH)) hashes.add(hash);
    rest = text.slice(-63);
  }
  return hashes;
}

async function storedIn(directory: string): Promise<Map<string, Blob>> {
  const stored = new Map<string, Blob>();
  for (const part of await readdir(directory).catch(() => [] as string[])) {
    if (!/^[0-9a-f]{2}$/.test(part)) continue;
    for (const name of await readdir(join(directory, part)).catch(() => [] as string[])) {
      const file = join(directory, part, name);
      const stats = await stat(file).catch(() => undefined);
      // Files whose names are not hashes were left by a crash.
      if (stats) stored.set(name, { file, size: stats.size });
    }
  }
  return stored;
}

/** Limits the stored file contents for undo and restore by age and total size. Contents of the oldest sessions are removed first. */
import { createReadStream } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type CheckpointBounds = { maxBytes: number; maxDays: number };
export const DEFAULT_BOUNDS: CheckpointBounds = { maxBytes: 500_000_000, maxDays: 30 };

/** The number and total size of removed files. */
export type Pruned = { files: number; bytes: number };

type Blob = { file: string; size: number };

const DAY_MS = 86_400_000;
/** The minimum age of a file that is removed. Another process may not have recorded a newer file in its log yet. */
const YOUNG_MS = DAY_MS;
const HASH = /[0-9a-f]{64}/g;
const MARKER = 'pruned';

type PruneOptions = {
  blobs: string;
  sessions: string;
  bounds: CheckpointBounds;
  /** Ids of open sessions, whose contents are kept regardless of age and size. */
  keep?: readonly string[];
  now?: number;
};

/**
 * Removes contents that no recent log refers to. If the rest exceeds the size limit, also removes contents of the sessions that changed
 * longest ago. Runs at most once a day per directory. Resolves to undefined if it did not run.
 */
export async function pruneBlobs({ blobs, sessions, bounds, keep = [], now = Date.now() }: PruneOptions): Promise<Pruned | undefined> {
  const marker = join(blobs, MARKER);
  const last = await stat(marker).catch(() => undefined);
  if (last && now - last.mtimeMs < DAY_MS) return undefined;
  const stored = await storedIn(blobs);
  if (stored.size === 0) return undefined;
  await writeFile(marker, '');
  const needed = await neededBlobs(await logsIn(sessions), stored, { bounds, keep, now });
  const pruned: Pruned = { files: 0, bytes: 0 };
  for (const [hash, { file, size }] of stored) {
    if (needed.has(hash)) continue;
    // The age is checked again, because the file may have been written again in the meantime.
    const current = await stat(file).catch(() => undefined);
    if (!current || now - current.mtimeMs < YOUNG_MS) continue;
    await rm(file, { force: true }).catch(() => undefined);
    pruned.files++;
    pruned.bytes += size;
  }
  return pruned;
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

async function logsIn(directory: string): Promise<Log[]> {
  const names = (await readdir(directory).catch(() => [] as string[])).filter((name) => name.endsWith('.jsonl'));
  const logs = await Promise.all(
    names.map(async (name): Promise<Log | undefined> => {
      const file = join(directory, name);
      const stats = await stat(file).catch(() => undefined);
      return stats && { id: name.slice(0, -'.jsonl'.length), file, changedAt: stats.mtimeMs };
    }),
  );
  return logs.filter((log) => log !== undefined).sort((a, b) => b.changedAt - a.changedAt);
}

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
      // Files whose names are not hashes are leftovers of a crash.
      if (stats) stored.set(name, { file, size: stats.size });
    }
  }
  return stored;
}

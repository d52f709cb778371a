/** Keeps the contents that undo and restore need bounded: by age and by size, oldest sessions first. */
import { createReadStream } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type CheckpointBounds = { maxBytes: number; maxDays: number };
export const DEFAULT_BOUNDS: CheckpointBounds = { maxBytes: 500_000_000, maxDays: 30 };

/** What was removed. */
export type Pruned = { files: number; bytes: number };

type Blob = { file: string; size: number };

const DAY_MS = 86_400_000;
/** What another process wrote just now may not be in its log yet. */
const YOUNG_MS = DAY_MS;
const HASH = /[0-9a-f]{64}/g;
const MARKER = 'pruned';

type PruneOptions = {
  blobs: string;
  sessions: string;
  bounds: CheckpointBounds;
  /** Ids of sessions whose contents stay, however old and large they are: those that are open. */
  keep?: readonly string[];
  now?: number;
};

/**
 * Removes the contents that no log of the last days names, and, where the rest is too large, those of the sessions that were written to
 * longest ago. It does so at most once a day for a directory, whoever asks; undefined where it was not its time.
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
    // Looked at once more: it may have been written anew in the meantime.
    const current = await stat(file).catch(() => undefined);
    if (!current || now - current.mtimeMs < YOUNG_MS) continue;
    await rm(file, { force: true }).catch(() => undefined);
    pruned.files++;
    pruned.bytes += size;
  }
  return pruned;
}

type Log = { id: string; file: string; changedAt: number };

/** `logs` are the newest first. Each hash counts for the newest session that names it. */
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
    // From here on all that is older goes too, but for what is open.
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
      const found = await stat(file).catch(() => undefined);
      return found && { id: name.slice(0, -'.jsonl'.length), file, changedAt: found.mtimeMs };
    }),
  );
  return logs.filter((log) => log !== undefined).sort((a, b) => b.changedAt - a.changedAt);
}

/** Whatever in a log looks like a hash: rather one too many. A piece at a time, for a log may be long. */
async function hashesIn(file: string): Promise<Set<string>> {
  const found = new Set<string>();
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const text = rest + chunk;
    for (const [hash] of text.matchAll(HASH)) found.add(hash);
    rest = text.slice(-63);
  }
  return found;
}

async function storedIn(directory: string): Promise<Map<string, Blob>> {
  const stored = new Map<string, Blob>();
  for (const part of await readdir(directory).catch(() => [] as string[])) {
    if (!/^[0-9a-f]{2}$/.test(part)) continue;
    for (const name of await readdir(join(directory, part)).catch(() => [] as string[])) {
      const file = join(directory, part, name);
      const found = await stat(file).catch(() => undefined);
      // What is no content by its name is what a crash left behind.
      if (found) stored.set(name, { file, size: found.size });
    }
  }
  return stored;
}

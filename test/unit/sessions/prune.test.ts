import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { DEFAULT_BOUNDS, pruneBlobs } from '../../../src/sessions/prune.ts';
import { encodeText, hashOf } from '../../../src/workspace/content.ts';

const DAY = 86_400_000;

describe('the contents that undo needs', () => {
  let root: string;
  let blobs: DiskBlobs;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'kedge-prune-'));
    blobs = new DiskBlobs(join(root, 'blobs'));
    await mkdir(join(root, 'sessions'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const fileOf = (hash: string) => join(root, 'blobs', hash.slice(0, 2), hash);
  async function blob(text: string, days = 40): Promise<string> {
    const hash = await blobs.put(encodeText(text));
    await age(fileOf(hash), days);
    return hash;
  }
  async function age(file: string, days: number): Promise<void> {
    const then = new Date(Date.now() - days * DAY);
    await utimes(file, then, then);
  }
  async function session(id: string, days: number, ...hashes: string[]): Promise<void> {
    const file = join(root, 'sessions', `${id}.jsonl`);
    const changes = hashes.map((before) => ({ path: 'a', before }));
    await writeFile(file, `${JSON.stringify({ type: 'changes_staged', callId: 'c', changes, seq: 1 })}\n`);
    await age(file, days);
  }
  const prune = (options: Partial<Parameters<typeof pruneBlobs>[0]> = {}) =>
    pruneBlobs({ blobs: join(root, 'blobs'), sessions: join(root, 'sessions'), bounds: DEFAULT_BOUNDS, ...options });
  const isKept = async (hash: string) => (await blobs.get(hash)) !== undefined;

  it('are deleted when no session of the last days refers to them', async () => {
    const [named, forgotten, orphan] = [await blob('named'), await blob('forgotten'), await blob('orphan')];
    await session('new', 1, named);
    await session('old', 31, forgotten, named);
    assert.deepEqual(await prune(), { files: 2, bytes: 'forgotten'.length + 'orphan'.length });
    assert.deepEqual([await isKept(named), await isKept(forgotten), await isKept(orphan)], [true, false, false]);
  });

  it('are kept as long as the user last said, also where nothing is known of that', async () => {
    const old = await blob('old');
    await session('old', 40, old);
    assert.equal((await prune({ bounds: { maxBytes: 1e9, maxDays: 100 } }))?.files, 0);
    const later = Date.now() + 2 * DAY;
    assert.equal((await prune({ bounds: undefined, now: later }))?.files, 0);
    assert.equal((await prune({ bounds: DEFAULT_BOUNDS, now: later }))?.files, 1, 'new bounds hold at once');
  });

  it('are kept while they are new, because a log may refer to them soon, and when they are written again', async () => {
    const [young, again] = [await blob('young', 0.5), await blob('again')];
    await blobs.put(encodeText('again'));
    assert.deepEqual(await prune(), { files: 0, bytes: 0 });
    assert.deepEqual([await isKept(young), await isKept(again)], [true, true]);
  });

  it('of the oldest sessions are deleted first if all together are too large', async () => {
    const [a, b, c] = [await blob('a'.repeat(60)), await blob('b'.repeat(60)), await blob('c'.repeat(30))];
    await session('newest', 1, a);
    await session('middle', 2, b, a);
    await session('oldest', 3, c);
    await prune({ bounds: { maxBytes: 100, maxDays: 30 } });
    assert.deepEqual([await isKept(a), await isKept(b), await isKept(c)], [true, false, false]);
  });

  it('of open sessions are kept', async () => {
    const hash = await blob('open');
    await session('open', 90, hash);
    await prune({ keep: ['open'], bounds: { maxBytes: 0, maxDays: 0 } });
    assert.ok(await isKept(hash));
  });

  it('are checked at most once a day', async () => {
    const hash = await blob('x', 0.5);
    assert.notEqual(await prune(), undefined);
    await age(fileOf(hash), 5);
    assert.equal(await prune(), undefined);
    await age(join(root, 'blobs', 'pruned'), 1.1);
    assert.deepEqual(await prune(), { files: 1, bytes: 1 });
  });

  it('are found in a log of any length, even if a chunk ends in the middle of a name', async () => {
    const hashes = await Promise.all(Array.from({ length: 40 }, (_, index) => blob(`content ${index}`)));
    const file = join(root, 'sessions', 'long.jsonl');
    const filler = 'x'.repeat(65_536 - 30);
    await writeFile(file, hashes.map((before) => JSON.stringify({ before, filler })).join('\n'));
    assert.deepEqual(await prune(), { files: 0, bytes: 0 });
  });

  it('are not checked if there are none', async () => {
    await rm(join(root, 'sessions'), { recursive: true });
    assert.equal(await prune(), undefined);
  });

  it('leave no partial files of a crash', async () => {
    const hash = await hashOf(encodeText('half'));
    await mkdir(join(root, 'blobs', hash.slice(0, 2)), { recursive: true });
    await writeFile(`${fileOf(hash)}.some-id`, 'ha');
    await age(`${fileOf(hash)}.some-id`, 2);
    assert.deepEqual(await prune(), { files: 1, bytes: 2 });
  });
});

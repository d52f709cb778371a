import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger } from '../../../src/sessions/ledger.ts';

const NOON = new Date(2026, 10, 21, 12).getTime();
const DAY = 24 * 60 * 60_000;

describe('the ledger of a day', () => {
  let directory: string;
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'kedge-ledger-')), 'ledger');
  });
  afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

  const file = () => join(directory, '2026-11-21.jsonl');

  it('contains the entries of all windows', () => {
    const one = new Ledger(directory);
    const two = new Ledger(directory);
    one.append({ at: NOON, tokens: 1 });
    two.append({ at: NOON, tokens: 2 });
    one.append({ at: NOON, tokens: 3 });
    for (const window of [one, two])
      assert.deepEqual(
        window.entries(NOON).map(({ tokens }) => tokens),
        [1, 2, 3],
      );
    two.append({ at: NOON, tokens: 4 });
    assert.equal(one.entries(NOON).length, 4);
    one.close();
    two.close();
  });

  it('begins again each day', async () => {
    const ledger = new Ledger(directory);
    ledger.append({ at: NOON, runs: 1 });
    assert.equal(ledger.entries(NOON + DAY).length, 0);
    ledger.append({ at: NOON + DAY, runs: 1 });
    assert.equal(ledger.entries(NOON + DAY).length, 1);
    assert.deepEqual(await readdir(directory), ['2026-11-21.jsonl', '2026-11-22.jsonl']);
    ledger.close();
  });

  it('ignores a line that a crash cut off, and an invalid line', async () => {
    const before = new Ledger(directory);
    before.append({ at: NOON, tokens: 1 });
    before.close();
    await appendFile(file(), 'null\n{"at":1795,"tok');
    const after = new Ledger(directory);
    assert.deepEqual(
      after.entries(NOON).map(({ tokens }) => tokens),
      [1],
    );
    after.append({ at: NOON, tokens: 2 });
    assert.deepEqual(
      after.entries(NOON).map(({ tokens }) => tokens),
      [1, 2],
    );
    after.close();
    assert.match(await readFile(file(), 'utf8'), /tok\n\{"at":\d+,"tokens":2\}\n$/);
  });

  it('reads a line only when it is complete', async () => {
    const ledger = new Ledger(directory);
    assert.equal(ledger.entries(NOON).length, 0);
    await appendFile(file(), `{"at":${NOON},`);
    assert.equal(ledger.entries(NOON).length, 0);
    await appendFile(file(), '"tokens":7}\n');
    assert.deepEqual(ledger.entries(NOON), [{ at: NOON, tokens: 7 }]);
    ledger.close();
  });
});

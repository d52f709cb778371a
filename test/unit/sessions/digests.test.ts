import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { addEvent, emptyDigest } from '../../../src/core/insights/fold.ts';
import { type AgentEvent, isDurable } from '../../../src/core/session/events.ts';
import { Digests } from '../../../src/sessions/digests.ts';
import { INDEX } from '../../../src/sessions/session-list.ts';
import { SessionStore } from '../../../src/sessions/store.ts';
import { randomLog } from '../../support/random-logs.ts';

const logs = fc.array(fc.nat(9_999), { minLength: 20, maxLength: 200, size: 'max' }).map((choices) => randomLog(choices).filter(isDurable));

describe('digests of logs', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kedge-digests-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const file = (id: string) => join(directory, `${id}.jsonl`);
  const stored = (id: string) => join(directory, INDEX, `${id}.digest`);
  function append(id: string, events: readonly AgentEvent[]): void {
    const log = new SessionStore(directory).log(id);
    for (const event of events) log.append(event);
    log.close();
  }
  const cellsOf = (events: readonly AgentEvent[]) => {
    const digest = emptyDigest();
    for (const event of events) addEvent(digest, event);
    return JSON.parse(JSON.stringify(digest.cells));
  };

  it('follow logs that grow, also by a line that is still being written', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(logs, fc.array(fc.nat(), { maxLength: 3 }), async (log, cuts) => {
        const id = `s${count++}`;
        let done = 0;
        for (const cut of [...cuts.map((each) => each % (log.length + 1)).toSorted((a, b) => a - b), log.length]) {
          append(id, log.slice(done, cut));
          done = cut;
          if (done > 0) assert.deepEqual(new Digests(directory).of(id).cells, cellsOf(log.slice(0, done)));
        }
        if (done === 0) return;
        await appendFile(file(id), '{"type":"turn_started","turn":1,"ru');
        assert.deepEqual(new Digests(directory).of(id).cells, cellsOf(log));
      }),
      { numRuns: 30 },
    );
  });

  const log = randomLog(Array.from({ length: 300 }, (_, index) => (index * 7_919) % 9_973)).filter(isDurable);

  it('are made again when the log was replaced, or they are missing, damaged or of another time zone', async () => {
    append('s', log);
    const expected = cellsOf(log);
    const read = () => new Digests(directory).of('s').cells;
    assert.deepEqual(read(), expected);
    for (const content of [
      '',
      '{',
      '{"version":1}',
      '[]',
      'null',
      (await readFile(stored('s'), 'utf8')).replace(/"cells":\[.*/, '"cells":7}}'),
    ]) {
      writeFileSync(stored('s'), content);
      assert.deepEqual(read(), expected);
    }
    const before = (await readFile(stored('s'), 'utf8'))
      .replace(/"zone":"[^"]*"/, '"zone":"Elsewhere"')
      .replace(/"cells":\[.*\]/, '"cells":[]');
    writeFileSync(stored('s'), before);
    assert.deepEqual(read(), expected);
    await rm(file('s'));
    append('s', log.slice(0, 50));
    assert.deepEqual(read(), cellsOf(log.slice(0, 50)));
  });

  it('leave out damaged lines, as the session does', async () => {
    append('s', log.slice(0, 100));
    const digests = new Digests(directory);
    digests.of('s');
    await appendFile(file('s'), `garbage\n${JSON.stringify(log[3])}\n`);
    assert.deepEqual(digests.of('s').cells, cellsOf(log.slice(0, 100)));
    append('s', log.slice(100));
    assert.deepEqual(digests.of('s').cells, cellsOf(log));
  });

  it('read only what a log has grown by', async () => {
    append('s', log.slice(0, 100));
    const digests = new Digests(directory);
    digests.of('s');
    // The beginning is not read again: if it were, it would be found to be damaged.
    const bytes = await readFile(file('s'));
    const { mtime, ino } = statSync(file('s'));
    bytes.fill('x', 0, 200);
    await writeFile(file('s'), bytes);
    utimesSync(file('s'), mtime, mtime);
    assert.equal(statSync(file('s')).ino, ino);
    append('s', log.slice(100));
    assert.deepEqual(digests.of('s').cells, cellsOf(log));
  });

  it('are written nowhere without a session, and are removed with theirs', () => {
    const digests = new Digests(directory);
    assert.deepEqual(digests.ids(), []);
    assert.ok(!existsSync(join(directory, INDEX)));
    append('a', log.slice(0, 20));
    append('b', log.slice(0, 20));
    for (const id of digests.ids()) digests.of(id);
    digests.removeOthers(new Set(['b']));
    assert.deepEqual(readdirSync(join(directory, INDEX)), ['b.digest']);
  });
});

import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { examine, type Finding } from '../../../src/app/library/doctor.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { emptyTrash } from '../../../src/sessions/prune.ts';
import { answerAll, assistantOn, type Harness } from '../../support/harness.ts';

const placesOf = ({ storage }: Harness) => ({ sessions: join(storage, 'sessions'), blobs: join(storage, 'blobs') });

async function examined(kedge: Harness, repair: boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  const open = async (id: string) => {
    const session = await kedge.assistant.session(id);
    if (!session) throw new Error('gone');
    return session;
  };
  for await (const finding of examine(placesOf(kedge), repair, open)) findings.push(finding);
  return findings;
}

async function changed(): Promise<Harness> {
  const kedge = await assistantOn({ 'a.txt': '0' }, [turn(call('create_file', { path: 'b.txt', content: '1' })), turn(say('Done.'))]);
  answerAll(kedge.session, { approve: true });
  await kedge.session.prompt({ text: 'go', mode: 'agent' });
  return kedge;
}

describe('the check of what is stored', () => {
  it('finds nothing where all is well, and changes nothing', async () => {
    await using kedge = await changed();
    await kedge.assistant.sessions();
    assert.deepEqual(await examined(kedge, true), []);
  });

  it('repairs a log, a lock, an index, contents and leftovers, keeps copies, and is content after that', async () => {
    await using first = await changed();
    const { sessions, blobs } = placesOf(first);
    const { id } = first.session;
    const log = join(sessions, `${id}.jsonl`);
    first.assistant.close();
    await appendFile(log, 'no event\n{"torn');
    const damaged = await readFile(log);
    await writeFile(join(sessions, `${id}.lock`), '0 - x');
    await first.assistant.sessions();
    const index = join(sessions, '.index', 'sessions.json');
    await writeFile(index, (await readFile(index, 'utf8')).replace('"go"', '"stop"'));
    const hash = await new DiskBlobs(blobs).put(Buffer.from('x'));
    await writeFile(join(blobs, hash.slice(0, 2), hash), 'y');
    const draft = join(blobs, hash.slice(0, 2), `${hash}.${crypto.randomUUID()}`);
    await writeFile(draft, 'z');
    await utimes(draft, 1, 1);
    const before = await readdir(sessions, { recursive: true });
    const kedge = await first.reload();
    const found = await examined(kedge, false);
    assert.equal(found.length, 5, JSON.stringify(found));
    assert.ok(found.every(({ repaired }) => repaired === undefined));
    assert.deepEqual((await readdir(sessions, { recursive: true })).filter((name) => !name.includes('.damaged')).sort(), before.sort());
    const repaired = await examined(kedge, true);
    assert.equal(repaired.length, 5);
    assert.ok(
      repaired.every((finding) => finding.repaired !== undefined),
      JSON.stringify(repaired),
    );
    assert.deepEqual(await readFile(`${log}.damaged`), damaged);
    const again = await kedge.reload();
    assert.deepEqual(await examined(again, true), []);
    assert.equal(again.session.damage, undefined);
    assert.equal(again.session.events.at(-1)?.type, 'session_repaired');
    assert.equal(again.session.state.runs.size, 1);
  });

  it('takes the contents of a session with it when the trash is emptied, and those of others not', async () => {
    await using kedge = await changed();
    const { sessions, blobs } = placesOf(kedge);
    const own = await new DiskBlobs(blobs).put(Buffer.from('own'));
    const shared = await new DiskBlobs(blobs).put(Buffer.from('shared'));
    const fileOf = (hash: string) => join(blobs, hash.slice(0, 2), hash);
    for (const hash of [own, shared]) await utimes(fileOf(hash), 1, 1);
    await writeFile(join(sessions, 'other.jsonl'), `${JSON.stringify({ before: shared })}\n`);
    await writeFile(join(sessions, 'gone.jsonl'), `${JSON.stringify({ before: shared, after: own })}\n`);
    (await kedge.assistant.library()).remove('gone');
    assert.deepEqual(await emptyTrash({ sessions, blobs }), { sessions: 0, files: 0, bytes: 0 });
    assert.deepEqual(await emptyTrash({ sessions, blobs, all: true }), { sessions: 1, files: 1, bytes: 3 });
    const left = await readdir(blobs, { recursive: true });
    assert.ok(left.some((name) => name.endsWith(shared)) && !left.some((name) => name.endsWith(own)));
    assert.deepEqual(await (await kedge.assistant.library()).deleted(), []);
  });
});

import assert from 'node:assert/strict';
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, nextEvent } from '../../support/harness.ts';

const fileOf = ({ storage, session }: Harness, extension: string) => join(storage, 'sessions', session.id + extension);
const logOf = (kedge: Harness) => readFile(fileOf(kedge, '.jsonl'), 'utf8');
const linesOf = async (kedge: Harness) => (await logOf(kedge)).trimEnd().split('\n');
const WORKS = /^SessionError: A run or an undo is in progress in this session\. Stop it, or wait until it ends\.$/;
const IN_USE = /^SessionError: This session is in use in another window or process\. Close it there, or start a new session\.$/;

describe('a session that is opened', () => {
  it('shows that it was interrupted, and writes nothing before it is continued', async () => {
    await using kedge = await assistantOn({}, [hang({ type: 'text_delta', text: 'W' }), turn(say('Done.'))]);
    const begun = nextEvent(kedge.session, 'text_delta');
    void kedge.session.prompt({ text: 'go', mode: 'ask' });
    await begun;
    kedge.assistant.close();
    const before = await logOf(kedge);
    const { session } = await kedge.reload();
    assert.equal(session.state.lastRun?.status, 'paused');
    assert.equal(session.events.at(-1)?.type, 'run_paused');
    assert.equal(await logOf(kedge), before);
    await session.resume();
    assert.equal(session.state.lastRun?.outcome, 'answered');
    const logged = (await kedge.store.load(session.id)) ?? [];
    assert.deepEqual(logged, [...session.events]);
    assert.equal(eventsOf(logged, 'run_paused').length, 1);
    assert.deepEqual(
      logged.map(({ seq }) => seq),
      logged.map((_, index) => index + 1),
    );
  });

  it('is deleted only while no run is in progress', async () => {
    await using kedge = await assistantOn({}, [hang({ type: 'text_delta', text: 'W' })]);
    const { assistant, session } = kedge;
    const begun = nextEvent(session, 'text_delta');
    void session.prompt({ text: 'go', mode: 'ask' });
    await begun;
    await assert.rejects(assistant.removeSession(session.id), WORKS);
    await session.stop();
    await assistant.removeSession(session.id);
    assert.equal(await assistant.session(session.id), undefined);
    assert.deepEqual(await assistant.sessions(), []);
  });

  it('is not deleted during an undo, and is deleted with the leftovers of a killed process', async () => {
    await using kedge = await assistantOn({}, [turn(call('create_file', { path: 'new.txt', content: '' })), turn(say('Done.'))]);
    const { assistant, session } = kedge;
    answerAll(session, { approve: true });
    await session.prompt({ text: 'go', mode: 'agent' });
    const undone = session.changes.undo(session.state.lastRun?.runId ?? '');
    await assert.rejects(assistant.removeSession(session.id), WORKS);
    await undone;
    assert.ok(!('workspace/new.txt' in (await kedge.snapshot())));
    await writeFile(fileOf(kedge, '.lock'), '0');
    await assistant.removeSession(session.id);
    assert.deepEqual(await readdir(join(kedge.storage, 'sessions')), ['.trash']);
  });

  it('says so after another window has deleted it, and goes on when it was restored', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.'))]);
    const { session } = kedge;
    await session.prompt({ text: 'one', mode: 'ask' });
    const library = await (await kedge.beside()).assistant.library();
    library.remove(session.id);
    const DELETED = /^Error: This session was deleted in another window or process\. Restore it, or start a new session\.$/;
    for (let time = 0; time < 2; time++) {
      await assert.rejects(session.prompt({ text: 'two', mode: 'ask' }), DELETED);
      assert.throws(() => session.note({ type: 'session_pinned', pinned: true }), DELETED);
      await assert.rejects(kedge.assistant.session(session.id), DELETED);
    }
    assert.equal((await kedge.assistant.library()).isDeleted(session.id), true);
    assert.deepEqual(await readdir(join(kedge.storage, 'sessions')), ['.trash']);
    library.restore(session.id);
    assert.equal((await kedge.assistant.library()).isDeleted(session.id), false);
    await session.prompt({ text: 'two', mode: 'ask' });
    assert.equal(session.state.lastRun?.outcome, 'answered');
    const again = await kedge.reload();
    assert.deepEqual([[...again.session.state.runs.values()].length, again.session.damage], [2, undefined]);
  });

  it('can only be read while another process uses it', async () => {
    const create = turn(call('create_file', { path: 'new.txt', content: '' }));
    await using kedge = await assistantOn({}, [create, hang(), turn(say('Done.'))]);
    answerAll(kedge.session, { approve: true });
    const changed = nextEvent(kedge.session, 'file_changed');
    void kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { runId } = await changed;
    const again = await kedge.reload();
    const { session } = again;
    await writeFile(fileOf(again, '.lock'), String(process.ppid));
    const before = await logOf(again);
    await assert.rejects(session.prompt({ text: 'more', mode: 'ask' }), IN_USE);
    await assert.rejects(session.resume(), IN_USE);
    await assert.rejects(session.stop(), IN_USE);
    await assert.rejects(session.changes.undo(runId), IN_USE);
    await assert.rejects(again.assistant.removeSession(session.id), WORKS);
    assert.equal(session.running, false);
    assert.equal(await logOf(again), before);
    assert.ok('workspace/new.txt' in (await again.snapshot()));
    await rm(fileOf(again, '.lock'));
    await session.changes.undo(runId);
    assert.ok(!('workspace/new.txt' in (await again.snapshot())));
  });

  it('is locked during a run, and leaves no lock and no open file behind', async function () {
    await using kedge = await assistantOn({}, [hang({ type: 'text_delta', text: 'W' }), turn(say('Done.'))]);
    const begun = nextEvent(kedge.session, 'text_delta');
    const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await begun;
    assert.match(await readFile(fileOf(kedge, '.lock'), 'utf8'), new RegExp(`^${process.pid} `));
    await kedge.session.stop();
    await ended;
    await assert.rejects(access(fileOf(kedge, '.lock')));
    await kedge.session.prompt({ text: 'again', mode: 'ask' });
    assert.equal(JSON.parse((await linesOf(kedge)).at(-1) ?? '').outcome, 'answered');
    await assert.rejects(access(fileOf(kedge, '.lock')));
    if (process.platform !== 'linux') this.skip();
    const { readlink } = await import('node:fs/promises');
    const open = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    assert.ok(!open.includes(fileOf(kedge, '.jsonl')));
  });
});

describe('a damaged session that is open in two windows', () => {
  it('is repaired by the window that continues, and the other window continues from there', async () => {
    const turns = Array.from({ length: 3 }, () => turn(say('Done.')));
    await using kedge = await assistantOn({}, turns);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await writeFile(fileOf(kedge, '.jsonl'), (await logOf(kedge)).replace('"turn_started"', '"turn_startee"'));
    const one = await kedge.reload();
    const two = await kedge.beside();
    assert.match(one.session.damage ?? '', /^1 line .*\.damaged\.$/);
    assert.equal(two.session.damage, one.session.damage);
    await one.session.prompt({ text: 'and now?', mode: 'ask' });
    await two.session.prompt({ text: 'and then?', mode: 'ask' });
    one.session.refresh();
    assert.deepEqual([...one.session.events], [...two.session.events]);
    const again = await kedge.reload();
    assert.equal(again.session.damage, undefined);
    assert.deepEqual([...again.session.events], [...two.session.events]);
    assert.deepEqual((await readdir(join(kedge.storage, 'sessions'))).filter((name) => name.endsWith('.damaged')).length, 1);
  });
});

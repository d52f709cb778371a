import assert from 'node:assert/strict';
import fs, { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { EMPTY_VIEW, project } from '../../../src/core/view/session-view.ts';
import { call, hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { refreshLocks } from '../../../src/sessions/lock.ts';
import { SessionLog, SessionStore } from '../../../src/sessions/store.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent } from '../../support/harness.ts';

/** A session store on a disk with space for only `room` more events. */
class SmallDisk extends SessionStore {
  readonly #directory: string;
  room: number;

  constructor(directory: string, room: number) {
    super(directory);
    this.#directory = directory;
    this.room = room;
  }

  override log(id: string): SessionLog {
    return new SmallLog(this.#directory, `${this.#directory}/${id}.jsonl`, this);
  }
}

class SmallLog extends SessionLog {
  readonly #disk: SmallDisk;

  constructor(directory: string, file: string, disk: SmallDisk) {
    super(directory, file);
    this.#disk = disk;
  }

  override append(...event: Parameters<SessionLog['append']>): number {
    if (this.#disk.room-- <= 0) throw new Error('ENOSPC: no space left on device, write');
    return super.append(...event);
  }
}

const script = [turn(call('create_file', { path: '1', content: '' }), call('create_file', { path: '2', content: '' })), turn(say('Done.'))];

describe('a log that lost its last line', () => {
  it('says so until an event is added after the lost line', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.')), turn(say('Again.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const file = join(kedge.storage, 'sessions', `${kedge.session.id}.jsonl`);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, `${lines.with(-1, '{"seq":').join('\n')}\n`);
    for (let time = 0; time < 2; time++) {
      const again = await kedge.reload();
      assert.match(again.session.damage ?? '', /^1 line of this session’s log is damaged/);
      await assert.rejects(again.session.changes.undo(again.session.state.lastRun?.runId ?? ''), /did not change any files/);
      again.assistant.close();
    }
    const last = await kedge.reload();
    await last.session.resume();
    const numbers = ((await last.store.load(last.session.id)) ?? []).map(({ seq }) => seq);
    assert.ok(
      numbers.some((seq, index) => index > 0 && seq > (numbers[index - 1] ?? 0) + 1),
      numbers.join(' '),
    );
  });
});

describe('a log that cannot be written', () => {
  it('ends the run immediately with the reason, and nothing happens that it does not contain', async () => {
    for (let room = 2; ; room++) {
      await using kedge = await assistantOn({}, script, { store: (directory) => new SmallDisk(directory, room) });
      kedge.session.subscribe((event) => {
        if (event.type === 'approval_requested') kedge.session.answerApproval(event.approvalId, { approve: true }).catch(() => undefined);
      });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      const logged = (await kedge.store.load(kedge.session.id)) ?? [];
      const { outcome, error } = lastOf(kedge.events, 'run_finished');
      const written = Object.keys(await kedge.snapshot()).filter((path) => !path.endsWith('/'));
      const staged = eventsOf(logged, 'changes_staged').flatMap(({ changes }) => changes.map(({ path }) => `workspace/${path}`));
      assert.deepEqual(written, staged);
      assert.equal(kedge.session.running, false);
      if ((kedge.store as SmallDisk).room >= 0) {
        assert.equal(outcome, 'answered');
        break;
      }
      assert.equal(outcome, 'failed');
      assert.match(error?.message ?? '', /^The session's log cannot be written, so the run was stopped: ENOSPC/);
      assert.equal(eventsOf(kedge.events, 'run_finished').length, 1);
      // Every displayed event is in the log, except for the one that reports the failure.
      const shown = kedge.session.events.filter(({ type }) => type !== 'run_finished');
      assert.deepEqual(
        JSON.parse(JSON.stringify(shown)),
        logged.filter(({ type }) => type !== 'run_finished'),
      );
      await assert.rejects(kedge.session.prompt({ text: 'again', mode: 'ask' }), /cannot be written/);
    }
  });

  it('prevents a new run', async () => {
    const store = (directory: string) => {
      writeFileSync(directory, 'a file where the directory should be');
      return new SessionStore(directory);
    };
    await using kedge = await assistantOn({}, script, { store });
    const prompted = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await assert.rejects(prompted, /^Error: The session's log cannot be written, so the run was stopped: /);
    assert.equal(kedge.adapter.requests.length, 0);
    assert.deepEqual(kedge.events, []);
    assert.equal(kedge.session.running, false);
  });

  it('can still be read, and continued when it can be written again', async () => {
    await using kedge = await assistantOn({}, script, { store: (directory) => new SmallDisk(directory, 5) });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const again = await kedge.reload();
    assert.equal(again.session.state.title, 'go');
    assert.equal(again.session.running, false);
    await again.session.resume();
    assert.match(lastOf(again.events, 'run_finished').error?.message ?? '', /cannot be written/);
    (kedge.store as SmallDisk).room = 1_000;
    const later = await again.reload();
    answerAll(later.session, { approve: true });
    await later.session.resume();
    assert.equal(later.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/1', 'workspace/2']);
  });

  it('can be continued in the same window when it can be written again', async () => {
    await using kedge = await assistantOn({}, [...script, ...script], { store: (directory) => new SmallDisk(directory, 5) });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const failure = () => lastOf(kedge.events, 'run_finished').error?.message ?? '';
    assert.match(failure(), /cannot be written.* Correct the problem and try again\.$/);
    const count = kedge.events.length;
    await kedge.session.resume();
    assert.deepEqual([failure().slice(0, 36), kedge.events.length > count], ["The session's log cannot be written,", true]);
    (kedge.store as SmallDisk).room = 1_000;
    await kedge.session.resume();
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    const logged = await kedge.store.load(kedge.session.id);
    assert.deepEqual(JSON.parse(JSON.stringify([...kedge.session.events])), logged);
    assert.equal(kedge.session.damage, undefined);
  });
});

describe('a damaged log that cannot be read while it is repaired', () => {
  it('stays as it is, and is repaired when it can be read again', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.')), turn(say('Three.'))]);
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    const file = join(kedge.storage, 'sessions', `${kedge.session.id}.jsonl`);
    appendFileSync(file, 'no event\n');
    const { session } = await kedge.reload();
    assert.match(session.damage ?? '', /^1 line /);
    const before = readFileSync(file, 'utf8');
    // On a disk that returns wrong bytes, the file has the same size and inode.
    const unreadable = before.replace(/./g, ' ');
    writeFileSync(file, unreadable);
    await assert.rejects(session.prompt({ text: 'two', mode: 'ask' }), /was changed by another program/);
    assert.equal(readFileSync(file, 'utf8'), unreadable);
    assert.equal(session.running, false);
    writeFileSync(file, before);
    await session.prompt({ text: 'two', mode: 'ask' });
    assert.equal(session.state.lastRun?.outcome, 'answered');
    await session.prompt({ text: 'three', mode: 'ask' });
    const again = await kedge.reload();
    assert.equal(again.session.damage, undefined);
    assert.deepEqual(
      eventsOf([...again.session.events], 'run_started').map(({ prompt }) => prompt),
      ['one', 'two', 'three'],
    );
  });
});

const fileOf = ({ storage, session }: Harness, extension = 'jsonl') => join(storage, 'sessions', `${session.id}.${extension}`);

type Operation = (...args: never[]) => unknown;

/** Makes a function of `node:fs` fail for certain arguments. With `late`, it is executed before. */
function failing(name: 'closeSync' | 'rmSync' | 'writeFileSync', fails: (first: unknown) => boolean, { late = false } = {}): Disposable {
  const real = fs[name] as Operation;
  const set = (operation: Operation) => {
    Object.assign(fs, { [name]: operation });
    syncBuiltinESMExports();
  };
  set((...args) => {
    if (!fails(args[0])) return real(...args);
    if (late) real(...args);
    throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' });
  });
  return { [Symbol.dispose]: () => set(real) };
}

describe('a session on a disk that fails', () => {
  it('is written only while it is locked', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.'))]);
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    const before = readFileSync(fileOf(kedge), 'utf8');
    {
      using _disk = failing('writeFileSync', (path) => String(path).startsWith(fileOf(kedge, 'lock')));
      await assert.rejects(kedge.session.prompt({ text: 'two', mode: 'ask' }), /log cannot be written.*EIO/);
    }
    assert.equal(readFileSync(fileOf(kedge), 'utf8'), before);
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
  });

  it('is unlocked, and its run ends, although its log cannot be closed', async () => {
    await using kedge = await assistantOn({}, [hang({ type: 'text_delta', text: 'W' }), turn(say('Two.'))]);
    const begun = nextEvent(kedge.session, 'text_delta');
    const ended = kedge.session.prompt({ text: 'one', mode: 'ask' });
    await begun;
    const isLog = (handle: unknown) => fs.fstatSync(handle as number).ino === fs.statSync(fileOf(kedge)).ino;
    {
      using _disk = failing('closeSync', isLog, { late: true });
      await kedge.session.stop();
      await ended;
    }
    assert.equal(existsSync(fileOf(kedge, 'lock')), false);
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    assert.deepEqual(JSON.parse(JSON.stringify([...kedge.session.events])), await kedge.store.load(kedge.session.id));
  });

  it('is unlocked later if its lock cannot be removed', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.'))]);
    const lock = fileOf(kedge, 'lock');
    {
      using _disk = failing('rmSync', (path) => path === lock);
      await kedge.session.prompt({ text: 'one', mode: 'ask' });
      assert.equal(existsSync(lock), true);
    }
    refreshLocks();
    assert.equal(existsSync(lock), false);
  });

  it('is written again after an event outside a run could not be written, also if its log was replaced meanwhile', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.'))], { store: (directory) => new SmallDisk(directory, 100) });
    const disk = kedge.store as SmallDisk;
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    disk.room = 0;
    assert.throws(() => kedge.session.note({ type: 'session_renamed', title: 'Lost' }), /cannot be written/);
    writeFileSync(`${fileOf(kedge)}.x`, readFileSync(fileOf(kedge)));
    renameSync(`${fileOf(kedge)}.x`, fileOf(kedge));
    disk.room = 100;
    kedge.session.note({ type: 'session_renamed', title: 'Kept' });
    assert.equal((await kedge.reload()).session.state.title, 'Kept');
  });

  it('shows each event after its run failed while it waited for an answer', async () => {
    await using kedge = await assistantOn({}, [turn(call('create_file', { path: '1', content: '' })), turn(say('Done.'))], {
      store: (directory) => new SmallDisk(directory, 100),
    });
    const disk = kedge.store as SmallDisk;
    let view = EMPTY_VIEW;
    kedge.session.subscribe((event) => {
      view = project(view, event);
    });
    const asked = nextEvent(kedge.session, 'approval_requested');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    disk.room = 0;
    await assert.rejects(kedge.session.answerApproval(approvalId, { approve: true }), /cannot be written/);
    await ended;
    assert.match(lastOf(kedge.events, 'run_finished').error?.message ?? '', /cannot be written/);
    disk.room = 100;
    await kedge.session.answerApproval(approvalId, { approve: true });
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual(view, kedge.session.readView());
  });

  it('ends its run when another program has replaced its log', async function () {
    if (process.platform === 'win32') this.skip();
    let file = '';
    await using kedge = await assistantOn({}, [
      async function* () {
        writeFileSync(`${file}.x`, readFileSync(file));
        renameSync(`${file}.x`, file);
        yield* say('One.');
        yield { type: 'stop', reason: 'end_turn' };
      },
      turn(say('Two.')),
    ]);
    file = fileOf(kedge);
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    assert.match(lastOf(kedge.events, 'run_finished').error?.message ?? '', /the log file was deleted or replaced/);
    await kedge.session.resume();
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual(JSON.parse(JSON.stringify([...kedge.session.events])), await kedge.store.load(kedge.session.id));
  });
});

/** Log formats: events of earlier formats are converted when they are read, and a log of a newer format is refused and not changed. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOG_FORMAT, migrated } from '../../../src/core/session/log-format.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type Harness } from '../../support/harness.ts';

const NEWER = /^NewerLogError: This session was written by a newer version of Kedge. Update Kedge to open it.$/;

const sessionsOf = ({ storage }: Harness) => join(storage, 'sessions');
const logOf = (kedge: Harness, id = kedge.session.id) => join(sessionsOf(kedge), `${id}.jsonl`);
const linesOf = async (kedge: Harness, id?: string) => (await readFile(logOf(kedge, id), 'utf8')).trimEnd().split('\n');

/** Writes a changed copy of the harness's log under another id. */
async function rewrite(kedge: Harness, id: string, change: (line: Record<string, unknown>, index: number) => object): Promise<string> {
  const lines = (await linesOf(kedge)).map((line, index) => `${JSON.stringify(change(JSON.parse(line), index))}\n`).join('');
  await writeFile(logOf(kedge, id), lines);
  return lines;
}

const inFormat1 = ({ format: _, secret: __, granted: ___, ...line }: Record<string, unknown>) => line;

describe('the log format', () => {
  it('is stored in the first line only, and not in the events that are read', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.')), turn(say('Again.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const again = await kedge.reload();
    await again.session.prompt({ text: 'go', mode: 'ask' });
    const formats = (await linesOf(kedge)).map((line) => JSON.parse(line).format);
    assert.deepEqual([formats[0], ...new Set(formats.slice(1))], [LOG_FORMAT, undefined]);
    assert.ok(again.session.events.every((event) => !('format' in event)));
  });

  it('is no part of an event, also when it was damaged', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.')), turn(say('Again.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await rewrite(kedge, kedge.session.id, (line, index) => (index === 0 ? { ...line, format: [['damaged']] } : line));
    const again = await kedge.reload();
    assert.ok(again.session.events.every((event) => !('format' in event)));
  });

  it('is stored in a repaired log', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.')), turn(say('Again.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const [, ...rest] = await linesOf(kedge);
    await writeFile(logOf(kedge), ['damaged', ...rest, ''].join('\n'));
    const again = await kedge.reload();
    await again.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(JSON.parse((await linesOf(kedge))[0] ?? '').format, LOG_FORMAT);
  });

  it('is 1 if no line names it: the log is not changed, new events have the current format, and both are read', async () => {
    const script = [
      turn(call('run_command', { command: 'cat .env' })),
      turn(say('Read.')),
      turn(call('fetch_url', { url: 'https://docs.example/?q=1' })),
      turn(say('Done.')),
    ];
    await using kedge = await assistantOn({ '.env': 'KEY=1\n' }, script, {
      commands: true,
      shellParsers: nodeShellParsers,
      fetcher: { isPrivate: () => false, get: () => assert.fail('it was sent') },
    });
    kedge.granted.covers.push({ kind: 'host', host: 'docs.example' });
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: true });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.session.events, 'approval_requested').map(({ secret }) => secret),
      [true],
    );
    const before = await rewrite(kedge, 'old', inFormat1);
    const session = await kedge.assistant.session('old');
    assert.ok(session);
    assert.deepEqual([...session.events], [...kedge.session.events]);
    assert.equal(session.damage, undefined);
    assert.equal(await readFile(logOf(kedge, 'old'), 'utf8'), before);

    session.subscribe((event) => {
      if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, { approve: false });
    });
    await session.prompt({ text: 'send it', mode: 'agent' });
    assert.deepEqual(
      eventsOf(session.events, 'approval_requested').map(({ rule }) => rule),
      ['guarded-path', 'sends-after-secret'],
    );
    const after = await readFile(logOf(kedge, 'old'), 'utf8');
    assert.ok(after.startsWith(before));
    const added = after.slice(before.length).trimEnd().split('\n');
    assert.deepEqual([...new Set(added.map((line) => JSON.parse(line).format))], [LOG_FORMAT, undefined]);
    assert.equal(JSON.parse(added[0] ?? '').format, LOG_FORMAT);
    assert.deepEqual(await kedge.store.load('old'), [...session.events]);
  });

  it('1 records granted edits only in the answer', () => {
    const answered = { type: 'approval_resolved', answer: { approve: true, grant: 'session' } };
    const granted = { scope: 'session', covers: { kind: 'edits' } };
    assert.deepEqual(migrated(answered, 1), { ...answered, granted });
    assert.deepEqual(migrated(answered, LOG_FORMAT), answered);
    const rejected = { type: 'approval_resolved', answer: { approve: false, grant: 'session' } };
    assert.deepEqual(migrated(rejected, 1), rejected);
  });

  it('1 records a stopped command only in the note', () => {
    const finished = { type: 'tool_finished', note: 'stopped' };
    assert.deepEqual(migrated(finished, 1), { ...finished, stopped: true });
    assert.deepEqual(migrated(finished, LOG_FORMAT), finished);
    assert.deepEqual(migrated({ ...finished, note: 'exit 1' }, 1), { ...finished, note: 'exit 1' });
  });

  it('1 may contain lines that are not events', () => {
    for (const garbage of [null, 1, 'x', [], {}, { type: 'approval_resolved', answer: null }]) assert.equal(migrated(garbage, 1), garbage);
  });

  it('is ignored if it is not a valid number', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    for (const format of [0, -1, 1.5, 1e300, '3', null, [3], { format: 3 }]) {
      await rewrite(kedge, 'odd', (line) => ({ ...line, format }));
      assert.equal((await kedge.store.load('odd'))?.length, kedge.session.events.length);
    }
  });
});

describe('a log of a newer version', () => {
  for (const [where, at] of [
    ['in its first line', 0],
    ['in a later line', 3],
  ] as const)
    it(`that names its format ${where} is refused and not changed`, async () => {
      await using kedge = await assistantOn({}, [turn(say('Done.'))]);
      await kedge.session.prompt({ text: 'go', mode: 'ask' });
      const newer = (line: object, index: number) => (index === at ? { ...line, format: LOG_FORMAT + 1 } : line);
      const before = await rewrite(kedge, 'newer', newer);
      const files = await readdir(sessionsOf(kedge));
      await assert.rejects(kedge.assistant.session('newer'), NEWER);
      assert.equal(await readFile(logOf(kedge, 'newer'), 'utf8'), before);
      assert.deepEqual(await readdir(sessionsOf(kedge)), files);
      assert.ok((await kedge.assistant.sessions()).some(({ id, title }) => id === 'newer' && title === 'go'));
    });

  it('is neither shown nor appended to if it continues a session that is open', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { length } = kedge.session.events;
    const [first = ''] = await linesOf(kedge);
    const next = { ...JSON.parse(first), runId: 'later', seq: length + 1, format: LOG_FORMAT + 1 };
    await writeFile(logOf(kedge), `${JSON.stringify(next)}\n`, { flag: 'a' });
    const before = await readFile(logOf(kedge), 'utf8');
    await assert.rejects(kedge.session.prompt({ text: 'and now?', mode: 'ask' }), NEWER);
    assert.equal(kedge.session.events.length, length);
    assert.equal(await readFile(logOf(kedge), 'utf8'), before);
  });
});

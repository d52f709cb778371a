import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionHit } from '../../../src/app/library/search.ts';
import { emptySession } from '../../../src/core/session/session-state.ts';
import { applyValidEvents } from '../../../src/core/session/valid-events.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent } from '../../support/harness.ts';

const edit = (path: string, old_text: string, new_text: string) => call('replace_in_file', { path, edits: [{ old_text, new_text }] });
const logOf = (kedge: Harness, id = kedge.session.id) => readFile(join(kedge.storage, 'sessions', `${id}.jsonl`));
const search = async (kedge: Harness, words: string) => {
  const hits: SessionHit[] = [];
  for await (const hit of (await kedge.assistant.library()).search(words)) hits.push(hit);
  return hits;
};

/** A session of three messages, of which the first two change a.txt from 0 to 1 and 2. */
async function threeRuns(): Promise<Harness> {
  const kedge = await assistantOn({ 'a.txt': '0' }, [
    ...[turn(edit('a.txt', '0', '1')), turn(say('One.')), turn(edit('a.txt', '1', '2')), turn(say('Two.')), turn(say('Three.'))],
    ...[turn(say('Other.')), turn(say('Fourth.'))],
  ]);
  answerAll(kedge.session, { approve: true, grant: 'session' });
  for (const text of ['first', 'second', 'third']) await kedge.session.prompt({ text, mode: 'agent' });
  return kedge;
}

describe('the sessions of a workspace', () => {
  it('are renamed and pinned in their logs', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    const library = await kedge.assistant.library();
    await assert.rejects(library.rename(kedge.session.id, 'x'), /no messages yet/);
    await kedge.session.prompt({ text: 'My question', mode: 'ask' });
    await library.rename(kedge.session.id, '  Other \n title ');
    await library.pin(kedge.session.id, true);
    await assert.rejects(library.rename(kedge.session.id, ' '), /title is empty/);
    const again = await kedge.reload();
    assert.equal(again.session.state.title, 'Other title');
    assert.equal(again.session.readView().title, 'Other title');
    assert.equal(again.session.damage, undefined);
    const [info] = await again.assistant.sessions();
    assert.deepEqual(info && [info.title, info.isPinned, info.status, info.workspace], ['Other title', true, 'done', 'workspace']);
    assert.equal(eventsOf(again.session.events, 'session_renamed').length, 1);
  });

  it('are deleted into a trash, and restored', async () => {
    await using kedge = await threeRuns();
    const { id } = kedge.session;
    const library = await kedge.assistant.library();
    await search(kedge, 'second');
    library.remove(id);
    assert.deepEqual(await kedge.assistant.sessions(), []);
    assert.equal(await kedge.assistant.session(id), undefined);
    assert.deepEqual(await search(kedge, 'second'), []);
    assert.deepEqual(
      (await library.deleted()).map(({ id: each, title }) => [each, title]),
      [[id, 'first']],
    );
    library.restore(id);
    assert.throws(() => library.restore(id), /not in the trash/);
    const session = await kedge.assistant.session(id);
    await session?.changes.undo(kedge.session.state.lastRun?.runId ?? '').catch(() => undefined);
    assert.equal(session?.state.runs.size, 3);
  });

  it('say that they run or wait, also in the program that runs them', async () => {
    await using kedge = await assistantOn({ 'a.txt': '0' }, [turn(edit('a.txt', '0', '1')), turn(say('Done.'))]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    const statuses = async () => (await kedge.assistant.sessions()).map(({ status }) => status);
    assert.deepEqual(await statuses(), ['waiting']);
    const during = nextEvent(kedge.session, 'turn_started').then(statuses);
    await kedge.session.answerApproval(approvalId, { approve: true });
    assert.deepEqual(await during, ['running']);
    await run;
    assert.deepEqual(await statuses(), ['done']);
  });
});

describe('a fork of a session', () => {
  it('begins with the events up to a message, and leaves the other session as it is', async () => {
    await using kedge = await threeRuns();
    const before = await logOf(kedge);
    const { seq } = lastOf(kedge.session.events, 'run_finished');
    const library = await kedge.assistant.library();
    const answers = eventsOf(kedge.session.events, 'message_added').filter(({ message }) => message.role === 'assistant');
    const { session } = await library.fork(kedge.session.id, {
      after: answers.find(({ message }) => JSON.stringify(message).includes('One.'))?.seq ?? 0,
    });
    assert.deepEqual(session.state.parent?.sessionId, kedge.session.id);
    assert.deepEqual(session.readView().parent, session.state.parent);
    assert.deepEqual(
      [...session.state.runs.values()].map(({ prompt, outcome }) => [prompt, outcome]),
      [['first', 'stopped']],
    );
    assert.deepEqual(
      session.events.map((event) => event.seq),
      session.events.map((_, index) => index + 1),
    );
    assert.deepEqual(session.state.grants, []);
    assert.ok(!/"grant/.test((await logOf(kedge, session.id)).toString()));
    await session.prompt({ text: 'another way', mode: 'ask' });
    assert.deepEqual(await logOf(kedge), before);
    assert.equal(await kedge.read('a.txt'), '2');
    assert.equal(kedge.session.state.seq, seq);
    const requests = kedge.adapter.requests.at(-1)?.messages.map(({ role }) => role);
    assert.deepEqual(requests, ['user', 'assistant', 'tool', 'assistant', 'user']);
    const again = await (await kedge.reload()).assistant.session(session.id);
    assert.equal(again?.damage, undefined);
    assert.deepEqual(again?.state.parent, session.state.parent);
  });

  it('before a message gives that message back, to edit and send it again', async () => {
    await using kedge = await threeRuns();
    const library = await kedge.assistant.library();
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AQID' };
    await kedge.session.prompt({ text: 'fourth', mode: 'ask', attachments: [image] });
    const said = eventsOf(kedge.session.events, 'message_added').filter(({ message }) => message.role === 'user');
    const { session, prompt } = await library.fork(kedge.session.id, { before: said.at(-1)?.seq ?? 0 });
    assert.deepEqual(prompt, { text: 'fourth', mode: 'ask', attachments: [image] });
    assert.equal(session.state.lastRun?.prompt, 'third');
    const first = await library.fork(kedge.session.id, { before: said[0]?.seq ?? 0 });
    assert.deepEqual([first.session.state.runs.size, first.session.state.parent?.seq, first.prompt?.text], [0, 0, 'first']);
    assert.equal((await kedge.assistant.sessions()).length, 3);
    await first.session.prompt({ text: 'better', mode: 'ask' });
    assert.equal(first.session.state.title, 'better');
    await assert.rejects(library.fork(kedge.session.id, { before: 9_999 }), /not in the session/);
  });

  it('takes the files back if the user wants it, and the other session can undo that', async () => {
    await using kedge = await threeRuns();
    const library = await kedge.assistant.library();
    const said = eventsOf(kedge.session.events, 'message_added').filter(({ message }) => message.role === 'user');
    const { restored, session } = await library.fork(kedge.session.id, { before: said[1]?.seq ?? 0 }, { restore: true });
    assert.deepEqual(
      restored?.map(({ path, outcome }) => [path, outcome]),
      [['a.txt', 'restored']],
    );
    assert.equal(await kedge.read('a.txt'), '1');
    const { undoId } = lastOf(kedge.session.events, 'changes_restored');
    await kedge.session.changes.restore({ undoId });
    assert.equal(await kedge.read('a.txt'), '2');
    const zero = await library.fork(kedge.session.id, { before: said[0]?.seq ?? 0 }, { restore: true });
    assert.equal(zero.restored?.[0]?.outcome, 'restored');
    assert.equal(await kedge.read('a.txt'), '0');
    const none = await library.fork(session.id, {}, { restore: true });
    assert.equal(none.restored, undefined);
  });

  it('has no open approval, question, message or run', async () => {
    await using kedge = await assistantOn({ 'a.txt': '0' }, [turn(edit('a.txt', '0', '1'), edit('a.txt', '1', '2')), turn(say('Done.'))]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await asked;
    await kedge.session.say({ text: 'and more', mode: 'agent' });
    const { session } = await (await kedge.assistant.library()).fork(kedge.session.id);
    const { pendingApprovals, pendingQuestions, queue, open, lastRun, approvals } = session.state;
    assert.deepEqual([pendingApprovals.size, pendingQuestions.size, queue.size, open.length, approvals.size], [0, 0, 0, 0, 0]);
    assert.equal(lastRun?.outcome, 'stopped');
    await assert.rejects(session.resume(), /no paused run/);
    assert.equal(kedge.session.running, true);
    await kedge.session.stop();
    await run;
  });
});

describe('an imported session', () => {
  it('is read like any other, and can cause nothing', async () => {
    await using from = await threeRuns();
    await using kedge = await assistantOn({ 'a.txt': '2' }, [turn(say('On.'))]);
    const library = await kedge.assistant.library();
    const { session, skipped } = await library.importLog(await logOf(from));
    assert.equal(skipped, 0);
    assert.deepEqual([session.state.title, session.state.grants, session.state.staged], ['first', [], []]);
    assert.ok(session.readView().importedUntil !== undefined && session.readView().runs.length === 3);
    for (const { runId } of session.state.runs.values()) await assert.rejects(session.changes.undo(runId), /did not change any files/);
    await session.prompt({ text: 'go on', mode: 'ask' });
    const events = (await kedge.store.load(session.id)) ?? [];
    const again = emptySession();
    assert.equal(applyValidEvents(again, events).length, events.length);
    assert.deepEqual([again.staged, again.runs.size], [[], 4]);
    assert.deepEqual(
      (await kedge.assistant.sessions()).map(({ isImported, status }) => [isImported, status]),
      [[true, 'done']],
    );
  });

  it('is continued with edits, and branched with the files restored to a place before or after the import', async () => {
    await using from = await threeRuns();
    await using kedge = await assistantOn({ 'a.txt': '2' }, [
      turn(edit('a.txt', '2', '3')),
      turn(say('3.')),
      turn(edit('a.txt', '3', '4')),
      turn(say('4.')),
    ]);
    const library = await kedge.assistant.library();
    const { session } = await library.importLog(await logOf(from));
    answerAll(session, { approve: true });
    for (const text of ['fourth', 'fifth']) await session.prompt({ text, mode: 'agent' });
    const [, second = '', , fourth = ''] = session.state.runs.keys();
    await library.forkAfterRun(session.id, fourth, undefined, { restore: true });
    assert.equal(await kedge.read('a.txt'), '3');
    const { restored } = await library.forkAfterRun(session.id, second, undefined, { restore: true });
    assert.deepEqual(
      restored?.map(({ path, outcome }) => [path, outcome]),
      [['a.txt', 'restored']],
    );
    assert.equal(await kedge.read('a.txt'), '2');
  });

  it('speaks for Kedge nowhere: its notes and summaries are left out', async () => {
    await using from = await assistantOn({ 'AGENTS.md': 'Prefer tabs.\n' }, [turn(say('Yes.'))]);
    const notes = [
      { type: 'note', about: 'undo', text: 'Forged.' },
      { type: 'note', about: 'mention', text: 'No source.' },
    ] as const;
    await from.session.prompt({ text: 'see', mode: 'ask', notes: [...notes] });
    assert.ok((await logOf(from)).includes('"note"'));
    await using kedge = await assistantOn({ 'AGENTS.md': 'Prefer spaces.\n' }, [turn(say('On.'))]);
    const { session } = await (await kedge.assistant.library()).importLog(await logOf(from));
    assert.ok(!JSON.stringify(session.state.messages).includes('"note"'));
    await session.prompt({ text: 'go on', mode: 'ask' });
    const sent = JSON.stringify(kedge.adapter.requests[0]?.messages);
    assert.ok(sent.includes('Prefer spaces.') && !sent.includes('Prefer tabs.') && !sent.includes('Forged.'));
    assert.ok(sent.includes('No source.') && !sent.includes('"about":"mention"'));
  });

  it('is checked like a damaged log', async () => {
    await using from = await threeRuns();
    await using kedge = await assistantOn({});
    const library = await kedge.assistant.library();
    const lines = (await logOf(from)).toString().split('\n');
    const damaged = [...lines.slice(0, 4), 'no event', '{"type":"file_changed"}', ...lines.slice(4, -1), '{"torn'].join('\n');
    const { session, skipped } = await library.importLog(Buffer.from(damaged));
    assert.equal(skipped, 3);
    assert.equal(session.state.runs.size, 3);
    for (const bad of [
      '',
      '{}',
      'x\n'.repeat(9),
      '\0'.repeat(99),
      JSON.stringify({ type: 'session_pinned', pinned: true, runId: '', seq: 1, at: 1 }),
    ])
      await assert.rejects(library.importLog(Buffer.from(bad)), /not an exported Kedge session/);
    assert.equal((await kedge.assistant.sessions()).length, 1);
  });
});

describe('the search in sessions', () => {
  it('finds words in titles, messages and tool results, with and without an index', async () => {
    await using kedge = await assistantOn({ 'tide.ts': 'export const Draught = 4;\n' }, [
      ...[turn(call('read_file', { path: 'tide.ts' })), turn(say('It is a harbour thing.\nThe second line.'))],
    ]);
    await kedge.session.prompt({ text: 'Where is it', mode: 'ask' });
    for (const round of ['first', 'second', 'third']) {
      if (round === 'third') await (await kedge.assistant.library()).rename(kedge.session.id, 'Quay walls');
      const lines = async (words: string) => (await search(kedge, words)).map(({ line, from }) => [from, line]);
      assert.deepEqual(await lines('draught'), [['tool', '1\texport const Draught = 4;']], round);
      assert.deepEqual(await lines('HARBOUR thing'), [['model', 'It is a harbour thing.']]);
      assert.deepEqual(await lines('harbour draught'), [
        ['tool', '1\texport const Draught = 4;'],
        ['model', 'It is a harbour thing.'],
      ]);
      assert.deepEqual(await lines('harbour nowhere'), []);
      assert.deepEqual(await lines(' '), []);
      assert.equal((await search(kedge, 'quay')).length, round === 'third' ? 1 : 0);
      assert.deepEqual(await lines('re'), await lines('re'));
    }
  });

  it('leaves out what was secret, what is hidden now, and is not fooled by a wrong index', async () => {
    const files = { '.env': 'TOKEN=porpoise\n', 'notes.txt': 'narwhal\n' };
    await using kedge = await assistantOn(files, [
      turn(call('read_file', { path: '.env' }), call('read_file', { path: 'notes.txt' })),
      turn(say('Read.')),
    ]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'Read both', mode: 'ask' });
    assert.ok((await logOf(kedge)).toString().includes('porpoise'));
    assert.deepEqual(await search(kedge, 'porpoise'), []);
    assert.equal((await search(kedge, 'narwhal')).length, 1);
    const index = join(kedge.storage, 'sessions', '.index');
    for (const name of await readdir(index)) assert.ok(!(await readFile(join(index, name), 'utf8')).includes('porpoise'), name);
    await kedge.write('.kedgeignore', 'notes.txt\n');
    assert.deepEqual(await search(kedge, 'narwhal'), []);
  });
});

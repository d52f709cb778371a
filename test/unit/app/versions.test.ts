import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutAttachments } from '../../../src/app/session/prompt.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf } from '../../support/harness.ts';

const edit = (path: string, old_text: string, new_text: string) => call('replace_in_file', { path, edits: [{ old_text, new_text }] });
const runIds = ({ state }: Harness['session']) => [...state.runs.keys()];

/** A session of three prompts, of which the second changes a.txt. */
async function threePrompts(more: Parameters<typeof assistantOn>[1] = []): Promise<Harness> {
  const kedge = await assistantOn({ 'a.txt': '0' }, [
    ...[turn(say('One.')), turn(edit('a.txt', '0', '1')), turn(say('Two.')), turn(say('Three.'))],
    ...more,
  ]);
  answerAll(kedge.session, { approve: true });
  await kedge.session.prompt({ text: 'first', mode: 'ask' });
  await kedge.session.prompt({ text: 'second', mode: 'agent' });
  await kedge.session.prompt({ text: 'third', mode: 'ask' });
  return kedge;
}

describe('a prompt that is edited or sent again', () => {
  it('has its versions in sessions of their own, which know of each other', async () => {
    await using kedge = await threePrompts([turn(say('Edited.')), turn(say('Again.')), turn(say('Late.'))]);
    const library = await kedge.assistant.library();
    const { session } = kedge;
    const [, second = '', third = ''] = runIds(session);
    assert.deepEqual(await library.versions(session), {});
    const edited = await library.forkBeforeRun(session.id, second, { restore: true });
    assert.deepEqual([edited.prompt.text, edited.prompt.mode, edited.bound], ['second', 'agent', { edits: second }]);
    assert.equal(await kedge.read('a.txt'), '0');
    await edited.session.prompt({ ...edited.prompt, text: 'better' }, edited.bound);
    const better = runIds(edited.session).at(-1) ?? '';
    assert.equal(edited.session.readView().runs.at(-1)?.edits, second);
    assert.deepEqual(await library.versions(session), { [second]: { index: 0, sessionIds: [session.id, edited.session.id] } });
    assert.deepEqual(await library.versions(edited.session), { [better]: { index: 1, sessionIds: [session.id, edited.session.id] } });
    // A version that was made from another version counts as a version of the first prompt.
    const again = await library.forkBeforeRun(edited.session.id, better);
    await again.session.prompt(again.prompt, again.bound);
    const all = [session.id, edited.session.id, again.session.id];
    assert.deepEqual((await library.versions(session))[second], { index: 0, sessionIds: all });
    assert.deepEqual(Object.values(await library.versions(again.session)), [{ index: 2, sessionIds: all }]);
    // A later prompt of the first session has versions of its own, and its session keeps the version of the earlier prompt.
    const late = await library.forkBeforeRun(session.id, third);
    await late.session.prompt(late.prompt, late.bound);
    const ofLate = await library.versions(late.session);
    assert.deepEqual(ofLate[second]?.index, 0);
    assert.deepEqual(ofLate[second]?.sessionIds, [late.session.id, edited.session.id, again.session.id]);
    assert.deepEqual(ofLate[runIds(late.session).at(-1) ?? ''], { index: 1, sessionIds: [session.id, late.session.id] });
    const reloaded = await kedge.reload();
    const session2 = (await reloaded.assistant.session(again.session.id)) as Harness['session'];
    assert.deepEqual(Object.values(await (await reloaded.assistant.library()).versions(session2))[0]?.sessionIds, all);
    // Versions of deleted sessions are not offered.
    const left = await reloaded.assistant.library();
    left.remove(session.id);
    assert.deepEqual(Object.values(await left.versions(session2))[0]?.sessionIds, all.slice(1));
  });

  it('keeps images, mentions and commands, and nothing of what Kedge added', async () => {
    await using kedge = await assistantOn({ 'AGENTS.md': 'Prefer tabs.\n' }, [turn(say('One.')), turn(say('Two.'))]);
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AQID' };
    const mention = { type: 'note' as const, about: 'mention' as const, text: 'file a', ref: { kind: 'file' as const, path: 'a.txt' } };
    await kedge.session.prompt({ text: 'look', mode: 'ask', attachments: [image, mention] });
    await kedge.session.prompt({ text: 'a long text', mode: 'ask' }, { shown: '/init briefly' });
    const [look = '', init = ''] = runIds(kedge.session);
    const library = await kedge.assistant.library();
    assert.deepEqual((await library.forkBeforeRun(kedge.session.id, look)).prompt, {
      text: 'look',
      mode: 'ask',
      attachments: [image, mention],
    });
    const many = {
      text: '',
      mode: 'ask' as const,
      attachments: [image, mention, { ...image, data: 'BBBB' }, { ...mention, text: 'file b' }],
    };
    const left = withoutAttachments(many, { images: [0], mentions: [1] }).attachments;
    assert.deepEqual(left, [mention, { ...image, data: 'BBBB' }]);
    assert.equal((await library.forkBeforeRun(kedge.session.id, init)).prompt.text, '/init briefly');
    await assert.rejects(library.forkBeforeRun(kedge.session.id, 'no-run'), /cannot be sent again/);
  });
});

describe('a message that was queued before the prompt', () => {
  it('stays as it was sent when a mention of the prompt is removed', async () => {
    const mention = (path: string) => ({
      type: 'note' as const,
      about: 'mention' as const,
      text: path,
      ref: { kind: 'file' as const, path },
    });
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.')), turn(say('Three.')), turn(say('Four.'))]);
    const { session } = kedge;
    await session.prompt({ text: 'first', mode: 'ask' });
    session.queue.add({ role: 'user', content: [{ type: 'text', text: 'queued' }, mention('a.txt')] });
    await session.prompt({ text: 'second', mode: 'ask', attachments: [mention('b.txt')] });
    const forked = await (await kedge.assistant.library()).forkBeforeRun(session.id, runIds(session).at(-1) ?? '');
    assert.deepEqual(forked.prompt, { text: 'second', mode: 'ask', attachments: [mention('b.txt')] });
    await forked.session.prompt(withoutAttachments(forked.prompt, { images: [], mentions: [0] }), forked.bound);
    assert.deepEqual(
      forked.session.state.messages.filter(({ role }) => role === 'user').map(({ content }) => content),
      [[{ type: 'text', text: 'first' }], [{ type: 'text', text: 'queued' }, mention('a.txt')], [{ type: 'text', text: 'second' }]],
    );
    assert.equal(forked.session.readView().queue.length, 0);
  });
});

describe('a branch', () => {
  it('begins after a run or a step, with all results of that step', async () => {
    await using kedge = await assistantOn({ 'a.txt': '0' }, [
      ...[turn(edit('a.txt', '0', '1')), turn(edit('a.txt', '1', '2'), call('read_file', { path: 'a.txt' })), turn(say('Done.'))],
      ...[turn(say('More.')), turn(say('On.'))],
    ]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.session.prompt({ text: 'more', mode: 'ask' });
    const [go = ''] = runIds(kedge.session);
    const library = await kedge.assistant.library();
    const calls = eventsOf(kedge.session.events, 'tool_started').map(({ callId }) => callId);
    const branch = async (callId?: string, restore = false) => library.forkAfterRun(kedge.session.id, go, callId, { restore });
    const atEnd = await branch();
    assert.deepEqual([atEnd.session.state.runs.size, atEnd.session.state.lastRun?.outcome], [1, 'answered']);
    const roles = ({ state }: Harness['session']) => state.messages.map(({ role }) => role);
    assert.deepEqual(roles((await branch(calls[0])).session), ['user', 'assistant', 'tool']);
    const second = await branch(calls[1]);
    assert.deepEqual(roles(second.session), ['user', 'assistant', 'tool', 'assistant', 'tool']);
    assert.equal(eventsOf(second.session.events, 'tool_finished').length, 3);
    const restored = await branch(calls[0], true);
    assert.equal(restored.restored?.[0]?.outcome, 'restored');
    assert.equal(await kedge.read('a.txt'), '1');
    await restored.session.prompt({ text: 'another way', mode: 'ask' });
    assert.equal(lastOf(restored.session.events, 'run_finished').outcome, 'answered');
    await assert.rejects(branch('no-call'), /not in the session/);
    await kedge.session.changes.undo(go);
    const afterUndo = (await branch()).session;
    assert.deepEqual([afterUndo.state.runs.size, afterUndo.state.undone.size], [1, 0]);
  });
});

describe('a fork of an imported session', () => {
  it('can undo nothing of the imported runs, wherever it begins', async () => {
    await using from = await threePrompts();
    await using kedge = await assistantOn({ 'a.txt': '1' }, [turn(say('On.'))]);
    const library = await kedge.assistant.library();
    const log = await readFile(join(from.storage, 'sessions', `${from.session.id}.jsonl`));
    const { session } = await library.importLog(log);
    assert.deepEqual(
      session.readView().runs.map(({ isImported }) => isImported),
      [true, true, true],
    );
    const [, second = '', third = ''] = runIds(session);
    const whole = await library.fork(session.id);
    const before = await library.forkBeforeRun(session.id, third);
    for (const fork of [whole.session, before.session]) {
      assert.deepEqual(fork.state.staged, []);
      assert.ok(fork.readView().runs.every(({ isImported }) => isImported));
      await assert.rejects(fork.changes.undo(second), /did not change any files/);
    }
    assert.equal(await kedge.read('a.txt'), '1');
    await whole.session.prompt({ text: 'go on', mode: 'ask' });
    assert.equal(whole.session.readView().runs.at(-1)?.isImported, undefined);
  });
});

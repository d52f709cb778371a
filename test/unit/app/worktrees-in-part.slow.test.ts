// A worktree of which only a part is applied: the rest stays, and is applied later or dropped on purpose.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { SessionWorktree } from '../../../src/app/worktrees/session-worktree.ts';
import type { Revision } from '../../../src/core/session/effects.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { answerAll, type Harness, nextEvent } from '../../support/harness.ts';
import { directories, edit, never, ofUser, onRepository, recorded, runInWorktree } from '../../support/worktree-repository.ts';

/** Two hunks in long.txt, an edit of b.txt and a new file. */
const LONG = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');
const script = () => [
  turn(
    edit('long.txt', 'line 3\n', 'line three\n'),
    edit('long.txt', 'line 33\n', 'line thirty-three\n'),
    edit('b.txt', 'b of the user', 'b of the run'),
    call('create_file', { path: 'c.txt', content: 'c\n' }),
  ),
  turn(say('Done.')),
];
const RUN = { 'long.txt': LONG.replace('line 3\n', 'line three\n').replace('line 33\n', 'line thirty-three\n'), 'b.txt': 'b of the run\n' };

async function begun(): Promise<{ kedge: Harness; worktree: SessionWorktree }> {
  const kedge = await onRepository(script());
  await kedge.write('long.txt', LONG);
  return { kedge, worktree: await runInWorktree(kedge) };
}

async function applyPart(kedge: Harness, worktree: SessionWorktree, revised: Revision): Promise<void> {
  const asked = nextEvent(kedge.session, 'approval_requested');
  const applied = worktree.apply();
  await kedge.session.answerApproval((await asked).approvalId, { approve: true, revised });
  await applied;
}

const left = async (worktree: SessionWorktree) => (await worktree.changes(never)).changes.map(({ path }) => path);
const applyAll = async (kedge: Harness, worktree: SessionWorktree) => {
  answerAll(kedge.session, { approve: true });
  await worktree.apply();
};

describe('a worktree that is applied in part', () => {
  it('keeps the hunks and files that were left out, and is gone when they are applied too', async () => {
    const { kedge, worktree } = await begun();
    await using again = kedge;
    await applyPart(kedge, worktree, { 'long.txt': { without: [1] }, 'b.txt': 'refused' });
    assert.equal(await kedge.read('long.txt'), LONG.replace('line 3\n', 'line three\n'));
    assert.deepEqual([await kedge.read('b.txt'), await kedge.read('c.txt')], ['b of the user\n', 'c\n']);
    assert.match(JSON.stringify(kedge.events.at(-1)), /answered/);
    assert.notEqual(kedge.session.state.worktree, undefined);
    assert.deepEqual(await left(worktree), ['b.txt', 'long.txt']);

    const asked = nextEvent(kedge.session, 'approval_requested');
    const applied = worktree.apply();
    const { approvalId, changes } = await asked;
    assert.deepEqual(
      changes.map(({ path, added }) => [path, added]),
      [
        ['b.txt', 1],
        ['long.txt', 1],
      ],
    );
    await kedge.session.answerApproval(approvalId, { approve: true });
    await applied;
    assert.deepEqual([await again.read('long.txt'), await again.read('b.txt')], [RUN['long.txt'], RUN['b.txt']]);
    assert.deepEqual([directories(kedge), recorded(kedge), kedge.session.state.worktree], [[], 1, undefined]);
  });

  it('has everything again after an undo, and nothing of the user changes when the rest is dropped', async () => {
    const { kedge, worktree } = await begun();
    await using _ = kedge;
    const before = await ofUser(kedge);
    await applyPart(kedge, worktree, { 'b.txt': 'refused', 'c.txt': 'refused' });
    assert.deepEqual(await left(worktree), ['b.txt', 'c.txt']);
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId as string);
    assert.deepEqual((await ofUser(kedge)).files, before.files);
    assert.deepEqual(await left(worktree), ['b.txt', 'c.txt', 'long.txt']);
    await applyPart(kedge, worktree, { 'b.txt': 'refused' });
    const applied = await ofUser(kedge);
    await worktree.drop();
    assert.deepEqual(await ofUser(kedge), applied);
    assert.deepEqual([directories(kedge), recorded(kedge), kedge.session.state.worktree], [[], 1, undefined]);
    // What was applied before can still be undone.
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId as string);
    assert.equal(await kedge.read('long.txt'), LONG);
  });

  it('is gone after a file was edited in the approval, because the user decided what it contains', async () => {
    const kedge = await onRepository([turn(edit('b.txt', 'b of the user', 'b of the run')), turn(say('Done.'))]);
    await using _ = kedge;
    const worktree = await runInWorktree(kedge);
    const content = await new DiskBlobs(join(kedge.storage, 'blobs')).put(new TextEncoder().encode('b of both\n'));
    await applyPart(kedge, worktree, { 'b.txt': { content } });
    assert.equal(await kedge.read('b.txt'), 'b of both\n');
    assert.deepEqual([directories(kedge), kedge.session.state.worktree], [[], undefined]);
  });

  it('offers the rest after the program ended right after the part was written', async () => {
    const { kedge, worktree } = await begun();
    kedge.session.subscribe(({ type }) => type === 'file_changed' && kedge.session.state.lastRun?.applies && kedge.assistant.close());
    await applyPart(kedge, worktree, { 'b.txt': 'refused' }).catch(() => undefined);
    assert.equal(kedge.session.state.lastRun?.status, 'live');
    await using again = await kedge.reload();
    if (again.session.state.lastRun?.status !== 'finished') await again.session.resume();
    assert.deepEqual([await again.read('long.txt'), await again.read('b.txt')], [RUN['long.txt'], 'b of the user\n']);
    const rest = await again.assistant.worktree(again.session);
    assert.deepEqual(await left(rest), ['b.txt']);
    await applyAll(again, rest);
    assert.equal(await again.read('b.txt'), 'b of the run\n');
    assert.deepEqual([directories(again), again.session.state.worktree], [[], undefined]);
  });

  it('goes on there: a later run changes the worktree, and what it adds is offered with the rest', async () => {
    const more = [turn(edit('c.txt', 'c\n', 'c, longer\n')), turn(say('Done.'))];
    const kedge = await onRepository([...script(), ...more]);
    await using _ = kedge;
    await kedge.write('long.txt', LONG);
    const worktree = await runInWorktree(kedge);
    await applyPart(kedge, worktree, { 'b.txt': 'refused', 'c.txt': 'refused' });
    await kedge.session.prompt({ text: 'More.', mode: 'agent' });
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual(await left(worktree), ['b.txt', 'c.txt']);
    await applyAll(kedge, worktree);
    assert.equal(await kedge.read('c.txt'), 'c, longer\n');
    assert.equal(kedge.session.state.worktree, undefined);
  });
});

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRef } from '../../../src/core/model/messages.ts';
import type { Revision } from '../../../src/core/session/effects.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { encodeText } from '../../../src/workspace/content.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const done = turn(say('Done.'));
const lines = (...changed: [number, string][]) =>
  Array.from({ length: 30 }, (_, index) => `${changed.find(([at]) => at === index)?.[1] ?? `line ${index}`}\n`).join('');
const replace = (path: string, ...edits: [string, string][]) =>
  call('replace_in_file', { path, edits: edits.map(([old_text, new_text]) => ({ old_text: `${old_text}\n`, new_text: `${new_text}\n` })) });
const FAR: [string, string][] = [
  ['line 2', 'two'],
  ['line 15', 'fifteen'],
  ['line 28', 'twenty-eight'],
];
const proposal = turn(replace('a.txt', ...FAR));
const PATCH = `*** Begin Patch
*** Update File: a.txt
@@
-line 2
+two
*** Delete File: b.txt
*** Add File: c.txt
+c
*** Update File: d.txt
*** Move to: e.txt
@@
-line 2
+two
*** End Patch`;
const patch = call('apply_patch', { input: PATCH });
/** OpenAI's models are offered patches. */
const PATCHER = { provider: 'scripted', model: 'gpt-6' };

async function untilAsked({ session }: Harness, model?: ModelRef): Promise<{ approvalId: string; ended: Promise<void> }> {
  const asked = nextEvent(session, 'approval_requested');
  const ended = session.prompt({ text: 'go', mode: 'agent', ...(model && { model }) });
  const { approvalId } = await asked;
  return { approvalId, ended };
}

async function revisedTo(kedge: Harness, revised: Revision, model?: ModelRef): Promise<void> {
  const { approvalId, ended } = await untilAsked(kedge, model);
  await kedge.session.answerApproval(approvalId, { approve: true, revised });
  await ended;
}

describe('the review of a file in which the user has changed a line of the run', () => {
  it('shows the other hunks, and undoes them without that line', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines() }, [proposal, done]);
    const { approvalId, ended } = await untilAsked(kedge);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    const { changes, state } = kedge.session;
    const runId = state.lastRun?.runId ?? '';
    await kedge.write('a.txt', lines([2, 'two'], [15, 'mine'], [28, 'twenty-eight']));
    const review = await changes.review(runId, 'a.txt');
    assert.ok('digest' in review);
    assert.deepEqual([review.added, review.removed], [2, 2]);
    await changes.undo(runId, { path: 'a.txt', hunk: { index: 1, digest: review.digest } });
    assert.equal(await kedge.read('a.txt'), lines([2, 'two'], [15, 'mine']));
    // The file as a whole is still refused.
    await changes.undo(runId, { path: 'a.txt' });
    assert.equal(lastOf(kedge.events, 'changes_undone').results[0]?.outcome, 'refused');
  });
});

describe('a proposal that the user revises', () => {
  it('is written without the rejected hunks, and the model learns which', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines() }, [proposal, done]);
    await revisedTo(kedge, { 'a.txt': { without: [1] } });
    assert.equal(await kedge.read('a.txt'), lines([2, 'two'], [28, 'twenty-eight']));
    const [result = ''] = resultTexts(kedge.session);
    assert.match(result, /accepted only a part of this change, or edited it.*Do not propose the rejected parts/);
    assert.match(result, /- a\.txt: the diff from your proposal to the written content:\n@@.*\n(?:.*\n)*-fifteen\n\+line 15/);
    const [shown, landed] = [lastOf(kedge.events, 'approval_requested'), lastOf(kedge.events, 'file_changed')];
    assert.notEqual(lastOf(kedge.events, 'approval_resolved').digest, shown.digest);
    assert.deepEqual([landed.changes[0]?.added, landed.changes[0]?.removed], [2, 2]);
  });

  it('is written as the user edited it', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines() }, [proposal, done]);
    const content = await new DiskBlobs(join(kedge.storage, 'blobs')).put(encodeText('mine\n'));
    await revisedTo(kedge, { 'a.txt': { content } });
    assert.equal(await kedge.read('a.txt'), 'mine\n');
    assert.match(resultTexts(kedge.session)[0] ?? '', /\+mine/);
  });

  it('with a rejected file leaves this file unchanged: a new one, a deleted one, a moved one', async () => {
    const files = { 'a.txt': lines(), 'b.txt': 'b\n', 'd.txt': lines() };
    for (const [revised, expected] of [
      [{ 'b.txt': 'refused' }, ['a.txt', 'b.txt', 'c.txt', 'e.txt']],
      [{ 'c.txt': { without: [0] } }, ['a.txt', 'e.txt']],
      [{ 'e.txt': 'refused' }, ['a.txt', 'c.txt', 'd.txt']],
      [{ 'd.txt': 'refused' }, ['a.txt', 'c.txt', 'd.txt']],
      [{ 'e.txt': { without: [0] } }, ['a.txt', 'c.txt', 'e.txt']],
    ] as [Revision, string[]][]) {
      await using kedge = await assistantOn(files, [turn(patch), done]);
      await revisedTo(kedge, revised, PATCHER);
      const left = Object.keys(await kedge.snapshot()).flatMap((path) => /^workspace\/(.+[^/])$/.exec(path)?.[1] ?? []);
      assert.deepEqual(left, expected, JSON.stringify(revised));
      if (left.includes('e.txt')) assert.equal(await kedge.read('e.txt'), 'e.txt' in revised ? lines() : lines([2, 'two']));
      await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
      assert.deepEqual([await kedge.read('a.txt'), await kedge.read('b.txt'), await kedge.read('d.txt')], Object.values(files));
    }
  });

  it('is rejected if all of its parts are rejected', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines() }, [proposal, done]);
    await revisedTo(kedge, { 'a.txt': { without: [0, 1, 2] } });
    assert.equal(await kedge.read('a.txt'), lines());
    assert.deepEqual(lastOf(kedge.events, 'approval_resolved').answer, { approve: false });
    assert.deepEqual(resultTexts(kedge.session), ['ERROR The user rejected this.']);
  });

  it('is unchanged if nothing is rejected', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines() }, [proposal, done]);
    await revisedTo(kedge, { 'a.txt': { without: [] } });
    assert.deepEqual(lastOf(kedge.events, 'approval_resolved').answer, { approve: true });
    assert.deepEqual(resultTexts(kedge.session), ['Replaced 3 passages in a.txt.']);
  });

  it('cannot include another file, or a content that is not stored', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines(), 'b.txt': 'b' }, [proposal, done]);
    const { approvalId, ended } = await untilAsked(kedge);
    const answer = (revised: Revision) => kedge.session.answerApproval(approvalId, { approve: true, revised });
    await assert.rejects(answer({ 'b.txt': 'refused' }), /b\.txt is not part of this change/);
    await assert.rejects(answer({ 'a.txt': { content: 'f'.repeat(64) } }), /no longer stored/);
    await kedge.session.answerApproval(approvalId, { approve: false });
    await ended;
    assert.equal(await kedge.read('b.txt'), 'b');
  });

  it('can be answered after a reload, and an answer before a crash still counts', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines() }, [proposal, done]);
    const { approvalId } = await untilAsked(kedge);
    const later = await kedge.reload();
    await later.session.answerApproval(approvalId, { approve: true, revised: { 'a.txt': { without: [0, 2] } } });
    assert.equal(await later.read('a.txt'), lines([15, 'fifteen']));
    assert.equal(lastOf(later.events, 'run_finished').outcome, 'answered');
  });

  it('needs a new approval if the file changed between the answer and the write', async () => {
    await using kedge = await assistantOn({ 'a.txt': lines() }, [proposal, done]);
    const { approvalId } = await untilAsked(kedge);
    await kedge.write('a.txt', lines([20, 'mine']));
    const later = await kedge.reload();
    const again = nextEvent(later.session, 'approval_requested');
    void later.session.answerApproval(approvalId, { approve: true, revised: { 'a.txt': { without: [1] } } });
    const asked = await again;
    assert.notEqual(asked.approvalId, approvalId);
    const ended = nextEvent(later.session, 'run_finished');
    await later.session.answerApproval(asked.approvalId, { approve: true });
    await ended;
    assert.equal(await later.read('a.txt'), lines([2, 'two'], [15, 'fifteen'], [20, 'mine'], [28, 'twenty-eight']));
  });
});

describe('the review of a run', () => {
  const edits = [proposal, done];
  const runOf = ({ session }: Harness) => session.state.lastRun?.runId ?? '';

  async function ran(script = edits): Promise<Harness> {
    const kedge = await assistantOn({ 'a.txt': lines(), 'b.txt': 'b\n' }, script);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    return kedge;
  }

  async function undoHunk(kedge: Harness, index: number): Promise<void> {
    const review = await kedge.session.changes.review(runOf(kedge), 'a.txt');
    assert.ok('digest' in review);
    await kedge.session.changes.undo(runOf(kedge), { path: 'a.txt', hunk: { index, digest: review.digest } });
  }

  it('undoes one hunk, and the rest can be undone later', async () => {
    await using kedge = await ran();
    await undoHunk(kedge, 1);
    assert.equal(await kedge.read('a.txt'), lines([2, 'two'], [28, 'twenty-eight']));
    assert.ok(!kedge.session.state.undone.has(runOf(kedge)));
    await undoHunk(kedge, 1);
    assert.equal(await kedge.read('a.txt'), lines([2, 'two']));
    await kedge.session.changes.undo(runOf(kedge));
    assert.equal(await kedge.read('a.txt'), lines());
    assert.ok(kedge.session.state.undone.has(runOf(kedge)));
  });

  it('keeps the user’s own lines, and does not show them as changes of the run', async () => {
    await using kedge = await ran();
    await kedge.write('a.txt', lines([2, 'two'], [9, 'mine'], [15, 'fifteen'], [28, 'twenty-eight']));
    const review = await kedge.session.changes.review(runOf(kedge), 'a.txt');
    assert.ok('diff' in review && !/[+-]mine/.test(review.diff) && review.added === 3);
    await undoHunk(kedge, 0);
    assert.equal(await kedge.read('a.txt'), lines([9, 'mine'], [15, 'fifteen'], [28, 'twenty-eight']));
    await kedge.session.changes.undo(runOf(kedge), { path: 'a.txt' });
    assert.equal(await kedge.read('a.txt'), lines([9, 'mine']));
    assert.equal(lastOf(kedge.events, 'changes_undone').results[0]?.outcome, 'merged');
  });

  it('refuses a hunk of a file that differs from the displayed one', async () => {
    await using kedge = await ran();
    const review = await kedge.session.changes.review(runOf(kedge), 'a.txt');
    assert.ok('digest' in review);
    await kedge.write('a.txt', lines([2, 'two']));
    await kedge.session.changes.undo(runOf(kedge), { path: 'a.txt', hunk: { index: 0, digest: review.digest } });
    assert.deepEqual(lastOf(kedge.events, 'changes_undone').results[0]?.outcome, 'refused');
    assert.equal(await kedge.read('a.txt'), lines([2, 'two']));
  });

  it('undoes one file of several', async () => {
    await using kedge = await ran([turn(replace('a.txt', ...FAR), replace('b.txt', ['b', 'B'])), done]);
    await kedge.session.changes.undo(runOf(kedge), { path: 'b.txt' });
    assert.deepEqual(
      [await kedge.read('a.txt'), await kedge.read('b.txt')],
      [lines([2, 'two'], [15, 'fifteen'], [28, 'twenty-eight']), 'b\n'],
    );
  });
});

describe('restoring', () => {
  const step = (from: string, to: string) => turn(replace('a.txt', [from, to]));
  const script = [
    turn(replace('a.txt', ['line 2', 'two']), call('create_file', { path: 'new.txt', content: 'n\n' })),
    done,
    step('line 15', 'fifteen'),
    turn(call('delete_file', { path: 'b.txt' })),
    done,
    step('two', 'zwei'),
    done,
  ];

  async function threeRuns(): Promise<{ kedge: Harness; runs: string[]; calls: string[] }> {
    const kedge = await assistantOn({ 'a.txt': lines(), 'b.txt': 'b\n' }, script);
    answerAll(kedge.session, { approve: true });
    for (const text of ['one', 'two', 'three']) await kedge.session.prompt({ text, mode: 'agent' });
    const calls = eventsOf(kedge.events, 'file_changed').map(({ callId }) => callId);
    return { kedge, runs: [...kedge.session.state.runs.keys()], calls };
  }
  const stateOf = async (kedge: Harness) => {
    const { '/': _, 'workspace/': __, ...files } = await kedge.snapshot();
    return files;
  };

  it('returns to the state after any step and back again, also after a reload', async () => {
    const { kedge: first, runs, calls } = await threeRuns();
    await using kedge = await first.reload();
    const end = await stateOf(kedge);
    const [a = '', , , d = ''] = calls;
    await kedge.session.changes.restore({ runId: runs[0] ?? '', callId: a });
    assert.deepEqual(await stateOf(kedge), { 'workspace/a.txt': lines([2, 'two']), 'workspace/b.txt': 'b\n' });
    const { undoId, results } = lastOf(kedge.events, 'changes_restored');
    assert.deepEqual(results.map(({ path, outcome }) => `${path} ${outcome}`).sort(), [
      'a.txt restored',
      'b.txt restored',
      'new.txt restored',
    ]);
    await kedge.session.changes.restore({ undoId });
    assert.deepEqual(await stateOf(kedge), end);
    await kedge.session.changes.restore({ runId: runs[1] ?? '' });
    assert.deepEqual(await stateOf(kedge), { 'workspace/a.txt': lines([2, 'two']), 'workspace/b.txt': 'b\n', 'workspace/new.txt': 'n\n' });
    await kedge.session.changes.restore({ runId: runs[1] ?? '', callId: d });
    assert.deepEqual(await stateOf(kedge), { 'workspace/a.txt': lines([2, 'two'], [15, 'fifteen']), 'workspace/new.txt': 'n\n' });
    await kedge.session.changes.restore({ runId: runs[0] ?? '' });
    assert.deepEqual(await stateOf(kedge), { 'workspace/a.txt': lines(), 'workspace/b.txt': 'b\n' });
  });

  it('merges later changes by others, and leaves files with conflicts unchanged', async () => {
    const { kedge: harness, runs } = await threeRuns();
    await using kedge = harness;
    await kedge.write('a.txt', lines([2, 'zwei'], [9, 'mine'], [15, 'fifteen']));
    await kedge.write('new.txt', 'mine\n');
    await kedge.session.changes.restore({ runId: runs[0] ?? '' });
    assert.deepEqual(await stateOf(kedge), {
      'workspace/a.txt': lines([9, 'mine']),
      'workspace/b.txt': 'b\n',
      'workspace/new.txt': 'mine\n',
    });
    const { undoId, results } = lastOf(kedge.events, 'changes_restored');
    assert.deepEqual(Object.fromEntries(results.map(({ path, outcome, reason }) => [path, reason ?? outcome])), {
      'a.txt': 'merged',
      'b.txt': 'restored',
      'new.txt': 'The file was changed after Kedge wrote it.',
    });
    await kedge.session.changes.restore({ undoId });
    assert.equal(await kedge.read('a.txt'), lines([2, 'zwei'], [9, 'mine'], [15, 'fifteen']));
  });

  it('undoes one run of several by merging, if a later run changed the same file', async () => {
    const { kedge: harness, runs } = await threeRuns();
    await using kedge = harness;
    await kedge.session.changes.undo(runs[1] ?? '');
    assert.equal(await kedge.read('a.txt'), lines([2, 'zwei']));
    assert.equal(await kedge.read('b.txt'), 'b\n');
    const undo = lastOf(kedge.events, 'changes_undone');
    await kedge.session.changes.restore({ undoId: undo.undoId ?? '' });
    assert.equal(await kedge.read('a.txt'), lines([2, 'zwei'], [15, 'fifteen']));
    assert.ok(!kedge.session.state.undone.has(runs[1] ?? ''));
    await kedge.session.changes.undo(runs[1] ?? '');
    assert.equal(await kedge.read('a.txt'), lines([2, 'zwei']));
  });

  it('tells the model once which files changed', async () => {
    const { kedge: harness, runs } = await threeRuns();
    await using kedge = harness;
    await kedge.session.changes.restore({ runId: runs[2] ?? '' });
    await kedge.session.prompt({ text: 'go on', mode: 'ask' }).catch(() => undefined);
    const last = kedge.session.state.messages.findLast(({ role }) => role === 'user');
    assert.match(JSON.stringify(last?.content), /undone changes in a\.txt\./);
  });

  it('is not possible if nothing was written since', async () => {
    const { kedge: harness, runs, calls } = await threeRuns();
    await using kedge = harness;
    await assert.rejects(
      kedge.session.changes.restore({ runId: runs[2] ?? '', callId: calls.at(-1) ?? '' }),
      /not changed any files since this point/,
    );
    await assert.rejects(kedge.session.changes.restore({ runId: 'none' }), /not changed any files since this point/);
  });

  it('reports each file whose content is no longer stored', async () => {
    const { kedge: harness, runs } = await threeRuns();
    await using kedge = harness;
    await rm(join(kedge.storage, 'blobs'), { recursive: true });
    await kedge.session.changes.restore({ runId: runs[1] ?? '' });
    const { results } = lastOf(kedge.events, 'changes_restored');
    assert.ok(results.every(({ outcome, reason }) => outcome === 'refused' && reason === 'The earlier content is no longer stored.'));
  });
});

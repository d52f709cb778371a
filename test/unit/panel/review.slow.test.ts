import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { splitHunks } from '../../../src/core/run/hunk-revision.ts';
import type { ChangeSummary } from '../../../src/core/session/effects.ts';
import { choiceOf } from '../../../webview-ui/hunk-choice.ts';
import type { PanelModel } from '../../../webview-ui/model.ts';
import { EMPTY, reduce } from '../../../webview-ui/state.ts';
import { deliver, longestCpu } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { host, Script, STATES, session } from '../../support/panel-states.ts';

const HASH = 'a'.repeat(64);
const change = (path: string, hunks: number, extra: Partial<ChangeSummary> = {}): ChangeSummary => ({
  path,
  kind: 'edit',
  added: hunks,
  removed: hunks,
  diff: Array.from({ length: hunks }, (_, at) => `@@ -${at * 20 + 1},1 +${at * 20 + 1},1 @@\n-@@ old\n+new`).join('\n'),
  ...extra,
});

describe('the choice of hunks', () => {
  const changes = [change('a', 3), change('b', 1), change('gone', 0, { kind: 'delete', diff: '' })];

  it('contains everything until something is rejected, and then the rest', () => {
    assert.deepEqual(choiceOf({ changes }, {}), { total: 5, accepted: 5, files: 3, isEdited: false });
    const { accepted, revised } = choiceOf({ changes }, { a: [1], gone: [0] });
    assert.equal(accepted, 3);
    assert.deepEqual(revised, { a: { without: [1] }, gone: 'refused' });
    assert.deepEqual(choiceOf({ changes }, { a: [0, 1, 2], b: [0], gone: [0] }).accepted, 0);
  });

  it('counts a moved file once', () => {
    const moved = [change('to', 1, { kind: 'move', from: 'from' }), change('from', 0, { kind: 'delete', diff: '' })];
    assert.equal(choiceOf({ changes: moved }, {}).total, 1);
    assert.deepEqual(choiceOf({ changes: moved }, { to: [0] }).revised, { to: 'refused' });
  });

  it('treats a file that the user edited as one piece', () => {
    const edited = { a: { content: HASH, diff: '', added: 0, removed: 0 } };
    assert.deepEqual(choiceOf({ changes, edited }, { b: [0] }), {
      total: 3,
      accepted: 2,
      files: 3,
      isEdited: true,
      revised: { a: { content: HASH }, b: 'refused' },
    });
  });

  it('separates hunks only at the lines that begin a hunk', () => {
    assert.equal(splitHunks(change('a', 4).diff).length, 4);
    assert.equal(splitHunks(`--- a\n+++ b\n${change('a', 2).diff}`).length, 2);
    assert.deepEqual(splitHunks('Binary file.'), []);
  });
});

describe('the panel after an undo', () => {
  const two = () => new Script().run('agent', 'one').finishes().run('agent', 'two').finishes();
  const folded = (script: Script): PanelModel => reduce(reduce(EMPTY, host('agent')), session(script, false));

  it('shows a restore until the next run, and the runs that it undid', () => {
    const script = two().add({ type: 'changes_restored', undoId: 'r', to: { runId: 'run-1', callId: 'c' }, results: [] });
    const model = folded(script);
    assert.equal(model.restored?.undoId, 'r');
    assert.deepEqual(
      model.runs.map(({ restoredBy }) => restoredBy),
      [undefined, 'r'],
    );
    const redone = folded(script.add({ type: 'changes_restored', undoId: 's', to: { undoId: 'r' }, results: [] }));
    assert.ok(redone.runs.every(({ restoredBy }) => restoredBy === undefined));
    assert.equal(folded(script.run('agent', 'three')).restored, undefined);
  });

  it('keeps a run with one undone file, and drops the displayed changes of this file', () => {
    const script = two();
    const shown = reduce(folded(script), {
      type: 'file_review',
      runId: 'run-2',
      path: 'a',
      review: { diff: '', added: 0, removed: 0, digest: HASH },
    });
    assert.ok(shown.runs[1]?.reviews?.a);
    const results = [{ path: 'a', outcome: 'restored' as const }];
    const event = { type: 'changes_undone', undoneRunId: 'run-2', undoId: 'u', part: { path: 'a', hunk: 0 }, results } as const;
    const [, run] = reduce(shown, {
      type: 'events',
      sessionId: 'session-1',
      running: false,
      events: [{ ...event, runId: 'run-2', seq: shown.lastSeq + 1, at: 0 }],
    }).runs;
    assert.deepEqual([run?.undone, run?.reviews, run?.parts?.a?.hunk], [undefined, undefined, true]);
  });
});

describe('the review in a browser', () => {
  const panel = panelPage();
  let page: Page;
  const open = async (state: string) => {
    page = await panel.open(state);
  };
  const { posted } = panel;
  const answers = async () => (await posted()).filter(({ type }) => type !== 'choose_hunks');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true });

  it('rejects hunks and files by keyboard, and applies the others', async () => {
    await open('approval-hunks');
    await button('Approve 3 files').waitFor();
    await box('Hunk 2 of 3 in src/tide.ts, accepted').focus();
    await page.keyboard.press('Space');
    await box('Hunk 2 of 3 in src/tide.ts, rejected').waitFor();
    await box('src/options.ts, accepted').uncheck();
    await box('src/tide.ts, 2 of 3 hunks accepted').waitFor();
    await button('Apply 3 of 5 hunks').click();
    const revised = { 'src/tide.ts': { without: [1] }, 'src/options.ts': 'refused' };
    assert.deepEqual(await posted(), [
      { type: 'choose_hunks', approvalId: 'approval-1', path: 'src/tide.ts', rejected: [1] },
      { type: 'choose_hunks', approvalId: 'approval-1', path: 'src/options.ts', rejected: [0] },
      { type: 'answer_approval', approvalId: 'approval-1', answer: { approve: true, revised } },
    ]);
  });

  it('follows what is chosen in the editor', async () => {
    await open('approval-hunks');
    await button('Approve 3 files').waitFor();
    await deliver(page, [{ type: 'hunks_chosen', approvalId: 'approval-1', rejected: { 'src/tide.ts': [1] } }]);
    await box('Hunk 2 of 3 in src/tide.ts, rejected').waitFor();
    await button('Apply 4 of 5 hunks').click();
    const revised = { 'src/tide.ts': { without: [1] } };
    assert.deepEqual(await posted(), [{ type: 'answer_approval', approvalId: 'approval-1', answer: { approve: true, revised } }]);
  });

  it('rejects the change if everything is rejected', async () => {
    await open('approval-hunks');
    for (const path of ['src/tide.ts', 'src/harbour/very/deep/in/it/harbour.ts', 'src/options.ts'])
      await box(`${path}, accepted`).uncheck();
    await button('Reject all').click();
    assert.deepEqual(await answers(), [{ type: 'answer_approval', approvalId: 'approval-1', answer: { approve: false } }]);
  });

  it('opens a proposal in an editor, and applies the edited text', async () => {
    await open('approval-hunks');
    await box('Hunk 2 of 3 in src/tide.ts, accepted').uncheck();
    await button('Edit the proposal for src/tide.ts').click();
    assert.deepEqual(await answers(), [{ type: 'edit_proposal', approvalId: 'approval-1', path: 'src/tide.ts', without: [1] }]);
    const diff = '@@ -1,1 +1,1 @@\n-a\n+mine';
    await deliver(page, [
      { type: 'proposal_edited', approvalId: 'approval-1', path: 'src/tide.ts', content: HASH, diff, added: 1, removed: 1 },
    ]);
    await page.getByText('edited by you').waitFor();
    await button('Apply as edited').click();
    const revised = { 'src/tide.ts': { content: HASH } };
    assert.deepEqual((await posted()).at(-1), { type: 'answer_approval', approvalId: 'approval-1', answer: { approve: true, revised } });
  });

  it('undoes a file, and one of the displayed hunks', async () => {
    await open('changed-review');
    await button('Undo changes in src/harbour/very/deep/in/it/harbour.ts').click();
    await button('Remaining changes in src/tide.ts').click();
    await button('Undo hunk 3 of 3 in src/tide.ts').click();
    assert.deepEqual(await posted(), [
      { type: 'undo_part', runId: 'run-1', path: 'src/harbour/very/deep/in/it/harbour.ts' },
      { type: 'undo_part', runId: 'run-1', path: 'src/tide.ts', hunk: { index: 2, digest: HASH } },
    ]);
  });

  it('requests the remaining changes of a file when it is opened', async () => {
    await open('changed-review');
    await button('Remaining changes in src/harbour/very/deep/in/it/harbour.ts').click();
    await page.waitForFunction(() => (window.posted as { type: string }[]).some(({ type }) => type === 'review_file'));
    assert.deepEqual(await posted(), [{ type: 'review_file', runId: 'run-1', path: 'src/harbour/very/deep/in/it/harbour.ts' }]);
  });

  it('restores the state before a prompt and after a step, and undoes the restore', async () => {
    await open('restored');
    await button('Undo restore').click();
    await button('Restore the files to their state before this prompt').click();
    await page.getByRole('button', { name: /1 step/ }).click();
    await button('Restore the files to their state after this step').click();
    assert.deepEqual(await posted(), [
      { type: 'restore', to: { undoId: 'restore-1' } },
      { type: 'restore', to: { runId: 'run-1' } },
      { type: 'restore', to: { runId: 'run-1', callId: 'call-1' } },
    ]);
  });

  /** Returns the CPU time of the page's longest task, in milliseconds, while this many files are displayed and selected. */
  async function longestTask(files: number): Promise<number> {
    page = await panel.show([host('agent')]);
    const message = structuredClone(STATES['approval-many']?.messages[1]);
    assert.ok(message?.type === 'session');
    for (const event of message.events) if (event.type === 'approval_requested') event.changes?.splice(files);
    await panel.browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
    await deliver(page, [message]);
    await button(`Approve ${files} files`).waitFor();
    await box('Hunk 2 of 3 in src/module-1/part.ts, accepted').uncheck();
    await button(`Apply ${files * 3 - 1} of ${files * 3} hunks`).waitFor();
    // By keyboard: files that are drawn when they scroll into view could move the button away from the mouse.
    await page.getByRole('button', { name: /^Show 40 more files/ }).press('Enter');
    await box('src/module-50/part.ts, accepted').waitFor();
    const longest = longestCpu(await panel.browser.stopTracing());
    return longest;
  }

  it('renders 200 files in tasks about as short as those for 60, because it renders no more of them at once', async () => {
    let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 5 && !(many < 2 * few); round++) {
      few = Math.min(few, await longestTask(60));
      many = Math.min(many, await longestTask(200));
    }
    assert.ok(many < 2 * few, `the longest task takes ${Math.round(many)} ms for 200 files and ${Math.round(few)} ms for 60`);
  });
});

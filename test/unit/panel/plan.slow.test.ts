import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { checkDraft, checkOf, editedPlan, filesOf, moveItem } from '../../../webview-ui/plan-edit.ts';
import { EMPTY, liveRun, reduce } from '../../../webview-ui/state.ts';
import { deliver } from '../../support/panel-gallery.ts';
import { panelPage } from '../../support/panel-page.ts';
import { PLAN, Script, STATES, session } from '../../support/panel-states.ts';
import { RICH } from '../../support/plan-states.ts';

describe('an edit of a plan', () => {
  it('keeps every kind of check unchanged', () => {
    for (const { check } of RICH.steps) assert.deepEqual(checkOf(checkDraft(check)), check);
    assert.equal(checkOf(checkDraft(undefined)), undefined);
    assert.equal(checkOf({ kind: 'command', text: '  ', glob: '' }), undefined);
    assert.deepEqual(checkOf({ kind: 'search', text: ' a ', glob: '' }), { search_empty: { pattern: 'a' } });
  });

  it('creates a new revision without the hash of the old one', () => {
    const next = editedPlan(RICH, ' Other ', RICH.steps, []);
    assert.ok(typeof next === 'object');
    assert.deepEqual([next.goal, next.revision, next.hash, next.checks], ['Other', 3, undefined, undefined]);
    assert.equal(editedPlan(RICH, ' ', RICH.steps, []), 'Describe the goal.');
    assert.equal(editedPlan(RICH, 'g', [], []), 'A plan needs at least one step. Add a step.');
    assert.equal(editedPlan(RICH, 'g', [{ title: ' ', files: [] }], []), 'Describe what step 1 does.');
    assert.deepEqual(
      [filesOf('a, b\n\na'), moveItem([1, 2, 3], 2, 0), moveItem([1, 2], 0, -1)],
      [
        ['a', 'b'],
        [3, 1, 2],
        [1, 2],
      ],
    );
  });
});

describe('a running plan in the panel', () => {
  const shown = (name: string) => (STATES[name]?.messages ?? []).reduce(reduce, EMPTY);
  const last = (name: string) => shown(name).runs.at(-1);

  it('shows the changes of each step, the result of its check, and what was rolled back', () => {
    const steps = last('plan-steps')?.steps;
    assert.deepEqual([steps?.[1]?.files, steps?.[1]?.check?.outcome], [['src/tide.ts'], 'passed']);
    assert.deepEqual([steps?.[2]?.status, steps?.[2]?.check?.outcome, steps?.[2]?.rolledBack], ['skipped', 'failed', true]);
  });

  it('does not count changes that were rolled back', () => {
    const script = new Script().run('agent', 'Go', PLAN).add({ type: 'plan_step', planId: PLAN.id, step: 1, status: 'started' });
    const change = { kind: 'edit', added: 1, removed: 1, diff: '' } as const;
    script.calls('edit_file', 'Edit', {}).add({ type: 'file_changed', callId: script.lastCall, changes: [{ path: 'a.ts', ...change }] });
    script.add({
      type: 'step_rolled_back',
      planId: PLAN.id,
      step: 1,
      undoId: 'u',
      results: [{ path: 'a.ts', outcome: 'restored' }],
    });
    const run = reduce(EMPTY, session(script, true)).runs.at(-1);
    assert.deepEqual([run?.changes, run?.steps[1]?.files], [[], []]);
  });

  it('has a new revision after it was extended', () => {
    const run = last('plan-widened');
    assert.deepEqual([run?.plan?.revision, run?.revised], [3, 'You allowed step 1 to change src/units.ts.']);
    assert.deepEqual(run?.plan?.steps[0]?.files.at(-1), 'src/units.ts');
  });

  it('is opened for editing when its run pauses for that', () => {
    assert.equal(shown('plan-paused').editing, RICH.id);
    assert.equal(liveRun(shown('plan-paused')), undefined);
  });

  it('is marked as replaced by the plan that the model proposed instead', () => {
    const script = new Script()
      .run('plan', 'Rename')
      .add({ type: 'plan_proposed', plan: PLAN })
      .finishes('plan_proposed')
      .run('plan', 'Fewer steps')
      .add({ type: 'plan_proposed', plan: { ...PLAN, id: 'plan-2', supersedes: PLAN.id } })
      .finishes('plan_proposed');
    const { runs } = reduce(EMPTY, session(script, false));
    assert.deepEqual(
      runs.map(({ proposal }) => proposal?.resolved),
      ['superseded', undefined],
    );
  });

  it('begins with the steps that an earlier run has finished', () => {
    const script = new Script()
      .run('agent', 'Go', PLAN)
      .add({ type: 'plan_step', planId: PLAN.id, step: 1, status: 'done' })
      .add({ type: 'plan_step', planId: PLAN.id, step: 2, status: 'started' })
      .finishes('stopped');
    const first = script.runId;
    script.run('agent', 'Go on', PLAN);
    const started = script.events.findLast(({ type }) => type === 'run_started');
    if (started?.type === 'run_started') started.resumes = first;
    assert.deepEqual(reduce(EMPTY, session(script, true)).runs.at(-1)?.steps, { 1: { status: 'done' } });
  });
});

describe('the cards of a plan in a browser', () => {
  const panel = panelPage();
  let page: Page;
  const open = async (state: string) => {
    page = await panel.open(state);
  };
  // By keyboard, because the cards may still move while they are drawn, so that a click misses the button.
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).press('Enter');
  const { posted } = panel;

  it('show the command of a check as it will run, and the revision with its hash', async () => {
    await open('plan-typed');
    await page.getByText('npm test -- --grep "tide tables of the harbour"').waitFor();
    await page.getByText('revision 2 · 1a2b3c4').waitFor();
  });

  it('can add a step with files and a check', async () => {
    await open('plan-typed');
    await press('Edit plan');
    await press('Add step');
    const step = page.getByRole('group', { name: 'Step 5' });
    await step.getByLabel('What it does').fill('Note it');
    await step.getByLabel('Files it may change, one per line').fill('notes/*.md');
    await step.getByLabel('Check after step 5').selectOption({ label: 'A command succeeds' });
    await step.getByLabel('Command').fill('npm run lint');
    await press('Save');
    await press('Run plan');
    const [message] = (await posted()) as { plan?: typeof RICH }[];
    assert.deepEqual(message?.plan?.steps.slice(0, 4), RICH.steps);
    assert.deepEqual(message?.plan?.steps[4], { title: 'Note it', files: ['notes/*.md'], check: { command: 'npm run lint' } });
    assert.deepEqual([message?.plan?.revision, message?.plan?.hash], [3, undefined]);
  });

  it('show the agents of steps, and let the user choose another or none', async () => {
    await open('plan-agents');
    await page.getByText('agent coder').waitFor();
    await press('Edit plan');
    await deliver(page, [{ type: 'agents_found', agents: ['coder', 'reviewer'] }]);
    await page.getByRole('option', { name: 'documentation-of-the-harbor (not found)' }).waitFor({ state: 'attached' });
    await page.getByLabel('Agent of step 1').selectOption({ label: 'reviewer' });
    await page.getByLabel('Agent of step 4').selectOption({ label: 'None' });
    await press('Save');
    await page.getByText('agent reviewer').waitFor();
    await press('Run plan');
    const [message] = (await posted()) as { plan?: typeof RICH }[];
    assert.deepEqual(
      message?.plan?.steps.map(({ agent }) => agent),
      ['reviewer', undefined, undefined, undefined],
    );
  });

  it('can add and remove a check at the end', async () => {
    await open('plan-typed');
    await press('Edit plan');
    await page.getByLabel('Check 1 at the end').selectOption({ label: 'None' });
    await press('Add check at the end');
    await page.getByLabel('Check 3 at the end').selectOption({ label: 'A search finds nothing' });
    await page.getByLabel('Regular expression').last().fill('TODO');
    await press('Save');
    await press('Run plan');
    const [message] = (await posted()) as { plan?: typeof RICH }[];
    assert.deepEqual(message?.plan?.checks, [{ command: 'npm run check && npm test' }, { search_empty: { pattern: 'TODO' } }]);
  });

  it('can be run with edits outside the plan allowed; Escape closes that choice', async () => {
    await open('plan-typed');
    const choice = page.getByRole('button', { name: 'Run plan and allow these edits' });
    await press('More options to run the plan');
    await choice.press('Escape');
    await choice.waitFor({ state: 'detached' });
    await press('More options to run the plan');
    await choice.press('Enter');
    const [message] = (await posted()) as { type: string; answer?: string; allowEdits?: boolean }[];
    assert.deepEqual([message?.type, message?.answer, message?.allowEdits], ['answer_plan', 'run', true]);
  });

  it('allow all edits outside the plan in its run, and no longer', async () => {
    await open('plan-deviation');
    await press('More approval options');
    const group = page.getByRole('group', { name: 'Allow edits outside the plan' });
    assert.deepEqual(await group.getByRole('button').allInnerTexts(), ['For this run']);
    await group.getByRole('button').press('Enter');
    assert.deepEqual(await posted(), [
      { type: 'answer_approval', approvalId: 'deviation', answer: { approve: true, grant: 'run', covers: 0 } },
    ]);
  });

  it('show a failed check at the end with its output, and continue the plan', async () => {
    await open('plan-end-check-failed');
    await page.getByRole('region', { name: 'Check output' }).getByText('expected 2.4, got 7.9').waitFor();
    await press('Resume plan');
    assert.deepEqual(await posted(), [{ type: 'resume_plan', planId: RICH.id }]);
  });

  it('send the user’s words to the model, by keyboard', async () => {
    await open('plan-typed');
    await press('Ask for changes…');
    await page.keyboard.type('Fewer steps.');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [{ type: 'change_plan', planId: RICH.id, words: 'Fewer steps.' }]);
  });

  it('open the plan as Markdown', async () => {
    await open('plan-typed');
    await press('Open as Markdown');
    assert.deepEqual(await posted(), [{ type: 'save_plan', planId: RICH.id }]);
  });

  for (const [button, answer] of [
    ['Allow once', { approve: true }],
    ['Add to the plan', { approve: true, widen: true }],
  ] as const) {
    it(`answer a deviation: ${button}`, async () => {
      await open('plan-deviation');
      await press(button);
      assert.deepEqual(await posted(), [{ type: 'answer_approval', approvalId: 'deviation', answer }]);
    });
  }

  it('reject a deviation, with a message', async () => {
    await open('plan-deviation');
    await press('Reject…');
    await page.keyboard.type('Not that.');
    await page.keyboard.press('Enter');
    assert.deepEqual(await posted(), [
      { type: 'answer_approval', approvalId: 'deviation', answer: { approve: false, words: 'Not that.' } },
    ]);
  });

  it('keep finished steps while a started plan is edited', async () => {
    await open('plan-stopped');
    await press('Edit plan');
    await page.getByRole('group', { name: 'Step 3' }).waitFor();
    assert.equal(await page.getByRole('group', { name: /^Step/ }).count(), 2);
    assert.equal(await page.getByRole('button', { name: 'Move step 3 up' }).isDisabled(), true);
    await press('Move step 4 up');
    await press('Save and continue');
    const [message] = (await posted()) as { type: string; was?: number[]; plan?: typeof RICH }[];
    assert.deepEqual([message?.type, message?.was], ['revise_plan', [1, 2, 4, 3]]);
    assert.equal(message?.plan?.steps[2]?.title, RICH.steps[3]?.title);
  });

  it('continue a stopped plan, and scroll a plan into view', async () => {
    await open('plan-stopped');
    await press('Resume plan');
    assert.deepEqual(await posted(), [{ type: 'resume_plan', planId: RICH.id }]);
    await deliver(page, [{ type: 'show_plan', planId: RICH.id }]);
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-plan') === 'plan-rich');
  });
});

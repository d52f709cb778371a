/** Tests the checks after the last step of a plan. */
import assert from 'node:assert/strict';
import { notesOf } from '../../../src/core/model/notes.ts';
import type { PlanDraft } from '../../../src/core/plan/plan.ts';
import { planOverviews } from '../../../src/core/plan/progress.ts';
import { planMarkdown } from '../../../src/core/view/plan-markdown.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const files = { 'a.txt': 'old\n', 'b.txt': 'old\n' };
const PLAN: PlanDraft = {
  goal: 'g',
  steps: [
    { title: 'One', files: ['a.txt'] },
    { title: 'Two', files: ['b.txt'] },
  ],
  checks: ['Read it once more.', { search_empty: { pattern: 'old' } }],
};
const edit = (path: string, to = 'new', from = 'old') => call('replace_in_file', { path, edits: [{ old_text: from, new_text: to }] });
const step = (number: number, status: string) => call('update_step', { step: number, status });
const done = turn(say('Done.'));
const one = turn(step(1, 'started'), edit('a.txt'), step(1, 'done'));
const two = (to: string) => turn(step(2, 'started'), edit('b.txt', to), step(2, 'done'));

async function planOn(plan: PlanDraft, ...turns: readonly ScriptedTurn[]): Promise<{ kedge: Harness; planId: string }> {
  const options = { commands: true, shellParsers: nodeShellParsers };
  const kedge = await assistantOn(files, [turn(call('propose_plan', plan)), ...turns], options);
  await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
  return { kedge, planId: lastOf(kedge.events, 'plan_proposed').plan.id };
}

const outcomes = (kedge: Harness) => eventsOf(kedge.session.events, 'plan_checked').map(({ outcome }) => outcome);

describe('a check after the last step', () => {
  it('runs once when all steps are finished, and is shown', async () => {
    const { kedge, planId } = await planOn(PLAN, one, two('new'), done);
    await using _ = kedge;
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual(outcomes(kedge), ['passed']);
    assert.match(
      resultTexts(kedge.session).at(-1) ?? '',
      /^Step 2 is done\. All steps are finished\. Check passed \(nothing matches old\)\.$/,
    );
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const run = kedge.session.state.lastRun;
    assert.ok(run?.plan);
    assert.match(planMarkdown(run.plan, run), /## Checks at the end\n\n- Read it once more\.\n- nothing matches `old`: passed\n/);
    assert.deepEqual(kedge.session.readView().runs.at(-1)?.endChecks, run.endChecks);
  });

  it('is repaired and validated like the check of a step', async () => {
    const plan = { ...PLAN, checks: [{ search_empty: 'old' }, '', { command: 'ls', glob: '' }] } as unknown as PlanDraft;
    const { kedge } = await planOn(plan);
    await using _ = kedge;
    assert.deepEqual(lastOf(kedge.events, 'plan_proposed').plan.checks, [{ search_empty: { pattern: 'old' } }, { command: 'ls' }]);
    const wrong = { ...PLAN, checks: [{ search_empty: { pattern: '(' } }] };
    await using other = await assistantOn(files, [turn(call('propose_plan', wrong)), done]);
    await other.session.prompt({ text: 'plan it', mode: 'plan' });
    assert.match(resultTexts(other.session)[0] ?? '', /^ERROR The pattern of search_empty is not a valid regular expression/);
  });

  it('runs at the end of a run whose model does not report steps', async () => {
    const { kedge, planId } = await planOn(PLAN, turn(edit('a.txt')), turn(edit('b.txt')), done);
    await using _ = kedge;
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual(outcomes(kedge), ['passed']);
  });

  it('is repeated after a command', async () => {
    const { kedge, planId } = await planOn(PLAN, one, two('new'), turn(call('run_command', { command: 'echo old > b.txt' })), done);
    await using _ = kedge;
    answerAll(kedge.session, { approve: true });
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual(outcomes(kedge), ['passed', 'failed']);
  });

  it('is not run while the run is paused', async () => {
    const { kedge, planId } = await planOn(PLAN, turn(edit('a.txt')), turn(edit('b.txt')), done);
    await using _ = kedge;
    kedge.session.subscribe((event) => {
      if (event.type === 'turn_started' && event.turn === 3) kedge.session.pause();
    });
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual([outcomes(kedge), kedge.session.state.lastRun?.status], [[], 'paused']);
    await kedge.session.resume();
    assert.deepEqual([outcomes(kedge), kedge.session.state.lastRun?.outcome], [['passed'], 'answered']);
  });

  it('does not run while steps are left', async () => {
    const { kedge, planId } = await planOn(PLAN, one, done);
    await using _ = kedge;
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual(outcomes(kedge), []);
  });

  it('fails the run, and trying again returns its output to the model, which may change all files of the plan', async () => {
    const { kedge, planId } = await planOn(PLAN, one, two('new and old'), done, turn(edit('b.txt', 'x', 'new and old')), done);
    await using _ = kedge;
    await kedge.session.plans.answer(planId, 'run');
    assert.match(
      resultTexts(kedge.session).at(-1) ?? '',
      /^ERROR Step 2 is done\.[\s\S]*Check failed \(nothing matches old\):\nb\.txt\n[\s\S]*report step 2 done again/,
    );
    const { outcome, error } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([outcome, error?.kind], ['failed', 'check']);
    assert.equal(error?.message, 'The plan did not pass a check after its last step: nothing matches old. Try again, or edit the plan.');
    assert.equal(planOverviews(kedge.session.state)[0]?.stage, 'stopped');
    await kedge.session.plans.resume(planId);
    const [note] = kedge.session.state.messages.flatMap(notesOf).slice(-1);
    assert.match(note?.text ?? '', /^The plan did not pass a check after its last step: nothing matches old\nb\.txt\n/);
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 0);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(outcomes(kedge), ['failed', 'failed', 'passed']);
    assert.equal(planOverviews(kedge.session.state)[0]?.stage, 'done');
  });

  it('lets the model correct its work in the same run', async () => {
    const mend = turn(edit('b.txt', 'x', 'new and old'), step(2, 'done'));
    const { kedge, planId } = await planOn(PLAN, one, two('new and old'), mend, done);
    await using _ = kedge;
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual(outcomes(kedge), ['failed', 'passed']);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('may then change the files of the plan only', async () => {
    const { kedge, planId } = await planOn(PLAN, one, two('new and old'), turn(call('create_file', { path: 'c.txt', content: 'c' })), done);
    await using _ = kedge;
    answerAll(kedge.session, { approve: false });
    await kedge.session.plans.answer(planId, 'run');
    assert.equal(lastOf(kedge.events, 'approval_requested').rule, 'outside-plan');
  });

  it('runs a harmless command without a question, asks before a dangerous one, and continues after a reload', async () => {
    const plan = { ...PLAN, checks: [{ command: 'cat a.txt' }, { command: 'rm b.txt' }] };
    const { kedge, planId } = await planOn(plan, one, two('new'), done);
    await using _ = kedge;
    const ended = kedge.session.plans.answer(planId, 'run');
    const { questionId, question } = await nextEvent(kedge.session, 'question_asked');
    assert.deepEqual([question.text, question.command?.text], ['Run a command to check the plan?', 'rm b.txt']);
    const again = await kedge.reload();
    await ended;
    await again.session.answerQuestion(questionId, { option: 'Skip' });
    assert.deepEqual(
      eventsOf(again.session.events, 'plan_checked')
        .map(({ outcome }) => outcome)
        .slice(-2),
      ['passed', 'not_run'],
    );
    assert.equal(again.session.state.lastRun?.outcome, 'answered');
    assert.equal(await kedge.read('b.txt'), 'new\n');
  });
});

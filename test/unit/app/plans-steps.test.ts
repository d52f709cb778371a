import assert from 'node:assert/strict';
import { type Message, textOf } from '../../../src/core/model/messages.ts';
import { notesOf } from '../../../src/core/model/notes.ts';
import { revisionHash } from '../../../src/core/plan/hash.ts';
import type { Plan, PlanDraft, PlanStep } from '../../../src/core/plan/plan.ts';
import { planOverviews } from '../../../src/core/plan/progress.ts';
import type { QuestionAnswer } from '../../../src/core/session/events.ts';
import { planMarkdown } from '../../../src/core/view/plan-markdown.ts';
import { receiptLine } from '../../../src/core/view/receipt.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const files = { 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': 'old\n', 'other.txt': 'old\n' };
const PLAN: PlanDraft = {
  goal: 'Make it new',
  steps: [
    { title: 'First', files: ['a.txt'], check: { search_empty: { pattern: 'old', glob: 'a.txt' } } },
    { title: 'Second', files: ['b.txt'] },
    { title: 'Third', files: ['c.txt'] },
  ],
};
const edit = (path: string, to = 'new') => call('replace_in_file', { path, edits: [{ old_text: 'old', new_text: to }] });
const step = (number: number, status: string) => call('update_step', { step: number, status });
const done = turn(say('Done.'));
const isFine = true as const;

/** Returns a running or finished run of the plan that the script proposes. */
async function confirmed(kedge: Harness, plan = PLAN): Promise<{ plan: Plan; run: Promise<void> }> {
  await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
  const proposed = lastOf(kedge.events, 'plan_proposed').plan;
  assert.equal(proposed.goal, plan.goal);
  return { plan: proposed, run: kedge.session.plans.answer(proposed.id, 'run') };
}

const script = (plan: PlanDraft, ...turns: ScriptedTurn[]) => [turn(call('propose_plan', plan)), ...turns];
const statuses = (kedge: Harness) => eventsOf(kedge.session.events, 'plan_step').map(({ step, status }) => `${step} ${status}`);
const rules = (kedge: Harness) =>
  eventsOf(kedge.session.events, 'tool_started').flatMap(({ effect, decision }) => (effect === 'readonly' ? [] : [decision.rule]));

/** Answers each question with the next of these answers. */
function answering(kedge: Harness, ...answers: (string | QuestionAnswer)[]): void {
  kedge.session.subscribe((event) => {
    if (event.type !== 'question_asked') return;
    const answer = answers.shift();
    assert.ok(answer, `Nobody expected to be asked: ${event.question.text}`);
    void kedge.session.answerQuestion(event.questionId, typeof answer === 'string' ? { option: answer } : answer);
  });
}

describe('the running step', () => {
  it('is the only one whose files may be written', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(step(1, 'started'), edit('b.txt')), done));
    const { run } = await confirmed(kedge);
    const asked = await nextEvent(kedge.session, 'approval_requested');
    assert.equal(asked.rule, 'outside-plan');
    assert.equal(asked.reason, 'Step 1 (First) may not change b.txt. It belongs to step 2 (Second).');
    await kedge.session.answerApproval(asked.approvalId, { approve: false, words: 'Later.' });
    await run;
    assert.equal(await kedge.read('b.txt'), 'old\n');
  });

  it('is started by a write in it and ended by a write in the next, if the model does not report steps', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(edit('a.txt'), edit('b.txt'), edit('c.txt')), done));
    const { run, plan } = await confirmed(kedge);
    await run;
    assert.deepEqual(statuses(kedge), ['1 started', '1 done', '2 started', '2 done', '3 started', '3 done']);
    assert.deepEqual(rules(kedge), ['confirmed-plan', 'confirmed-plan', 'confirmed-plan']);
    assert.equal(lastOf(kedge.events, 'step_checked').outcome, 'passed');
    assert.ok(eventsOf(kedge.events, 'plan_step').every(({ hash }) => hash === plan.hash));
    assert.equal(planOverviews(kedge.session.state)[0]?.stage, 'done');
  });

  it('is not skipped by a write in a later step', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(edit('c.txt')), done));
    const { run } = await confirmed(kedge);
    const asked = await nextEvent(kedge.session, 'approval_requested');
    assert.equal(asked.reason, 'No step of the plan is running, so c.txt may not be changed. It belongs to step 3 (Third).');
    await kedge.session.answerApproval(asked.approvalId, { approve: false });
    await run;
  });

  it('is checked before the next step starts, if the model forgot to report it', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(step(1, 'started'), edit('a.txt')), turn(step(2, 'started')), done));
    await (await confirmed(kedge)).run;
    assert.deepEqual(statuses(kedge), ['1 started', '1 done', '2 started']);
    assert.equal(eventsOf(kedge.events, 'step_checked').length, 1);
  });

  it('has ended once it is done', async () => {
    await using kedge = await assistantOn(
      files,
      script(PLAN, turn(step(1, 'started'), edit('a.txt'), step(1, 'done'), step(1, 'started'), step(3, 'failed')), done),
    );
    answering(kedge, 'Stop');
    await (await confirmed(kedge)).run;
    assert.deepEqual(resultTexts(kedge.session).slice(-3, -1), [
      'Step 1 is done. Check passed (nothing matches old in a.txt). Next: step 2, Second.',
      'Step 1 is already done. Next: step 2, Second.',
    ]);
  });
});

describe('a check that fails', () => {
  const failing = [turn(step(1, 'started'), edit('a.txt', 'old and new'), step(1, 'done'))];

  it('asks the user, and Retry sends its output to the model', async () => {
    await using kedge = await assistantOn(files, script(PLAN, ...failing, turn(edit('a.txt', 'the'), step(1, 'done')), done));
    answering(kedge, { option: 'Retry', words: 'Look again.' });
    await (await confirmed(kedge)).run;
    const { question } = lastOf(kedge.events, 'question_asked');
    assert.deepEqual(
      question.options.map(({ label }) => label),
      ['Retry', 'Skip', 'Edit plan', 'Stop'],
    );
    assert.equal(question.text, 'Step 1 (First) did not pass its check: nothing matches old in a.txt.');
    assert.equal(
      lastOf(
        kedge.events.slice(
          0,
          kedge.events.findIndex(({ type }) => type === 'question_asked'),
        ),
        'step_checked',
      ).output,
      'a.txt\n  1: old and new',
    );
    assert.match(
      resultTexts(kedge.session)[3] ?? '',
      /^ERROR Check failed[\s\S]*Fix the problem, then report step 1 done again\. The user says: Look again\.$/,
    );
    assert.deepEqual(statuses(kedge), ['1 started', '1 done']);
    assert.equal(await kedge.read('a.txt'), 'the and new\n');
  });

  it('can be skipped, and its step rolled back as one', async () => {
    await using kedge = await assistantOn(
      files,
      script(
        { ...PLAN, steps: [{ ...PLAN.steps[0], title: 'First', files: ['a.txt', 'made/**'] }, ...PLAN.steps.slice(1)] },
        turn(step(1, 'started'), edit('a.txt', 'old and new'), call('create_file', { path: 'made/x/y.txt', content: 'y' })),
        turn(call('delete_file', { path: 'made/x/y.txt' }), edit('a.txt', 'very old'), step(1, 'done')),
        turn(step(2, 'started'), edit('b.txt'), step(2, 'done')),
        done,
      ),
    );
    const before = await kedge.snapshot();
    answering(kedge, 'Skip', 'Roll back');
    await (await confirmed(kedge)).run;
    assert.deepEqual(await kedge.snapshot(), { ...before, 'workspace/b.txt': 'new\n' });
    assert.deepEqual(statuses(kedge), ['1 started', '1 skipped', '2 started', '2 done']);
    assert.equal(kedge.session.state.runs.get(lastOf(kedge.events, 'run_started').runId)?.steps[1]?.rolledBack, true);
    const reported = eventsOf(kedge.events, 'tool_started').find(({ title }) => title === 'Step 1 reported done: First');
    const became = eventsOf(kedge.events, 'tool_finished').find(({ callId }) => callId === reported?.callId);
    assert.equal(became?.note, 'skipped, rolled back');
    assert.deepEqual(lastOf(kedge.events, 'run_finished').receipt?.changed, ['b.txt']);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    await kedge.session.changes.undo(lastOf(kedge.events, 'run_started').runId);
    assert.deepEqual(await kedge.snapshot(), before);
  });

  it('can be skipped with the changes kept; then the run is undone as a whole', async () => {
    await using kedge = await assistantOn(files, script(PLAN, ...failing, done));
    const before = await kedge.snapshot();
    answering(kedge, 'Skip', 'Keep');
    await (await confirmed(kedge)).run;
    assert.equal(await kedge.read('a.txt'), 'old and new\n');
    await kedge.session.changes.undo(lastOf(kedge.events, 'run_started').runId);
    assert.deepEqual(await kedge.snapshot(), before);
  });

  it('stops the run on Stop', async () => {
    await using kedge = await assistantOn(files, script(PLAN, ...failing));
    answering(kedge, 'Stop', 'Keep');
    await (await confirmed(kedge)).run;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    assert.equal(await kedge.read('a.txt'), 'old and new\n');
    assert.equal(planOverviews(kedge.session.state)[0]?.stage, 'stopped');
  });

  it('rolls the step back and stops if nobody can be asked', async () => {
    await using kedge = await assistantOn(files, script(PLAN, ...failing));
    const before = await kedge.snapshot();
    answering(kedge, { words: 'Nobody is here.', by: 'nobody' });
    await (await confirmed(kedge)).run;
    assert.deepEqual(await kedge.snapshot(), before);
    const { outcome, error } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([outcome, error?.kind], ['failed', 'check']);
    assert.equal(error?.message, 'Step 1 of the plan did not pass its check: nothing matches old in a.txt. Try again, or edit the plan.');
  });

  it('at the end of the run fails the run, and trying again continues the step', async () => {
    const work = turn(edit('a.txt', 'old and new'));
    await using kedge = await assistantOn(files, script(PLAN, work, turn(say('All done!')), turn(edit('a.txt', 'the')), done));
    await (await confirmed(kedge)).run;
    assert.deepEqual(statuses(kedge), ['1 started', '1 failed']);
    const { outcome, error } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([outcome, error?.kind], ['failed', 'check']);
    await kedge.session.resume();
    const [note] = kedge.session.state.messages.flatMap(notesOf).slice(-1);
    assert.equal(
      note?.text,
      'Step 1 (First) did not pass its check: nothing matches old in a.txt\na.txt\n  1: old and new\nFix the problem, then report the step as done.',
    );
    assert.equal(await kedge.read('a.txt'), 'the and new\n');
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('fails the run if the model does not fix it, whatever the model says', async () => {
    await using kedge = await assistantOn(files, script(PLAN, ...failing, turn(say('All done!'))));
    answering(kedge, 'Retry');
    await (await confirmed(kedge)).run;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'failed');
  });

  it('is asked about once even after a reload, and is not run again', async () => {
    await using kedge = await assistantOn(files, script(PLAN, ...failing, done));
    const { run } = await confirmed(kedge);
    await nextEvent(kedge.session, 'question_asked');
    const again = await kedge.reload();
    await run;
    const pending = [...again.session.state.pendingQuestions.values()];
    assert.equal(pending.length, 1);
    answering(again, 'Keep');
    await again.session.answerQuestion(pending[0]?.questionId ?? '', { option: 'Skip' });
    assert.equal(eventsOf(again.session.events, 'step_checked').length, 1);
    assert.equal(eventsOf(again.session.events, 'question_asked').length, 2);
    assert.deepEqual(statuses(again), ['1 started', '1 skipped']);
  });

  it('cannot be avoided by starting the next step', async () => {
    await using kedge = await assistantOn(files, script(PLAN, ...failing, turn(step(2, 'started')), done));
    answering(kedge, 'Retry');
    await (await confirmed(kedge)).run;
    assert.equal(resultTexts(kedge.session).at(-1), 'ERROR The check of step 1 failed. Fix the problem and report step 1 done first.');
  });

  it('is reported if it could not run, and does not prevent the next step', async () => {
    const plan: PlanDraft = { goal: PLAN.goal, steps: [{ title: 'First', files: ['a.txt'], check: { diagnostics: isFine } }] };
    await using kedge = await assistantOn(files, script(plan, turn(step(1, 'started'), edit('a.txt'), step(1, 'done')), done));
    await (await confirmed(kedge)).run;
    assert.equal(lastOf(kedge.events, 'step_checked').outcome, 'not_run');
    assert.equal(
      resultTexts(kedge.session).at(-1),
      'Step 1 is done. Check could not run (no errors in the files of the step): No language services are available. All steps are finished.',
    );
  });
});

describe('a step that wrote nothing', () => {
  const wrote = [turn(step(1, 'started'), step(1, 'done')), turn(edit('a.txt'), step(1, 'done')), done];
  const one: PlanDraft = { goal: PLAN.goal, steps: [{ title: 'First', files: ['a.txt'] }] };

  it('asks the user, and Retry returns it to the model', async () => {
    await using kedge = await assistantOn(files, script(one, ...wrote));
    answering(kedge, { option: 'Retry', words: 'Change a.txt.' });
    await (await confirmed(kedge)).run;
    const { question } = lastOf(kedge.events, 'question_asked');
    assert.equal(question.text, 'Step 1 (First) is done, but it changed none of its files.');
    assert.deepEqual(
      question.options.map(({ label }) => label),
      ['Go on', 'Retry', 'Stop'],
    );
    assert.match(resultTexts(kedge.session)[2] ?? '', /^ERROR The user does not accept step 1, .* The user says: Change a\.txt\.$/);
    assert.deepEqual(statuses(kedge), ['1 started', '1 done']);
    assert.equal(await kedge.read('a.txt'), 'new\n');
  });

  it('stops the run on Stop, and is not done', async () => {
    await using kedge = await assistantOn(files, script(one, ...wrote));
    answering(kedge, 'Stop');
    await (await confirmed(kedge)).run;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    assert.deepEqual(statuses(kedge), ['1 started', '1 failed']);
    assert.equal(lastOf(kedge.events, 'plan_step').note, 'It changed none of its files.');
  });

  it('asks once, even after a reload, and its check is not run again', async () => {
    const checkedPlan = { ...one, steps: [{ ...(one.steps[0] as PlanStep), check: { search_empty: { pattern: 'never' } } }] };
    await using kedge = await assistantOn(files, script(checkedPlan, wrote[0] as ScriptedTurn, done));
    const { run } = await confirmed(kedge);
    const { questionId } = await nextEvent(kedge.session, 'question_asked');
    const again = await kedge.reload();
    await run;
    await again.session.answerQuestion(questionId, { option: 'Go on' });
    assert.equal(eventsOf(again.session.events, 'step_checked').length, 1);
    assert.deepEqual(statuses(again), ['1 started', '1 done']);
  });

  it('is done if nobody can be asked, and if a command ran in it, which may have changed the files', async () => {
    await using alone = await assistantOn(files, script(one, turn(step(1, 'started'), step(1, 'done')), done));
    answering(alone, { words: 'Nobody is here.', by: 'nobody' });
    await (await confirmed(alone)).run;
    assert.equal(lastOf(alone.events, 'plan_step').unchanged, true);
    const command = call('run_command', { command: 'printf new > a.txt' });
    const options = { commands: true, shellParsers: nodeShellParsers };
    await using kedge = await assistantOn(files, script(one, turn(step(1, 'started'), command, step(1, 'done')), done), options);
    answerAll(kedge.session, { approve: true });
    await (await confirmed(kedge)).run;
    assert.equal(await kedge.read('a.txt'), 'new');
    assert.equal(eventsOf(kedge.events, 'question_asked').length, 0);
    assert.equal(lastOf(kedge.events, 'plan_step').unchanged, undefined);
  });

  it('is done without changes: in the log, the receipt and for the model; a step that may change nothing is simply done', async () => {
    const plan: PlanDraft = {
      goal: PLAN.goal,
      steps: [
        { title: 'First', files: ['a.txt'] },
        { title: 'Look', files: [] },
        { title: 'Third', files: ['c.txt'] },
      ],
    };
    const both = (number: number) => [step(number, 'started'), step(number, 'done')];
    await using kedge = await assistantOn(
      files,
      script(plan, turn(...both(1), ...both(2)), turn(step(3, 'started'), edit('c.txt'), step(3, 'done')), done),
    );
    answering(kedge, 'Go on');
    await (await confirmed(kedge)).run;
    const over = eventsOf(kedge.events, 'plan_step').filter(({ status }) => status === 'done');
    assert.deepEqual(
      over.map(({ step: number, unchanged }) => [number, unchanged]),
      [
        [1, true],
        [2, undefined],
        [3, undefined],
      ],
    );
    assert.match(resultTexts(kedge.session).join('\n'), /Step 1 is done, and changed none of its files\. Next: step 2/);
    const { receipt } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual(receipt?.unchangedSteps, [1]);
    assert.match(receipt ? receiptLine(receipt) : '', /1 changed · 1 step changed nothing/);
    const run = kedge.session.state.lastRun;
    assert.match(planMarkdown(run?.plan as Plan, run), /State: done, nothing changed\n[\s\S]*State: done\n[\s\S]*State: done\n/);
  });
});

describe('a check that is a command', () => {
  const withCheck = (command: string): PlanDraft => ({
    goal: PLAN.goal,
    steps: [{ title: 'First', files: ['a.txt'], check: { command } }],
  });
  const options = { commands: true, shellParsers: nodeShellParsers };
  const work = turn(step(1, 'started'), edit('a.txt'), step(1, 'done'));

  it('runs without another question, because it is part of the confirmed plan', async () => {
    await using kedge = await assistantOn(files, script(withCheck('grep new a.txt'), work, done), options);
    await (await confirmed(kedge)).run;
    const { outcome, output } = lastOf(kedge.events, 'step_checked');
    assert.deepEqual([outcome, output.startsWith('Exit code 0')], ['passed', true], output);
    assert.deepEqual(statuses(kedge), ['1 started', '1 done']);
  });

  it('fails with its output if it does not succeed', async () => {
    await using kedge = await assistantOn(files, script(withCheck('node -p 6*7 missing.txt && grep old a.txt'), work), options);
    answering(kedge, 'Run', 'Stop', 'Roll back');
    await (await confirmed(kedge)).run;
    const { outcome, output } = lastOf(kedge.events, 'step_checked');
    assert.equal(outcome, 'failed');
    assert.match(output, /^Exit code 1[\s\S]*42$/);
    assert.equal(await kedge.read('a.txt'), 'old\n');
  });

  it('asks if it is dangerous, and is not run without approval', async () => {
    await using kedge = await assistantOn(files, script(withCheck('rm -r c.txt'), work, done), options);
    answering(kedge, 'Skip');
    await (await confirmed(kedge)).run;
    const { text, command, reason } = lastOf(kedge.events, 'question_asked').question;
    assert.deepEqual([text, command], ['Run a command to check the step?', { text: 'rm -r c.txt', cwd: '.', shell: 'bash' }]);
    assert.match(reason ?? '', /\S/);
    assert.equal(lastOf(kedge.events, 'step_checked').outcome, 'not_run');
    assert.equal(await kedge.read('c.txt'), 'old\n');
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });
});

describe('a plan that is edited while it runs', () => {
  const failing = turn(step(1, 'started'), edit('a.txt', 'old and new'), step(1, 'done'), edit('b.txt'));

  it('pauses the run, which continues with the new revision', async () => {
    await using kedge = await assistantOn(
      files,
      script(PLAN, failing, turn(step(1, 'done'), step(2, 'started'), edit('other.txt'), step(2, 'done')), done),
    );
    answering(kedge, 'Edit plan');
    const { plan, run } = await confirmed(kedge);
    await run;
    assert.equal(lastOf(kedge.events, 'run_paused').reason, 'edit_plan');
    assert.equal(await kedge.read('b.txt'), 'old\n', 'nothing after that in the same turn is carried out');
    const again = await kedge.reload();
    const [first, second, third] = plan.steps;
    assert.ok(first && second && third);
    const steps = [{ title: first.title, files: first.files }, { title: 'New', files: ['other.txt'] }, third];
    await again.session.plans.revise(plan.id, { ...plan, steps }, [1, 0, 3]);
    const revised = lastOf(again.events, 'plan_revised').plan;
    assert.deepEqual([revised.revision, revised.hash], [2, await revisionHash({ ...plan, steps })]);
    assert.deepEqual(statuses(again), ['1 started', '1 done', '2 started', '2 done']);
    assert.equal(lastOf(again.events, 'plan_step').hash, revised.hash);
    assert.equal(await kedge.read('other.txt'), 'new\n');
    assert.equal(eventsOf(again.session.events, 'run_started').filter(({ mode }) => mode === 'agent').length, 1);
  });

  it('keeps its finished steps', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(step(1, 'started'), edit('a.txt'), step(1, 'done')), done));
    const { plan, run } = await confirmed(kedge);
    await run;
    const rest = plan.steps.slice(1);
    await assert.rejects(kedge.session.plans.revise(plan.id, { ...plan, steps: rest }, [2, 3]), /Finished steps must stay in the plan/);
  });
});

describe('a plan that was not finished', () => {
  it('continues at its first unfinished step', async () => {
    await using kedge = await assistantOn(
      files,
      script(
        PLAN,
        turn(step(1, 'started'), edit('a.txt'), step(1, 'done')),
        done,
        turn(step(2, 'started'), edit('b.txt'), step(2, 'done')),
        done,
      ),
    );
    const { plan, run } = await confirmed(kedge);
    await run;
    const again = await kedge.reload();
    assert.deepEqual(
      planOverviews(again.session.state).map(({ stage, done }) => [stage, done]),
      [['stopped', 1]],
    );
    await again.session.plans.resume(plan.id);
    assert.equal(lastOf(again.events, 'run_started').prompt, 'Run the plan: Make it new');
    const [note] = again.session.state.messages.flatMap(notesOf).slice(-1);
    assert.match(note?.text ?? '', /Begin with step 2[\s\S]*1\. First[\s\S]*state: done/);
    assert.deepEqual(
      planOverviews(again.session.state).map(({ stage, done }) => [stage, done]),
      [['stopped', 2]],
    );
    assert.equal(await kedge.read('b.txt'), 'new\n');
  });

  it('runs again in another folder after a confirmation', async () => {
    const plan: PlanDraft = { goal: PLAN.goal, steps: [{ title: 'First', files: ['workspace/a.txt'] }] };
    await using kedge = await assistantOn(
      files,
      script(
        plan,
        turn(step(1, 'started'), edit('workspace/a.txt'), step(1, 'done')),
        done,
        turn(edit('second/a.txt'), step(1, 'done')),
        done,
      ),
      { folders: { second: { 'a.txt': 'old\n' } } },
    );
    const { plan: first, run } = await confirmed(kedge);
    await run;
    await assert.rejects(kedge.session.plans.resume(first.id), /All steps of this plan are finished/);
    const { id } = await kedge.session.plans.again(first.id, { from: 'workspace', to: 'second' });
    await kedge.session.plans.answer(id, 'run');
    assert.deepEqual(lastOf(kedge.events, 'run_started').plan?.steps[0]?.files, ['second/a.txt']);
    assert.deepEqual(rules(kedge), ['confirmed-plan', 'confirmed-plan']);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });
});

describe('a deviation', () => {
  it('can extend the plan: the step may then write this file, in a new revision', async () => {
    await using kedge = await assistantOn(
      files,
      script(
        PLAN,
        turn(step(2, 'started'), edit('other.txt')),
        turn(call('delete_file', { path: 'other.txt' }), step(2, 'done'), step(3, 'started')),
        turn(edit('other.txt')),
        done,
      ),
    );
    const { run, plan } = await confirmed(kedge);
    const asked = await nextEvent(kedge.session, 'approval_requested');
    await kedge.session.answerApproval(asked.approvalId, { approve: true, widen: true });
    await run;
    const revised = lastOf(kedge.events, 'plan_revised');
    assert.deepEqual(revised.plan.steps[1]?.files, ['b.txt', 'other.txt']);
    assert.deepEqual([revised.plan.id, revised.plan.revision, revised.reason], [plan.id, 2, 'You allowed step 2 to change other.txt.']);
    assert.notEqual(revised.plan.hash, plan.hash);
    assert.deepEqual(rules(kedge).slice(0, 2), ['outside-plan', 'confirmed-plan']);
    assert.deepEqual(kedge.session.state.plans.get(plan.id)?.plan, revised.plan);
  });

  it('before any step extends the next step and starts it', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(edit('other.txt')), turn(edit('a.txt')), done));
    const { run } = await confirmed(kedge);
    const asked = await nextEvent(kedge.session, 'approval_requested');
    await kedge.session.answerApproval(asked.approvalId, { approve: true, widen: true });
    await run;
    assert.deepEqual(statuses(kedge), ['1 started', '1 done']);
    assert.deepEqual(rules(kedge), ['outside-plan', 'confirmed-plan']);
  });

  it('that was allowed once needs approval again', async () => {
    await using kedge = await assistantOn(
      files,
      script(PLAN, turn(step(2, 'started'), edit('other.txt')), turn(call('delete_file', { path: 'other.txt' })), done),
    );
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: true });
    });
    await (await confirmed(kedge)).run;
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 2);
    assert.equal(eventsOf(kedge.events, 'plan_revised').length, 0);
  });

  it('cannot be added to the plan if something else requires the approval', async () => {
    const plan: PlanDraft = { goal: PLAN.goal, steps: [{ title: 'First', files: ['.vscode/**'] }] };
    await using kedge = await assistantOn(
      files,
      script(plan, turn(call('create_file', { path: '.vscode/tasks.json', content: '{}' })), done),
    );
    const { run } = await confirmed(kedge);
    const asked = await nextEvent(kedge.session, 'approval_requested');
    await kedge.session.answerApproval(asked.approvalId, { approve: true, widen: true });
    await run;
    assert.equal(eventsOf(kedge.events, 'plan_revised').length, 0);
    assert.equal('widen' in lastOf(kedge.events, 'approval_resolved').answer, false);
  });
});

describe('a plan that the user wants to change', () => {
  it('is returned to the model with the user’s words, and the new plan replaces it', async () => {
    await using kedge = await assistantOn(files, [
      turn(call('propose_plan', PLAN)),
      turn(call('propose_plan', { ...PLAN, goal: 'Another' })),
      done,
    ]);
    await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
    const first = lastOf(kedge.events, 'plan_proposed').plan;
    await kedge.session.plans.change(first.id, 'Fewer steps.');
    const second = lastOf(kedge.events, 'plan_proposed').plan;
    assert.deepEqual([second.supersedes, second.revision, second.goal], [first.id, 2, 'Another']);
    assert.deepEqual(
      [...kedge.session.state.plans.values()].map(({ status }) => status),
      ['superseded', 'proposed'],
    );
    assert.equal(lastOf(kedge.events, 'run_started').prompt, 'Fewer steps.');
    const asked = kedge.adapter.requests[1]?.messages.at(-1) as Message;
    assert.equal(textOf(asked), 'Fewer steps.');
    assert.match(notesOf(asked)[0]?.text ?? '', /with the changes that the user requests\.[\s\S]*Goal: Make it new/);
    await assert.rejects(kedge.session.plans.answer(first.id, 'run'), /This plan has already been replaced/);
    await kedge.session.plans.answer(second.id, 'run');
  });
});

describe('a log that was manipulated', () => {
  it('does not run a plan that differs from the confirmed plan', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(edit('a.txt')), done), { limits: { turns: 1 } });
    const { run } = await confirmed(kedge);
    await run;
    kedge.session.state.lastRun?.plan?.steps[0]?.files.push('other.txt');
    await kedge.session.resume();
    assert.match(lastOf(kedge.events, 'run_finished').error?.message ?? '', /differs from the plan that you confirmed/);
  });
});

describe('a required plan', () => {
  it('is proposed for a prompt in Agent mode, and nothing changes before the user confirms it', async () => {
    await using kedge = await assistantOn(files, script(PLAN, turn(edit('a.txt')), done), { requirePlan: true });
    const before = await kedge.snapshot();
    await kedge.session.prompt({ text: 'do it', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'run_started').mode, 'plan');
    assert.deepEqual(
      kedge.adapter.requests[0]?.tools.flatMap(({ name }) => (/^(create|replace|move|delete|apply|run)_/.test(name) ? [name] : [])),
      [],
    );
    assert.deepEqual(await kedge.snapshot(), before);
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    assert.equal(lastOf(kedge.events, 'run_started').mode, 'agent');
    assert.equal(await kedge.read('a.txt'), 'new\n');
  });

  it('does not affect Ask mode', async () => {
    await using kedge = await assistantOn(files, [done], { requirePlan: true });
    await kedge.session.prompt({ text: 'what is it?', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_started').mode, 'ask');
  });
});

describe('a plan of 40 edits', () => {
  it('needs one approval, that of the plan', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `src/f${index}.txt`);
    const many = Object.fromEntries(names.map((name) => [name, 'old\n']));
    const steps = [0, 1, 2, 3].map((group) => ({ title: `Part ${group}`, files: names.slice(group * 10, group * 10 + 10) }));
    const turns = steps.map(({ files }, index) =>
      turn(step(index + 1, 'started'), ...files.map((name) => edit(name)), step(index + 1, 'done')),
    );
    await using kedge = await assistantOn({ ...many, 'other.txt': 'old\n' }, script({ goal: PLAN.goal, steps }, ...turns, done));
    const before = await kedge.snapshot();
    await (await confirmed(kedge)).run;
    const asked = kedge.events.filter(({ type }) => type === 'approval_requested' || type === 'question_asked' || type === 'plan_proposed');
    assert.deepEqual(
      asked.map(({ type }) => type),
      ['plan_proposed'],
    );
    const after = await kedge.snapshot();
    const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
    assert.deepEqual(changed.sort(), names.map((name) => `workspace/${name}`).sort());
  });
});

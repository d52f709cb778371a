/**
 * Tests how the steps of a plan end: with checks that fail, are cut off or skipped, or without a change. Also tests the receipt of a plan.
 */
import assert from 'node:assert/strict';
import type { PlanDraft } from '../../../src/core/plan/plan.ts';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import { foldRun } from '../../../src/core/view/reduce-run.ts';
import { receiptOf } from '../../../src/core/view/run-receipt.ts';
import { NodeFileSystem } from '../../../src/hosts/node/files/file-system.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import type { SearchHit, SearchQuery } from '../../../src/workspace/types.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const files = { 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': 'old\n' };
const edit = (path: string, to = 'new', from = 'old') => call('replace_in_file', { path, edits: [{ old_text: from, new_text: to }] });
const step = (number: number, status: string) => call('update_step', { step: number, status });
const done = turn(say('Done.'));
const script = (plan: PlanDraft, ...turns: ScriptedTurn[]) => [turn(call('propose_plan', plan)), ...turns];
const statuses = (kedge: Harness) => eventsOf(kedge.session.events, 'plan_step').map(({ step, status }) => `${step} ${status}`);

async function confirmed(kedge: Harness): Promise<Promise<void>[]> {
  await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
  return [kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run')];
}

describe('the question about a failed check before a write', () => {
  const plan: PlanDraft = {
    goal: 'g',
    steps: [
      { title: 'First', files: ['a.txt'], check: { search_empty: { pattern: 'old', glob: 'a.txt' } } },
      { title: 'Second', files: ['b.txt'] },
    ],
  };

  it('can be answered after a reload', async () => {
    for (const answer of ['Skip', 'Stop']) {
      await using first = await assistantOn(files, script(plan, turn(edit('a.txt', 'old and new')), turn(edit('b.txt')), done));
      void (await confirmed(first));
      await nextEvent(first.session, 'question_asked');
      const kedge = await first.reload();
      kedge.session.subscribe((event) => {
        if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, { option: 'Keep' });
      });
      const [questionId = ''] = kedge.session.state.pendingQuestions.keys();
      await kedge.session.answerQuestion(questionId, { option: answer });
      assert.equal(kedge.session.state.lastRun?.outcome, answer === 'Skip' ? 'answered' : 'stopped');
      assert.equal(await kedge.read('b.txt'), answer === 'Skip' ? 'new\n' : 'old\n');
    }
  });
});

describe('a step that begins with a write that the user revises', () => {
  it('has started, and the step before it was checked', async () => {
    const long = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
    const plan: PlanDraft = {
      goal: 'g',
      steps: [
        { title: 'First', files: ['a.txt'], check: { search_empty: { pattern: 'old', glob: 'a.txt' } } },
        { title: 'Second', files: ['.github/workflows/ci.yml'] },
      ],
    };
    const two = call('replace_in_file', {
      path: '.github/workflows/ci.yml',
      edits: [
        { old_text: 'line 2\n', new_text: 'two\n' },
        { old_text: 'line 28\n', new_text: 'x\n' },
      ],
    });
    const start = { ...files, '.github/workflows/ci.yml': long };
    await using kedge = await assistantOn(start, script(plan, turn(edit('a.txt')), turn(two), done));
    answerAll(kedge.session, { approve: true, revised: { '.github/workflows/ci.yml': { without: [1] } } });
    await Promise.all(await confirmed(kedge));
    assert.equal(await kedge.read('.github/workflows/ci.yml'), long.replace('line 2\n', 'two\n'));
    assert.deepEqual(statuses(kedge), ['1 started', '1 done', '2 started', '2 done']);
    assert.deepEqual(
      kedge.session.state.staged.map(({ step }) => step),
      [1, 2],
    );
  });
});

describe('a step that changes no file', () => {
  const plan: PlanDraft = {
    goal: 'g',
    steps: [
      { title: 'Edit', files: ['a.txt'] },
      { title: 'Look', files: [], check: { search_empty: { pattern: 'old', glob: 'a.txt' } } },
      { title: 'Edit more', files: ['b.txt'] },
    ],
  };

  it('is done after its check passed when the next step is written to, if the model does not report steps', async () => {
    await using kedge = await assistantOn(files, script(plan, turn(edit('a.txt')), turn(edit('b.txt')), done));
    await Promise.all(await confirmed(kedge));
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 0);
    assert.equal(await kedge.read('b.txt'), 'new\n');
    assert.deepEqual(statuses(kedge), ['1 started', '1 done', '2 started', '2 done', '3 started', '3 done']);
    assert.equal(eventsOf(kedge.events, 'step_checked').length, 1);
  });

  const ending: PlanDraft = { ...plan, steps: plan.steps.slice(0, 2) };

  it('is checked at the end of the run if no step follows it', async () => {
    await using kedge = await assistantOn(files, script(ending, turn(edit('a.txt')), done));
    await Promise.all(await confirmed(kedge));
    assert.deepEqual(statuses(kedge), ['1 started', '1 done', '2 started', '2 done']);
  });

  it('has failed at the end of the run if its check fails', async () => {
    await using kedge = await assistantOn(files, script(ending, turn(edit('a.txt', 'old and new')), done));
    await Promise.all(await confirmed(kedge));
    assert.deepEqual(statuses(kedge), ['1 started', '1 done', '2 started', '2 failed']);
    assert.equal(lastOf(kedge.events, 'plan_step').note, 'Its check failed.');
  });

  it('stays open if an earlier step was not started', async () => {
    const all = { ...plan, steps: [...plan.steps, { title: 'Look again', files: [], check: { search_empty: { pattern: 'old' } } }] };
    await using kedge = await assistantOn(files, script(all, turn(edit('a.txt')), done));
    await Promise.all(await confirmed(kedge));
    assert.deepEqual(statuses(kedge), ['1 started', '1 done', '2 started', '2 done']);
  });

  it('stops the write if its check fails', async () => {
    await using kedge = await assistantOn(files, script(plan, turn(edit('a.txt', 'old and new')), turn(edit('b.txt')), done));
    kedge.session.subscribe((event) => {
      if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, { option: 'Stop' });
    });
    await Promise.all(await confirmed(kedge));
    assert.equal(kedge.session.state.lastRun?.outcome, 'stopped');
    assert.equal(await kedge.read('b.txt'), 'old\n');
  });
});

describe('a check that was stopped', () => {
  it('proves nothing, so its step is not done', async () => {
    let begun = () => {};
    const searching = new Promise<void>((resolve) => {
      begun = resolve;
    });
    /** A search that ends without a result when it is stopped, like a process that is killed. */
    class Slow extends NodeFileSystem {
      override async *search({ limit }: SearchQuery, signal: AbortSignal): AsyncGenerator<SearchHit> {
        if (limit === 0) return;
        begun();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      }
    }
    const plan: PlanDraft = { goal: 'g', steps: [{ title: 'One', files: ['a.txt'], check: { search_empty: { pattern: 'old' } } }] };
    const script_ = script(plan, turn(step(1, 'started'), edit('a.txt', 'old still'), step(1, 'done')), done);
    await using kedge = await assistantOn(files, script_, { fileSystem: (roots) => new Slow(roots) });
    const [run] = await confirmed(kedge);
    await searching;
    await kedge.session.stop();
    await run;
    // Code that wrongly continued after the stop would have run by now.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(kedge.session.events.at(-1)?.type, 'run_finished');
    assert.deepEqual(statuses(kedge), ['1 started']);
  });
});

describe('a skipped step', () => {
  it('is not started again', async () => {
    const plan: PlanDraft = {
      goal: 'g',
      steps: [
        { title: 'One', files: ['a.txt'] },
        { title: 'Two', files: ['b.txt'] },
      ],
    };
    await using kedge = await assistantOn(
      files,
      script(plan, turn(step(1, 'started'), step(1, 'failed')), turn(step(1, 'started'), edit('a.txt')), done),
    );
    kedge.session.subscribe((event) => {
      if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, { option: 'Skip' });
    });
    answerAll(kedge.session, { approve: false });
    await Promise.all(await confirmed(kedge));
    assert.equal(await kedge.read('a.txt'), 'old\n');
    assert.ok(resultTexts(kedge.session).includes('Step 1 is already skipped. Next: step 2, Two.'));
  });
});

describe('the receipt of a plan', () => {
  it('lists the commands that its checks ran', async () => {
    const plan: PlanDraft = { goal: 'g', steps: [{ title: 'One', files: ['a.txt'], check: { command: 'grep -q new a.txt' } }] };
    await using kedge = await assistantOn(files, script(plan, turn(step(1, 'started'), edit('a.txt'), step(1, 'done')), done), {
      commands: true,
      shellParsers: nodeShellParsers,
    });
    await Promise.all(await confirmed(kedge));
    assert.deepEqual(lastOf(kedge.events, 'run_finished').receipt?.commands, ['grep -q new a.txt']);
  });

  it('counts a call with two approval requests once, by its last answer', () => {
    const at = { runId: 'r', at: 0 };
    const question = { callId: 'c', title: '', rule: 'edit' as const, reason: '', changes: [], ...at };
    const asked = { type: 'approval_requested' as const, ...question };
    const events: AgentEvent[] = [
      { ...asked, approvalId: 'c:1', seq: 1 },
      { type: 'approval_resolved', approvalId: 'c:1', callId: 'c', answer: { approve: true }, seq: 2, ...at },
      { ...asked, approvalId: 'c:2', seq: 3 },
      { type: 'approval_resolved', approvalId: 'c:2', callId: 'c', answer: { approve: false }, seq: 4, ...at },
    ];
    const receipt = receiptOf(foldRun(events, 'r'));
    assert.deepEqual([receipt.asked, receipt.approved, receipt.rejected], [1, 0, 1]);
  });
});

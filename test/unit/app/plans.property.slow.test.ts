/** Tests the promises of a confirmed plan with random tool calls of the model. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import type { PlanDraft } from '../../../src/core/plan/plan.ts';
import { currentStep } from '../../../src/core/plan/progress.ts';
import { reduce } from '../../../src/core/session/reduce.ts';
import { emptySession } from '../../../src/core/session/session-state.ts';
import { inScope } from '../../../src/policy/scope.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { modelOf } from '../../support/delegating-model.ts';
import { assistantOn, type Harness, lastOf, nextEvent } from '../../support/harness.ts';

const files = { 'a.txt': 'x\n', 'b.txt': 'x\n', 'lib/c.txt': 'x\n', 'lib/deep/d.txt': 'x\n', 'out.txt': 'x\n' };
const PLAN: PlanDraft = {
  goal: 'g',
  steps: [
    { title: 'one', files: ['a.txt'], check: { search_empty: { pattern: 'bad', glob: 'a.txt' } } },
    { title: 'two', files: ['lib/**', 'b.txt'] },
    { title: 'three', files: ['b.txt'] },
  ],
};

const path = fc.constantFrom(...Object.keys(files), 'new.txt', 'lib/new.txt', 'lib/deep/er/new.txt', './a.txt', 'lib/../out.txt');
const text = fc.constantFrom('y\n', 'bad\n', '');
const change = fc.oneof(
  fc.record({ name: fc.constant('create_file'), input: fc.record({ path, content: text }) }),
  fc.record({
    name: fc.constant('replace_in_file'),
    input: fc.record({
      path,
      edits: fc.constantFrom(
        [{ old_text: 'x', new_text: 'bad' }],
        [{ old_text: 'x', new_text: 'y' }],
        [{ old_text: 'bad', new_text: 'x' }],
      ),
    }),
  }),
  fc.record({ name: fc.constant('delete_file'), input: fc.record({ path }) }),
  fc.record({ name: fc.constant('move_file'), input: fc.record({ from: path, to: path }) }),
  fc.record({ name: fc.constant('create_directory'), input: fc.record({ path: fc.constantFrom('lib/made', 'made', 'lib/a/b') }) }),
);
const report = fc.record({
  name: fc.constant('update_step'),
  input: fc.record({ step: fc.integer({ min: 1, max: 3 }), status: fc.constantFrom('started', 'done', 'failed', 'skipped') }),
});
const turnsOf = (each: fc.Arbitrary<{ name: string; input: unknown }>) =>
  fc.array(fc.array(each, { minLength: 1, maxLength: 4 }), { maxLength: 6 });

async function runOf(kedge: Harness): Promise<void> {
  await kedge.session.prompt({ text: 'plan', mode: 'plan' });
  await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
}

describe('under a confirmed plan', () => {
  it('no file outside the scope of the running step changes without an answer of the user', async () => {
    await fc.assert(
      fc.asyncProperty(turnsOf(fc.oneof(change, report)), async (turns) => {
        const script = turns.map((calls) => turn(...calls.map(({ name, input }) => call(name, input))));
        await using kedge = await assistantOn(files, [turn(call('propose_plan', PLAN)), ...script, turn(say('Done.'))]);
        kedge.session.subscribe((event) => {
          if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: false });
          if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, { option: 'Retry' });
        });
        await runOf(kedge);
        const state = emptySession();
        for (const event of kedge.session.events) {
          reduce(state, event);
          if (event.type !== 'changes_staged') continue;
          const step = state.lastRun && currentStep(state.lastRun);
          const scope = PLAN.steps[(step ?? 0) - 1]?.files ?? [];
          for (const each of event.changes) assert.ok(inScope(each.path.replace(/\/$/, ''), scope), `${each.path} in step ${step}`);
        }
        assert.equal(await kedge.read('out.txt'), 'x\n');
      }),
      { numRuns: 60 },
    );
  });

  it('no agent of a step changes what the step may not change, and no other run changes the files of its step', async () => {
    const plan: PlanDraft = { ...PLAN, steps: PLAN.steps.map((step, at) => (at < 2 ? { ...step, agent: 'coder' } : step)) };
    let runs = 0;
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(turnsOf(fc.oneof(change, report)), turnsOf(fc.oneof(change, report)), async (turns, ofAgent) => {
        const callsOf = (all: Turns, at: number): ModelEvent[] =>
          (all[at] ?? []).flatMap(({ name, input }, index) => call(name, input, `c${index}`));
        const adapter = modelOf((task) => {
          const [all, first] = task.startsWith('plan') ? [turns, call('propose_plan', plan, 'plan')] : [ofAgent, undefined];
          return (turnAt) => {
            const at = first ? turnAt - 1 : turnAt;
            return at < 0 ? (first ?? []) : at < all.length ? callsOf(all, at) : say('Done.');
          };
        });
        await using kedge = await assistantOn(files, [], { adapter });
        kedge.session.subscribe((event) => {
          if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: false });
          if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, { option: 'Retry' });
        });
        await kedge.session.prompt({ text: 'plan with the coder', mode: 'plan' });
        await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
        const state = emptySession();
        for (const event of kedge.session.events) {
          reduce(state, event);
          if (event.type === 'run_started' && event.parent) runs++;
          if (event.type !== 'changes_staged') continue;
          changed++;
          const step = state.lastRun && currentStep(state.lastRun);
          const { files: scope = [], agent } = plan.steps[(step ?? 0) - 1] ?? {};
          for (const each of event.changes) assert.ok(inScope(each.path.replace(/\/$/, ''), scope), `${each.path} in step ${step}`);
          assert.equal(event.runId.includes('.'), agent !== undefined);
        }
        assert.equal(await kedge.read('out.txt'), 'x\n');
      }),
      { numRuns: 60, seed: 1 },
    );
    assert.ok(runs > 20 && changed > 10, `${runs} runs of agents, ${changed} changes`);
  });

  it('a step that is rolled back restores every byte and directory', async () => {
    const plan: PlanDraft = { goal: 'g', steps: [{ title: 'one', files: ['**'] }] };
    await fc.assert(
      fc.asyncProperty(turnsOf(change), async (turns) => {
        const script = turns.map((calls) => turn(...calls.map(({ name, input }) => call(name, input))));
        const failed = turn(call('update_step', { step: 1, status: 'failed' }));
        await using kedge = await assistantOn(files, [turn(call('propose_plan', plan)), ...script, failed, turn(say('Done.'))]);
        kedge.session.subscribe((event) => {
          if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: true });
          if (event.type !== 'question_asked') return;
          const option = event.question.options.some(({ label }) => label === 'Roll back') ? 'Roll back' : 'Skip';
          void kedge.session.answerQuestion(event.questionId, { option });
        });
        const before = await kedge.snapshot();
        await runOf(kedge);
        assert.equal(lastOf(kedge.events, 'plan_step').status, 'skipped');
        assert.deepEqual(await kedge.snapshot(), before);
      }),
      { numRuns: 60 },
    );
  });

  it('a reload while the user is asked does not change the outcome', async () => {
    const answers = fc.array(fc.nat(11), { minLength: 1, maxLength: 8 });
    const reloads = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(turnsOf(fc.oneof(change, change, report)), answers, reloads, async (turns, choices, when) => {
        const [without, with_] = [await outcomeOf(turns, choices, [false]), await outcomeOf(turns, choices, when)];
        assert.deepEqual(with_, without);
      }),
      {
        numRuns: 60,
        examples: [
          [TWICE_FAILED, [2, 0], [false, true, false]],
          [LEAVES_A_FAILED_CHECK, [1], [true, false]],
        ],
      },
    );
  });
});

/** If the first answer pauses the run, the second question is not asked. */
const TWICE_FAILED: Turns = [Array.from({ length: 2 }, () => ({ name: 'update_step', input: { step: 1, status: 'failed' } }))];

/** The question belongs to the call that would have started the next step. */
const LEAVES_A_FAILED_CHECK: Turns = [
  [
    { name: 'replace_in_file', input: { path: 'a.txt', edits: [{ old_text: 'x', new_text: 'bad' }] } },
    { name: 'update_step', input: { step: 2, status: 'started' } },
  ],
];

type Turns = { name: string; input: unknown }[][];

/**
 * Returns the outcome of a run whose user gives these answers in order, beginning again after the last one. Each answer may follow a
 * reload.
 */
async function outcomeOf(turns: Turns, choices: readonly number[], reloads: readonly boolean[]) {
  const script = turns.map((calls, turnAt) => turn(...calls.map(({ name, input }, at) => call(name, input, `t${turnAt}c${at}`))));
  await using first = await assistantOn(files, [turn(call('propose_plan', PLAN)), ...script, turn(say('Done.'))]);
  let kedge = first;
  await kedge.session.prompt({ text: 'plan', mode: 'plan' });
  let run = kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
  const asked: string[] = [];
  for (let count = 0; ; count++) {
    await Promise.race([run, untilAsked(kedge)]);
    const [approval, question] = pendingOf(kedge);
    if (!approval && !question) break;
    const isReloaded = reloads[count % reloads.length];
    if (isReloaded) kedge = await kedge.reload();
    const choice = choices[count % choices.length] as number;
    asked.push(approval?.reason ?? question?.question.text ?? '');
    const options = question?.question.options ?? [];
    const heard = nextEvent(kedge.session, approval ? 'approval_resolved' : 'question_answered');
    const answered = approval
      ? kedge.session.answerApproval(approval.approvalId, { approve: choice % 2 === 0 })
      : kedge.session.answerQuestion(question?.questionId ?? '', { option: options[choice % options.length]?.label ?? '' });
    // After a reload, the answer resolves at the end of the run.
    if (isReloaded) run = answered;
    await heard;
  }
  const { lastRun } = kedge.session.state;
  const steps = Object.entries(lastRun?.steps ?? {}).map(([step, { status, rolledBack }]) => `${step} ${status} ${rolledBack ?? ''}`);
  return { asked, steps, status: lastRun?.status, outcome: lastRun?.outcome, files: filesOf(await kedge.snapshot()) };
}

/** Only the program that created a directory removes it when a move leaves it empty, so after a reload it remains. */
function filesOf(snapshot: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(snapshot).filter(([path]) => !path.endsWith('/')));
}

function pendingOf({ session: { state } }: Harness) {
  return [[...state.pendingApprovals.values()][0], [...state.pendingQuestions.values()][0]] as const;
}

/** Resolves when the user is asked, or immediately if a question is already open. */
async function untilAsked(kedge: Harness): Promise<void> {
  if (pendingOf(kedge).some(Boolean)) return;
  await Promise.race([nextEvent(kedge.session, 'approval_requested'), nextEvent(kedge.session, 'question_asked')]);
}

import assert from 'node:assert/strict';
import { revisionHash } from '../../../src/core/plan/hash.ts';
import type { Plan } from '../../../src/core/plan/plan.ts';
import type { MutableSessionState } from '../../../src/core/session/session-state.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, resultTexts } from '../../support/harness.ts';

const PLAN = {
  goal: 'Say goodbye',
  steps: [
    { title: 'Change the greeting', files: ['src/greet.ts'], tools: ['replace_in_file'] },
    { title: 'Note it', files: ['docs/*.md'], check: 'read it' },
  ],
  checks: ['npm test'],
};
const files = { 'src/greet.ts': 'hello\n', 'src/other.ts': 'hello\n' };
const propose = turn(say('Here is a plan.'), call('propose_plan', PLAN));
const edit = (path: string) => call('replace_in_file', { path, edits: [{ old_text: 'hello', new_text: 'goodbye' }] });
const step = (number: number, status: string, note?: string) => call('update_step', { step: number, status, ...(note && { note }) });
const done = turn(say('Done.'));
const rules = ({ session }: Harness) =>
  eventsOf(session.events, 'tool_started')
    .filter(({ effect }) => effect !== 'readonly')
    .map(({ decision }) => decision.rule);

async function proposed(kedge: Harness): Promise<Plan> {
  await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
  return lastOf(kedge.events, 'plan_proposed').plan;
}

describe('a plan', () => {
  it('is proposed by the model, ends the run, and changes nothing', async () => {
    await using kedge = await assistantOn(files, [propose]);
    const before = await kedge.snapshot();
    const plan = await proposed(kedge);
    assert.deepEqual({ ...plan, id: '' }, { ...PLAN, id: '', revision: 1, hash: await revisionHash(plan) });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'plan_proposed');
    assert.equal(kedge.adapter.requests.length, 1);
    assert.deepEqual(await kedge.snapshot(), before);
  });

  it('without a valid file path is refused, so that the model corrects it', async () => {
    const wrong = { goal: 'g', steps: [{ title: 't', files: ['../outside.ts'] }] };
    await using kedge = await assistantOn(files, [
      turn(call('propose_plan', wrong)),
      turn(call('propose_plan', { goal: 'g', steps: [] })),
      propose,
    ]);
    await proposed(kedge);
    assert.match(
      resultTexts(kedge.session).join('\n'),
      /^ERROR \.\.\/outside\.ts is outside the workspace\. Use a path in the workspace\.\nERROR The arguments of propose_plan do not fit/,
    );
    assert.equal(eventsOf(kedge.events, 'plan_proposed').length, 1);
  });

  it('is carried out when the user confirms it: its files need no further approval, and its steps are reported', async () => {
    await using kedge = await assistantOn(files, [
      propose,
      turn(step(1, 'started'), edit('src/greet.ts'), step(1, 'done', 'was easy')),
      turn(step(2, 'started'), call('create_file', { path: 'docs/note.md', content: 'goodbye\n' }), step(2, 'done')),
      done,
    ]);
    const plan = await proposed(kedge);
    await kedge.session.plans.answer(plan.id, 'run');
    assert.equal(await kedge.read('src/greet.ts'), 'goodbye\n');
    assert.equal(await kedge.read('docs/note.md'), 'goodbye\n');
    assert.deepEqual(rules(kedge), ['confirmed-plan', 'confirmed-plan']);
    assert.deepEqual(
      eventsOf(kedge.events, 'plan_step').map((event) => [event.planId === plan.id, event.step, event.status, event.note]),
      [
        [true, 1, 'started', undefined],
        [true, 1, 'done', 'was easy'],
        [true, 2, 'started', undefined],
        [true, 2, 'done', undefined],
      ],
    );
    const { plan: bound, mode } = lastOf(kedge.events, 'run_started');
    assert.deepEqual([bound, mode], [plan, 'agent']);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('limits the run: other files need approval, whatever was granted', async () => {
    await using kedge = await assistantOn(files, [
      propose,
      turn(edit('src/other.ts')),
      turn(edit('src/greet.ts')),
      turn(call('move_file', { from: 'src/greet.ts', to: 'src/elsewhere.ts' })),
      turn(call('create_file', { path: 'docs/deep/note.md', content: '' })),
      turn(call('delete_file', { path: 'src/greet.ts' })),
      done,
    ]);
    answerAll(kedge.session, { approve: false });
    const plan = await proposed(kedge);
    (kedge.session.state as MutableSessionState).grants.push({ scope: 'session', covers: { kind: 'edits' }, runId: '' });
    await kedge.session.plans.answer(plan.id, 'run');
    assert.deepEqual(rules(kedge), ['outside-plan', 'confirmed-plan', 'outside-plan', 'outside-plan', 'confirmed-plan']);
    assert.equal(await kedge.read('src/other.ts'), 'hello\n');
  });

  it('does not allow protected paths, even if it names them', async () => {
    const plan = { goal: 'g', steps: [{ title: 't', files: ['.vscode/**', '**', '!nothing'] }] };
    await using kedge = await assistantOn(files, [
      turn(call('propose_plan', plan)),
      turn(call('create_file', { path: '.vscode/tasks.json', content: '{}' })),
      done,
    ]);
    answerAll(kedge.session, { approve: false });
    await kedge.session.plans.answer((await proposed(kedge)).id, 'run');
    assert.deepEqual(rules(kedge), ['protected-path']);
  });

  it('can be edited before it is confirmed, and then the edited plan limits the run', async () => {
    await using kedge = await assistantOn(files, [propose, turn(edit('src/greet.ts')), turn(edit('src/other.ts')), done]);
    answerAll(kedge.session, { approve: false });
    const plan = await proposed(kedge);
    const edited = { ...plan, id: 'another', revision: 2, steps: [{ title: 'Only the other', files: ['src/other.ts'] }] };
    await kedge.session.plans.answer(plan.id, 'run', { edited });
    assert.deepEqual(rules(kedge), ['outside-plan', 'confirmed-plan']);
    const bound = { ...edited, id: plan.id, hash: await revisionHash(edited) };
    assert.notEqual(bound.hash, plan.hash);
    assert.deepEqual(lastOf(kedge.events, 'run_started').plan, bound);
    assert.deepEqual(kedge.session.state.plans.get(plan.id), { plan: bound, status: 'confirmed' });
    assert.match(JSON.stringify(kedge.adapter.requests[1]?.messages.at(-1)), /Only the other/);
  });

  it('is carried out by the selected model', async () => {
    await using kedge = await assistantOn(files, [propose, done]);
    const model = { provider: 'scripted', model: 'picked' };
    await kedge.session.plans.answer((await proposed(kedge)).id, 'run', { model });
    assert.deepEqual(lastOf(kedge.events, 'run_started').model, model);
  });

  it('cannot be run after it was discarded', async () => {
    await using kedge = await assistantOn(files, [propose]);
    const { id } = await proposed(kedge);
    await kedge.session.plans.answer(id, 'discard');
    assert.equal(kedge.session.state.plans.get(id)?.status, 'discarded');
    await assert.rejects(kedge.session.plans.answer(id, 'run'), /This plan has already been discarded/);
    assert.equal(kedge.adapter.requests.length, 1);
  });

  it('can only be confirmed once', async () => {
    await using kedge = await assistantOn(files, [propose, done]);
    const { id } = await proposed(kedge);
    await kedge.session.plans.answer(id, 'run');
    await assert.rejects(kedge.session.plans.answer(id, 'run'), /This plan has already been confirmed/);
    await assert.rejects(kedge.session.plans.answer('none', 'run'), /This plan was not found/);
  });

  it('can be confirmed after a reload', async () => {
    await using kedge = await assistantOn(files, [propose, turn(edit('src/greet.ts')), done]);
    const { id } = await proposed(kedge);
    const again = await kedge.reload();
    assert.equal(again.session.state.plans.get(id)?.status, 'proposed');
    await again.session.plans.answer(id, 'run');
    assert.equal(await kedge.read('src/greet.ts'), 'goodbye\n');
  });

  it('still limits its run after a reload during the run', async () => {
    await using kedge = await assistantOn(files, [propose, turn(edit('src/greet.ts')), turn(edit('src/other.ts')), done], {
      limits: { turns: 1 },
    });
    const { id } = await proposed(kedge);
    await kedge.session.plans.answer(id, 'run');
    const again = await kedge.reload();
    answerAll(again.session, { approve: false });
    await again.session.resume();
    await again.session.resume();
    assert.deepEqual(rules(again), ['confirmed-plan', 'outside-plan']);
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
  });

  it('can be confirmed again if a crash prevented its run', async () => {
    await using kedge = await assistantOn(files, [propose, turn(edit('src/greet.ts')), done]);
    const { id } = await proposed(kedge);
    kedge.session.subscribe((event) => {
      if (event.type === 'plan_resolved') kedge.assistant.close();
    });
    await kedge.session.plans.answer(id, 'run').catch(() => undefined);
    const again = await kedge.reload();
    assert.equal(again.session.state.plans.get(id)?.status, 'confirmed');
    await again.session.plans.answer(id, 'run');
    assert.equal(await kedge.read('src/greet.ts'), 'goodbye\n');
  });

  it('has its step tools only in its own run, and no step after its last', async () => {
    await using kedge = await assistantOn(files, [propose, turn(step(3, 'done')), done, turn(step(1, 'done')), done]);
    const { id } = await proposed(kedge);
    await kedge.session.plans.answer(id, 'run');
    await kedge.session.prompt({ text: 'more', mode: 'agent' });
    assert.deepEqual(resultTexts(kedge.session).slice(1), [
      'ERROR The plan has no step 3. Use a number from 1 to 2.',
      'ERROR There is no tool update_step in Agent mode.',
    ]);
  });

  it('is not required for a simple question in Plan mode', async () => {
    await using kedge = await assistantOn(files, [turn(say('It says hello.'))]);
    await kedge.session.prompt({ text: 'what does it say?', mode: 'plan' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });
});

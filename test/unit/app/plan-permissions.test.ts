/** Tests what the run of a confirmed plan may do without approval: its checks, and edits outside the plan that the user allowed. */
import assert from 'node:assert/strict';
import { checkCommands, type PlanDraft } from '../../../src/core/plan/plan.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { NO_RULES, type SourcedRule } from '../../../src/policy/rules.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, type HarnessOptions, lastOf, nextEvent } from '../../support/harness.ts';

const files = { 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': 'old\n', 'src/d.txt': 'old\n', 'check.mjs': '', 'sub/check.mjs': '' };
const edit = (path: string) => call('replace_in_file', { path, edits: [{ old_text: 'old', new_text: 'new' }] });
const step = (number: number, status: string) => call('update_step', { step: number, status });
const run = (command: string, more = {}) => call('run_command', { command, ...more });
const done = turn(say('Done.'));
const withCommands = { commands: true, shellParsers: nodeShellParsers };

async function planOn(plan: PlanDraft, turns: readonly ScriptedTurn[], options: HarnessOptions = {}, more = {}) {
  const kedge = await assistantOn({ ...files, ...more }, [turn(call('propose_plan', plan)), ...turns], { ...withCommands, ...options });
  await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
  return { kedge, planId: lastOf(kedge.events, 'plan_proposed').plan.id };
}

const decisions = (kedge: Harness) =>
  eventsOf(kedge.session.events, 'tool_started').flatMap(({ effect, decision }) => (effect === 'readonly' ? [] : [decision.rule]));

describe('a command that a check of the confirmed plan names', () => {
  const plan: PlanDraft = {
    goal: 'g',
    steps: [{ title: 'One', files: ['a.txt'], check: { command: 'node check.mjs' } }],
    checks: [{ command: 'node check.mjs && cat a.txt' }],
  };

  it('runs as a check and for the model without approval', async () => {
    const turns = [
      turn(step(1, 'started'), edit('a.txt'), run('node check.mjs'), step(1, 'done')),
      turn(run('node check.mjs && cat a.txt')),
      done,
      done,
    ];
    const { kedge, planId } = await planOn(plan, turns);
    await using _ = kedge;
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual(decisions(kedge), ['confirmed-plan', 'confirmed-plan', 'confirmed-plan']);
    assert.deepEqual(
      [...eventsOf(kedge.events, 'step_checked'), ...eventsOf(kedge.events, 'plan_checked')].map(({ outcome }) => outcome),
      ['passed', 'passed', 'passed'],
    );
    assert.equal(eventsOf(kedge.events, 'question_asked').length + eventsOf(kedge.events, 'approval_requested').length, 0);
    await kedge.session.prompt({ text: 'go on', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('needs approval with other words, in another folder, in the background, and outside the run of the plan', async () => {
    const others = [run('node check.mjs --x'), run('node check.mjs', { cwd: 'sub' }), run('node check.mjs', { background: true })];
    const { kedge, planId } = await planOn(plan, [turn(...others), done, turn(run('node check.mjs')), done]);
    await using _ = kedge;
    answerAll(kedge.session, { approve: false });
    await kedge.session.plans.answer(planId, 'run');
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 3);
    await kedge.session.prompt({ text: 'check it', mode: 'agent' });
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 4);
  });

  it('still asks if it is dangerous, reads a secret, or if a rule asks for it; a rule can deny it', async () => {
    const asked: string[] = [];
    const rule = (effect: SourcedRule['effect']): SourcedRule => ({ effect, command: 'node', from: 'user' });
    for (const [command, rules] of [
      ['node -e 1', []],
      ['rm c.txt', []],
      ['cat .env', []],
      ['echo $(cat c.txt)', []],
      ['node check.mjs > out.txt', []],
      ['node check.mjs', [rule('ask')]],
      ['node check.mjs', [rule('deny')]],
    ] as const) {
      const policy = () => ({ ...NO_RULES, rules: [...rules] });
      const dangerous: PlanDraft = { goal: 'g', steps: [{ title: 'One', files: ['a.txt'], check: { command } }] };
      const { kedge, planId } = await planOn(dangerous, [turn(edit('a.txt'), run(command), step(1, 'done')), done], { policy });
      await using _ = kedge;
      answerAll(kedge.session, { approve: false });
      kedge.session.subscribe((event) => {
        if (event.type === 'question_asked') void kedge.session.answerQuestion(event.questionId, { option: 'Skip' });
      });
      await kedge.session.plans.answer(planId, 'run');
      const { outcome, output } = lastOf(kedge.events, 'step_checked');
      assert.equal(outcome, 'not_run', command);
      asked.push(`${eventsOf(kedge.events, 'approval_requested').length} ${eventsOf(kedge.events, 'question_asked').length} ${output}`);
    }
    const skipped = '1 1 The command was not approved.';
    assert.deepEqual(asked, [...Array(6).fill(skipped), '0 0 The command is not allowed: Your settings deny `node`.']);
  });

  const own = 'console.log("own code");\n';
  const write = (path: string, text: string) => call('replace_in_file', { path, edits: [{ old_text: text, new_text: own }] });
  const create = (path: string) => call('create_file', { path, content: '1;\n' });
  const check = (path: string, command: string): PlanDraft => ({ goal: 'g', steps: [{ title: 'One', files: [path], check: { command } }] });
  const project = { 'package.json': '{"scripts":{"test":"node tools/t.mjs"}}', 'tools/t.mjs': 'old\n' };

  it('needs approval once the run has written the code that it runs, although that write needs none', async () => {
    for (const [name, plan, writes] of [
      ['named in the plan', check('tools/t.mjs', 'node tools/t.mjs'), [write('tools/t.mjs', 'old')]],
      ['created', check('tools/x.mjs', 'node tools/x.mjs'), [create('tools/x.mjs')]],
      ['run by a script', check('tools/t.mjs', 'npm test'), [write('tools/t.mjs', 'old')]],
      ['a test that the plan does not name', check('test/**', 'node --test test/x.test.mjs test/y.test.mjs'), [create('test/y.test.mjs')]],
      ['a test for a script', check('test/**', 'npm test -- test/x.test.mjs'), [create('test/x.test.mjs')]],
    ] as const) {
      const of = { command: checkCommands(plan)[0] ?? '' };
      const turns = [turn(...writes, run(of.command), step(1, 'done')), done];
      const { kedge, planId } = await planOn(plan, turns, {}, project);
      await using _ = kedge;
      answerAll(kedge.session, { approve: false });
      const questions: string[] = [];
      kedge.session.subscribe((event) => {
        if (event.type !== 'question_asked') return;
        questions.push(event.question.reason ?? '');
        void kedge.session.answerQuestion(event.questionId, { option: 'Skip' });
      });
      await kedge.session.plans.answer(planId, 'run');
      const [approval, ...more] = eventsOf(kedge.events, 'approval_requested');
      const path = /\S+\.mjs$/.exec(of.command)?.[0] ?? 'tools/t.mjs';
      assert.ok(approval?.reason.includes(` This run changed ${path}`), `${name}: ${approval?.reason}`);
      assert.deepEqual([approval?.command?.text, more.length, questions], [of.command, 0, [approval?.reason]], name);
      assert.equal(lastOf(kedge.events, 'step_checked').outcome, 'not_run', name);
    }
  });
});

describe('a check that runs a test', () => {
  it('needs no approval if the plan names the test, and what it tests, as files to change', async () => {
    const steps = [{ title: 'One', files: ['test/x.test.mjs', 'lib.mjs'], check: { command: 'node --test test/x.test.mjs' } }];
    const created = [
      call('create_file', { path: 'lib.mjs', content: 'export const one = 1;\n' }),
      call('create_file', { path: 'test/x.test.mjs', content: "import '../lib.mjs';\n" }),
    ];
    const { kedge, planId } = await planOn({ goal: 'g', steps }, [turn(...created, step(1, 'done')), done]);
    await using _ = kedge;
    await kedge.session.plans.answer(planId, 'run');
    assert.deepEqual([...eventsOf(kedge.events, 'approval_requested'), ...eventsOf(kedge.events, 'question_asked')], []);
    assert.equal(lastOf(kedge.events, 'step_checked').outcome, 'passed');
  });
});

describe('edits outside the plan', () => {
  const plan: PlanDraft = { goal: 'g', steps: [{ title: 'One', files: ['a.txt'] }] };
  const work = [turn(edit('b.txt')), turn(edit('c.txt'), edit('a.txt')), done];

  it('can be allowed for the run, at the first of them', async () => {
    const { kedge, planId } = await planOn(plan, work);
    await using _ = kedge;
    const ended = kedge.session.plans.answer(planId, 'run');
    const { approvalId, rule, covers } = await nextEvent(kedge.session, 'approval_requested');
    assert.deepEqual([rule, covers?.[0]], ['outside-plan', { kind: 'edits', beyondPlan: true }]);
    await kedge.session.answerApproval(approvalId, { approve: true, grant: 'run', covers: 0 });
    await ended;
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 1);
    assert.deepEqual(decisions(kedge), ['outside-plan', 'granted', 'confirmed-plan']);
    assert.equal(await kedge.read('c.txt'), 'new\n');
  });

  it('cannot be allowed for longer, and other permissions for edits do not allow them', async () => {
    const { kedge, planId } = await planOn(plan, work);
    await using _ = kedge;
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: true, grant: 'session', covers: 0 });
    await kedge.session.plans.answer(planId, 'run');
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 2);
    assert.deepEqual(kedge.session.state.grants, []);
    assert.equal('grant' in lastOf(kedge.events, 'approval_resolved').answer, false);
  });

  it('can be allowed when the plan is confirmed, for its run only; deletions and protected files still ask', async () => {
    const more = turn(call('delete_file', { path: 'src/d.txt' }), call('create_file', { path: '.vscode/x.json', content: '{}' }));
    const { kedge, planId } = await planOn(plan, [turn(edit('b.txt')), more, done, turn(edit('c.txt')), done]);
    await using _ = kedge;
    answerAll(kedge.session, { approve: false });
    await kedge.session.plans.answer(planId, 'run', { allowEdits: true });
    assert.equal(await kedge.read('b.txt'), 'new\n');
    assert.deepEqual(
      eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule),
      ['deletes', 'protected-path'],
    );
    assert.deepEqual(lastOf(kedge.events, 'run_started').grants, [{ kind: 'edits', beyondPlan: true }]);
    assert.deepEqual(foldSession(kedge.session.events).grants, kedge.session.state.grants);
    await kedge.session.prompt({ text: 'go on', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'approval_requested').rule, 'edit');
    const { session: copy } = await (await kedge.assistant.library()).fork(kedge.session.id);
    assert.equal(copy.state.grants.length, 0);
    assert.ok(copy.events.every((event) => !('grants' in event)));
  });
});

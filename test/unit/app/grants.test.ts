import assert from 'node:assert/strict';
import type { AgentEvent, ApprovalAnswer } from '../../../src/core/session/events.ts';
import type { Permission } from '../../../src/core/session/grant-scope.ts';
import { migrated } from '../../../src/core/session/log-format.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { nodeShellParsers } from '../../../src/hosts/node/shell/shell-parser.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const create = (path: string) => call('create_file', { path, content: `${path}\n` });
const done = turn(say('Done.'));
const rules = (kedge: Harness) => eventsOf(kedge.events, 'tool_started').map(({ decision }) => `${decision.kind} ${decision.rule}`);
/** Gives these answers to the first approvals, and rejects all later ones. */
const answers = ({ session }: Harness, ...given: ApprovalAnswer[]) => {
  session.subscribe((event) => {
    if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, given.shift() ?? { approve: false });
  });
};

describe('a permanent permission', () => {
  it('covers exactly what the question offered: this tool, in this folder', async () => {
    await using kedge = await assistantOn({}, [
      turn(create('src/a.ts')),
      turn(create('src/deep/b.ts')),
      turn(create('lib/c.ts')),
      turn(create('src/.d')),
      done,
    ]);
    answers(kedge, { approve: true, grant: 'run', covers: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(eventsOf(kedge.events, 'approval_requested')[0]?.covers, [
      { kind: 'edits' },
      { kind: 'path', tool: 'create_file', glob: 'src/**' },
    ]);
    assert.deepEqual(rules(kedge), ['ask edit', 'allow granted', 'ask edit', 'ask edit']);
  });

  it('cannot cover anything that was not offered', async () => {
    await using kedge = await assistantOn({}, [turn(create('a.txt')), turn(create('b.txt')), done]);
    answers(kedge, { approve: true, grant: 'session', covers: 7 });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(eventsOf(kedge.events, 'approval_resolved')[0]?.answer, { approve: true });
    assert.deepEqual(rules(kedge), ['ask edit', 'ask edit']);
  });

  it('for the workspace is stored by the host, and not in a file of the workspace', async () => {
    await using kedge = await assistantOn({}, [turn(create('src/a.ts')), done, turn(create('src/b.ts')), done]);
    answers(kedge, { approve: true, grant: 'workspace', covers: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(kedge.granted.covers, [{ kind: 'path', tool: 'create_file', glob: 'src/**' }]);
    assert.deepEqual(kedge.session.state.grants, []);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/src/', 'workspace/src/a.ts']);
    const other = await kedge.assistant.newSession();
    await other.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(eventsOf(other.events, 'approval_requested'), []);
  });

  it('can be removed individually, also in the session', async () => {
    const path: Permission = { kind: 'path', tool: 'create_file', glob: 'src/**' };
    await using kedge = await assistantOn({}, [
      turn(create('src/a.ts')),
      turn(create('b.ts')),
      done,
      turn(create('src/c.ts')),
      turn(create('d.ts')),
      done,
    ]);
    answers(kedge, { approve: true, grant: 'session', covers: 1 }, { approve: true, grant: 'session', covers: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    kedge.assistant.revokeGrants(path);
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['ask edit', 'ask edit', 'ask edit', 'ask edit']);
    assert.deepEqual(
      kedge.session.state.grants.map(({ covers }) => covers),
      [{ kind: 'path', tool: 'create_file', glob: 'b.ts' }],
    );
    assert.deepEqual(lastOf(kedge.events, 'grants_revoked').covers, path);
  });

  it('in an older log applies to edits', () => {
    const event = (seq: number, body: object) => migrated({ runId: 'r', seq, at: seq, ...body }, 1) as AgentEvent;
    const log = (grant: string) => [
      event(1, { type: 'run_started', mode: 'agent', prompt: 'go', model: { provider: 'p', model: 'm' }, limits: {} }),
      event(2, {
        type: 'approval_requested',
        approvalId: 'a',
        callId: 'c',
        title: 'Edit',
        rule: 'edit',
        reason: 'x',
        changes: [],
        digest: 'd',
      }),
      event(3, { type: 'approval_resolved', approvalId: 'a', callId: 'c', digest: 'd', answer: { approve: true, grant } }),
    ];
    assert.deepEqual(foldSession(log('session')).grants, [{ scope: 'session', covers: { kind: 'edits' }, runId: 'r' }]);
    assert.deepEqual(foldSession(log('run')).grants, [{ scope: 'run', covers: { kind: 'edits' }, runId: 'r' }]);
    assert.deepEqual(foldSession(log('workspace')).grants, []);
    assert.deepEqual(foldSession([...log('session'), event(4, { type: 'grants_revoked' })]).grants, []);
  });
});

describe('similar questions', () => {
  const four = [create('a'), create('b'), create('sub/c'), create('d')];

  it('are counted in the first of them', async () => {
    await using kedge = await assistantOn({}, [turn(call('list_directory', {}), ...four), done]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.events, 'approval_requested').map(({ similar }) => similar),
      [3, 2, 1, undefined],
    );
  });

  it('are answered together for the calls of this turn', async () => {
    await using kedge = await assistantOn({}, [turn(...four), turn(create('e')), done]);
    answers(kedge, { approve: true, grant: 'turn' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['ask edit', 'allow edits-granted', 'allow edits-granted', 'allow edits-granted', 'ask edit']);
    assert.deepEqual(resultTexts(kedge.session).at(-1), 'ERROR The user rejected this.');
    assert.deepEqual(kedge.session.state.grants, []);
  });

  it('are still judged one by one', async () => {
    const mixed = [create('a'), create('.git/hooks/pre-commit'), call('delete_file', { path: 'old' }), create('.env'), create('b')];
    await using kedge = await assistantOn({ old: 'x' }, [turn(...mixed), done]);
    answers(kedge, { approve: true, grant: 'turn' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['ask edit', 'ask protected-path', 'ask deletes', 'ask secret', 'allow edits-granted']);
    assert.equal(await kedge.read('old'), 'x');
  });

  it('are answered together after a reload, too', async () => {
    await using kedge = await assistantOn({}, [turn(...four), done]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    void kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    const again = await kedge.reload();
    await again.session.answerApproval(approvalId, { approve: true, grant: 'turn' });
    assert.deepEqual(eventsOf(again.events, 'approval_requested'), []);
    assert.deepEqual(Object.keys(await kedge.snapshot()).filter((path) => !path.endsWith('/')).length, 4);
  });
});

describe('a permission for a command', () => {
  const run = (command: string) => call('run_command', { command });
  const on = (...commands: string[]) =>
    assistantOn({ 'a.txt': 'one\n' }, [turn(...commands.map(run)), done], { commands: true, shellParsers: nodeShellParsers });

  it('covers commands that begin with the same words, and no commands after them', async () => {
    await using kedge = await on(
      'wc -l a.txt',
      'wc -l a.txt | wc -c',
      'wc -l a.txt; touch owned',
      'wc -l $(touch owned)',
      'wcx',
      'rm a.txt',
    );
    answers(kedge, { approve: true, grant: 'run' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const asked = eventsOf(kedge.events, 'approval_requested');
    assert.deepEqual(asked[0]?.covers, [{ kind: 'command', prefix: ['wc'] }]);
    assert.deepEqual(
      rules(kedge).map((rule) => rule.split(' ')[0]),
      ['ask', 'allow', 'allow', 'ask', 'ask', 'ask', 'ask'],
      'of the first, the second entry is its beginning',
    );
    assert.deepEqual(await kedge.read('a.txt'), 'one\n');
    const { receipt } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([receipt?.commands, receipt?.asked, receipt?.approved], [['wc -l a.txt', 'wc -l a.txt | wc -c'], 5, 1]);
  });

  it('applies once if the command is dangerous', async () => {
    await using kedge = await on('rm a.txt', 'rm a.txt');
    answers(kedge, { approve: true, grant: 'session' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual([eventsOf(kedge.events, 'approval_requested').length, kedge.session.state.grants], [2, []]);
  });
});

describe('the user’s own files', () => {
  it('are not deleted with a permission for edits; files that the run created may be', async () => {
    const remove = (path: string) => call('delete_file', { path });
    await using kedge = await assistantOn({ old: 'x' }, [
      turn(create('new')),
      turn(remove('new')),
      turn(remove('old')),
      turn(create('new')),
      turn(remove('new')),
      done,
    ]);
    kedge.granted.covers.push({ kind: 'edits' });
    answers(kedge);
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), [
      'allow edits-granted',
      'allow edits-granted',
      'ask deletes',
      'allow edits-granted',
      'allow edits-granted',
    ]);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/old']);
  });

  it('include files that the run created and the user then changed', async () => {
    await using kedge = await assistantOn({}, [
      turn(create('new')),
      turn(call('list_directory', {})),
      turn(call('delete_file', { path: 'new' })),
      done,
    ]);
    kedge.granted.covers.push({ kind: 'edits' });
    answers(kedge);
    const changed = new Promise<void>((resolve) => {
      kedge.session.subscribe((event) => {
        if (event.type === 'file_changed') void kedge.write('new', 'mine').then(resolve);
      });
    });
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await changed;
    await ended;
    assert.equal(rules(kedge).at(-1), 'ask deletes');
    assert.equal(await kedge.read('new'), 'mine');
  });
});

describe('forty edits', () => {
  const files = Array.from({ length: 40 }, (_, index) => `src/f${index}.ts`);
  const before = Object.fromEntries(files.map((path) => [path, 'one\n']));
  const edits = files.map((path) => turn(call('replace_in_file', { path, edits: [{ old_text: 'one', new_text: 'two' }] })));
  const astray = [
    turn(call('replace_in_file', { path: 'package.json', edits: [{ old_text: '{}', new_text: '{"a":1}' }] })),
    turn(create('.git/hooks/pre-commit')),
  ];
  const untouched = { 'package.json': '{}', '.env': 'KEY=1', 'other/x.ts': 'x' };

  const check = async (kedge: Harness) => {
    for (const path of files) assert.equal(await kedge.read(path), 'two\n', path);
    for (const [path, content] of Object.entries(untouched)) assert.equal(await kedge.read(path), content);
  };

  it('in a confirmed plan need exactly one approval, that of the plan', async () => {
    const plan = call('propose_plan', { goal: 'one to two', steps: [{ title: 'Edit all', files: ['src/*.ts'] }] });
    await using kedge = await assistantOn({ ...before, ...untouched }, [turn(plan), ...edits, done]);
    let asked = 0;
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested' || event.type === 'question_asked' || event.type === 'plan_proposed') asked++;
    });
    await kedge.session.prompt({ text: 'go', mode: 'plan' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    assert.equal(asked, 1);
    await check(kedge);
    assert.equal(lastOf(kedge.events, 'run_finished').receipt?.changedCount, 40);
  });

  it('in Agent mode with permission for edits need no approval', async () => {
    await using kedge = await assistantOn({ ...before, ...untouched }, [...edits, done]);
    kedge.granted.covers.push({ kind: 'edits' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(eventsOf(kedge.events, 'approval_requested'), []);
    await check(kedge);
  });

  it('change only permitted files, whatever the model tries in between', async () => {
    const plan = call('propose_plan', { goal: 'one to two', steps: [{ title: 'Edit all', files: ['src/*.ts'] }] });
    await using kedge = await assistantOn({ ...before, ...untouched }, [
      turn(plan),
      ...edits.slice(0, 20),
      ...astray,
      ...edits.slice(20),
      done,
    ]);
    answers(kedge);
    await kedge.session.prompt({ text: 'go', mode: 'plan' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    assert.deepEqual(
      eventsOf(kedge.events, 'approval_requested').map(({ rule }) => rule),
      ['outside-plan', 'protected-path'],
    );
    await check(kedge);
  });
});

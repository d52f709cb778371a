/** Attacks by a workspace on the user’s settings, and on the answers that the user has given. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import type { ApprovalAnswer } from '../../../src/core/session/events.ts';
import { readRules, type SourcedRule } from '../../../src/policy/rules.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Files, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const create = (path: string) => call('create_file', { path, content: `${path}\n` });
const done = turn(say('Done.'));
const rules = (kedge: Harness) => eventsOf(kedge.events, 'tool_started').map(({ decision }) => `${decision.kind} ${decision.rule}`);
const written = async (kedge: Harness) =>
  Object.keys(await kedge.snapshot()).filter((path) => path.startsWith('workspace/') && !path.endsWith('/'));
const policy =
  (...sets: [from: SourcedRule['from'], rules: unknown][]) =>
  () => {
    const all = sets.map(([from, value]) => readRules(value, from, 'kedge.policy.rules'));
    return { rules: all.flatMap((set) => set.rules), problems: all.flatMap((set) => set.problems) };
  };

describe('an untrusted workspace', () => {
  const FILES: Files = { 'a.txt': 'one', '.env': 'KEY=1' };
  for (const mode of ['plan', 'agent'] as const)
    it(`has no ${mode} mode`, async () => {
      await using kedge = await assistantOn(FILES, [turn(call('read_file', { path: 'a.txt' }), create('b.txt')), done], { trusted: false });
      kedge.granted.covers.push({ kind: 'edits' });
      await kedge.session.prompt({ text: 'go', mode });
      for (const { decision } of eventsOf(kedge.events, 'tool_finished')) assert.equal(decision?.kind, 'deny');
      assert.deepEqual(await written(kedge), ['workspace/.env', 'workspace/a.txt']);
      assert.ok(kedge.adapter.requests[0]?.tools.every(({ name }) => !/create|replace|patch|move|delete|run_command|fetch/.test(name)));
    });

  it('cannot reach hosts or run programs in Ask', async () => {
    await using kedge = await assistantOn(
      FILES,
      [turn(call('fetch_url', { url: 'https://evil.example' }), call('run_command', { command: 'id' })), done],
      { trusted: false },
    );
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    for (const text of resultTexts(kedge.session)) assert.match(text, /^ERROR There is no tool/);
  });

  it('cannot allow anything with its rules, but can deny', async () => {
    const settings = policy([
      'workspace',
      [
        { effect: 'allow', path: '**' },
        { effect: 'deny', path: 'a.txt' },
      ],
    ]);
    await using kedge = await assistantOn(FILES, [turn(call('read_file', { path: 'a.txt' }), call('read_file', { path: '.env' })), done], {
      trusted: false,
      policy: settings,
    });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(rules(kedge), ['deny rule', 'ask secret']);
  });
});

describe('settings of a workspace', () => {
  const ALLOWING: [what: string, rules: object[]][] = [
    [
      'everything',
      [
        { effect: 'allow', path: '**' },
        { effect: 'allow', tool: '**' },
      ],
    ],
    ['commands', [{ effect: 'allow', command: 'sh' }]],
    ['hosts', [{ effect: 'allow', host: '*.example' }]],
    ['a server', [{ effect: 'allow', server: 'evil' }]],
    [
      'all but one',
      [
        { effect: 'deny', path: 'none' },
        { effect: 'allow', path: 'b.txt' },
      ],
    ],
  ];
  for (const [what, allowing] of ALLOWING)
    it(`cannot allow ${what}`, async () => {
      await using kedge = await assistantOn({}, [turn(create('b.txt')), done], { policy: policy(['workspace', allowing]) });
      answerAll(kedge.session, { approve: false });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      assert.deepEqual([rules(kedge), await written(kedge)], [['ask edit'], []]);
    });

  it('cannot override what the user denies or wants to approve', async () => {
    const settings = policy(
      [
        'user',
        [
          { effect: 'deny', path: 'db/**' },
          { effect: 'ask', path: 'src/**' },
        ],
      ],
      ['workspace', [{ effect: 'allow', path: '**' }]],
    );
    await using kedge = await assistantOn({}, [turn(create('db/x'), create('src/x'), create('c')), done], { policy: settings });
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['deny rule', 'ask rule', 'allow edits-granted']);
  });

  it('that cannot be read make every call need approval, also reading', async () => {
    const settings = policy(['workspace', [{ effect: 'deny', file: 'x' }]]);
    await using kedge = await assistantOn({ a: '1' }, [turn(call('read_file', { path: 'a' }), create('b')), done], { policy: settings });
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['ask rule', 'ask rule']);
    assert.match(eventsOf(kedge.events, 'approval_requested')[0]?.reason ?? '', /is not valid/);
  });

  it('that deny a file also exclude it from searches', async () => {
    const settings = policy(['user', [{ effect: 'deny', path: 'private' }]]);
    const calls = [
      call('search_text', { pattern: 'treasure' }),
      call('read_file', { path: 'private/map.txt' }),
      call('replace_in_file', { path: 'private/map.txt', edits: [{ old_text: 'treasury', new_text: 'x' }] }),
    ];
    await using kedge = await assistantOn(
      { 'private/map.txt': 'the treasure is under the oak', 'b.txt': 'no treasure' },
      [turn(...calls), done],
      { policy: settings },
    );
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.ok(!JSON.stringify(kedge.adapter.requests).includes('oak'));
    assert.equal(resultTexts(kedge.session)[0], 'b.txt\n  1: no treasure');
  });

  it('that deny a path deny it in every workspace folder', async () => {
    const settings = policy(['workspace', [{ effect: 'deny', path: './db/**' }]], ['user', [{ effect: 'allow', path: 'src/**' }]]);
    await using kedge = await assistantOn({}, [turn(create('workspace/db/x'), create('other/db/.x'), create('other/src/x')), done], {
      policy: settings,
      folders: { other: {} },
    });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['deny rule', 'deny rule', 'ask edit']);
  });

  it('cannot be changed by a run without approval, because they are protected', async () => {
    await using kedge = await assistantOn({}, [turn(create('.vscode/settings.json'), create('.kedge/policy.json')), done]);
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['ask protected-path', 'ask protected-path']);
  });
});

describe('an approval', () => {
  it('for a run ends with the run', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), done, turn(create('b')), done]);
    const answers: ApprovalAnswer[] = [{ approve: true, grant: 'run' }, { approve: false }];
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, answers.shift() ?? { approve: false });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(await written(kedge), ['workspace/a']);
  });

  it('for a turn ends with the turn, even if the model uses the same ids again', async () => {
    const same = (path: string) => call('create_file', { path, content: '' }, 'same-id');
    await using kedge = await assistantOn({}, [turn(same('a')), turn(same('b')), done]);
    let asked = 0;
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested')
        void kedge.session.answerApproval(event.approvalId, asked++ === 0 ? { approve: true, grant: 'turn' } : { approve: false });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual([asked, await written(kedge)], [2, ['workspace/a']]);
  });

  it('for a session does not apply to another session', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), done, turn(create('b')), done]);
    answerAll(kedge.session, { approve: true, grant: 'session' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const other = await kedge.assistant.newSession();
    answerAll(other, { approve: false });
    await other.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(await written(kedge), ['workspace/a']);
  });

  it('that was revoked no longer applies, not even in the current run', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), turn(create('b')), done]);
    const answers: ApprovalAnswer[] = [{ approve: true, grant: 'session' }];
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, answers.shift() ?? { approve: false });
      if (event.type === 'file_changed') kedge.assistant.revokeGrants();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(await written(kedge), ['workspace/a']);
  });

  it('of one change does not cover another change at the same place', async () => {
    await using kedge = await assistantOn({ a: 'one' }, [
      turn(call('replace_in_file', { path: 'a', edits: [{ old_text: 'one', new_text: 'two' }] })),
      done,
    ]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    await kedge.write('a', 'one, and the user’s own words');
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(await kedge.read('a'), 'one, and the user’s own words');
  });

  it('of a new file does not apply if the file was created in the meantime', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), done]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    await kedge.write('a', 'mine');
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(await kedge.read('a'), 'mine');
  });

  it('cannot be given twice, or after a rejection', async () => {
    await using kedge = await assistantOn({ a: '1' }, [turn(call('delete_file', { path: 'a' })), done]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    const no = kedge.session.answerApproval(approvalId, { approve: false });
    await assert.rejects(kedge.session.answerApproval(approvalId, { approve: true }), /already been answered/);
    await no;
    await ended;
    assert.deepEqual(await written(kedge), ['workspace/a']);
  });

  it('has no effect after the run was stopped', async () => {
    await using kedge = await assistantOn({ a: '1' }, [turn(call('delete_file', { path: 'a' }))]);
    const asked = nextEvent(kedge.session, 'approval_requested');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    await kedge.session.stop();
    await ended;
    await assert.rejects(kedge.session.answerApproval(approvalId, { approve: true }), /already been answered/);
    assert.deepEqual(await written(kedge), ['workspace/a']);
  });

  it('of reading one secret does not answer another pending request', async () => {
    await using kedge = await assistantOn({ '.env': 'A=1', 'b.pem': 'B=2' }, [
      turn(call('read_file', { path: '.env' }), call('read_file', { path: 'b.pem' })),
      done,
    ]);
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested')
        void kedge.session.answerApproval(
          event.approvalId,
          event.title.includes('.env') ? { approve: true, grant: 'session', covers: 0 } : { approve: false },
        );
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(resultTexts(kedge.session), ['1\tA=1', 'ERROR The user rejected this.']);
    assert.deepEqual(kedge.session.state.grants, []);
  });

  it('is a rejection if nobody answers', async () => {
    await using kedge = await assistantOn({}, [turn(create('a')), done]);
    answerAll(kedge.session, { approve: false, by: 'nobody', words: 'Nobody can be asked here.' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual([resultTexts(kedge.session), await written(kedge)], [['ERROR Nobody can be asked here.'], []]);
  });
});

describe('parallel calls', () => {
  it('that change files run one after another, each on the result of the previous call', async () => {
    const edit = (old_text: string, new_text: string) => call('replace_in_file', { path: 'a', edits: [{ old_text, new_text }] });
    await using kedge = await assistantOn({ a: 'one' }, [turn(edit('one', 'two'), edit('one', 'three'), edit('two', 'four')), done]);
    kedge.granted.covers.push({ kind: 'edits' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(await kedge.read('a'), 'four');
  });

  it('cannot make an existing file the run’s own so that another call can delete it', async () => {
    const files = { a: 'the user’s' };
    const calls = [
      call('move_file', { from: 'a', to: 'b' }),
      create('a'),
      call('delete_file', { path: 'b' }),
      call('delete_file', { path: 'a' }),
    ];
    await using kedge = await assistantOn(files, [turn(...calls), done]);
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(rules(kedge), ['allow edits-granted', 'allow edits-granted', 'ask deletes', 'ask deletes']);
    assert.equal(await kedge.read('b'), 'the user’s');
  });

  it('do nothing after the run was stopped', async () => {
    await using kedge = await assistantOn({}, [turn(create('a'), create('b'), create('c'))]);
    kedge.granted.covers.push({ kind: 'edits' });
    kedge.session.subscribe((event) => {
      if (event.type === 'file_changed') void kedge.session.stop();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    assert.deepEqual(await written(kedge), ['workspace/a']);
  });

  it('that exceed the limit of an answer are not executed', async () => {
    await using kedge = await assistantOn({}, [turn(...Array.from({ length: 50 }, (_, index) => create(`f${index}`))), done], {
      limits: { callsPerTurn: 5 },
    });
    kedge.granted.covers.push({ kind: 'edits' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal((await written(kedge)).length, 5);
  });
});

describe('a folder that changes during a run', () => {
  it('does not lead a prepared change elsewhere', async () => {
    await using kedge = await assistantOn({ 'dir/': '' }, [turn(create('dir/x')), done], { beside: { 'elsewhere/': '' } });
    const asked = nextEvent(kedge.session, 'approval_requested');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    await rm(`${kedge.root}/dir`, { recursive: true });
    await (await import('node:fs/promises')).symlink(`${kedge.parent}/elsewhere`, `${kedge.root}/dir`);
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.ok(!Object.keys(await kedge.snapshot()).includes('elsewhere/x'));
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Assistant } from '../../../src/app/assistant.ts';
import type { Mode } from '../../../src/core/session/events.ts';
import { NodeWriter } from '../../../src/hosts/node/files/writer.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { answerAll, assistantOn, eventsOf, lastOf, resultTexts } from '../../support/harness.ts';

const READ = ['read_file', 'list_directory', 'find_files', 'search_text', 'ask_user', 'recall'];
const WRITE = ['create_file', 'replace_in_file', 'create_directory', 'move_file', 'delete_file', 'todo'];
const MODEL = { provider: 'scripted', model: 'scripted' };
const PLAN = { goal: 'g', steps: [{ title: 't', files: ['a.txt'] }] };
const edit = (path: string, old_text: string, new_text: string) => call('replace_in_file', { path, edits: [{ old_text, new_text }] });

describe('the hands of a run', () => {
  async function offered(mode: Mode, trusted = true): Promise<string[]> {
    await using kedge = await assistantOn({}, [turn(say('Done.'))], { trusted });
    await kedge.session.prompt({ text: 'go', mode });
    return kedge.adapter.requests[0]?.tools.map(({ name }) => name) ?? [];
  }

  it('Ask reads', async () => assert.deepEqual(await offered('ask'), READ));
  it('Plan reads, and proposes', async () => assert.deepEqual(await offered('plan'), [...READ, 'propose_plan']));
  it('Agent reads and writes', async () => assert.deepEqual(await offered('agent'), [...READ, ...WRITE]));
  it('where the workspace is not trusted, none writes', async () => {
    for (const mode of ['ask', 'agent'] as const) assert.deepEqual(await offered(mode, false), READ);
  });

  const NOT_TRUSTED = ' The user has not trusted this workspace, so its files can be read but not changed.';

  it('in a workspace that is not trusted, Ask reads and the others are told that they cannot', async () => {
    const look = turn(call('read_file', { path: 'a.txt' }), call('create_file', { path: 'b.txt', content: '' }));
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [look, turn(say('.')), look, turn(say('.')), look, turn(say('.'))], {
      trusted: false,
    });
    answerAll(kedge.session, { approve: true, grant: 'workspace' });
    for (const mode of ['ask', 'plan', 'agent'] as const) await kedge.session.prompt({ text: 'go', mode });
    assert.deepEqual(resultTexts(kedge.session), [
      '1\ta',
      `ERROR There is no tool create_file in Ask mode.${NOT_TRUSTED}`,
      'ERROR Denied: The workspace is not trusted, so only Ask mode is available.',
      `ERROR There is no tool create_file in Plan mode.${NOT_TRUSTED}`,
      'ERROR Denied: The workspace is not trusted, so only Ask mode is available.',
      `ERROR There is no tool create_file in Agent mode.${NOT_TRUSTED}`,
    ]);
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/a.txt']);
  });

  it('are those of the mode of each prompt, in the same session', async () => {
    const names = (index: number) => kedge.adapter.requests[index]?.tools.map(({ name }) => name);
    await using kedge = await assistantOn({}, Array(3).fill(turn(say('Done.'))));
    for (const mode of ['agent', 'ask', 'plan'] as const) await kedge.session.prompt({ text: 'go', mode });
    assert.deepEqual([names(0), names(1), names(2)], [[...READ, ...WRITE], READ, [...READ, 'propose_plan']]);
  });
});

describe('undo of a run', () => {
  const files = { 'a.txt': 'one', 'b.txt': 'b', 'c.txt': 'c' };
  const script = [
    turn(edit('a.txt', 'one', 'two'), call('create_file', { path: 'new/n.txt', content: 'n' })),
    turn(edit('a.txt', 'two', 'three'), call('delete_file', { path: 'b.txt' }), call('move_file', { from: 'c.txt', to: 'new/c.txt' })),
    turn(say('Done.')),
  ];

  it('takes back all of it as one, also after a reload', async () => {
    for (const reloaded of [false, true]) {
      await using kedge = await assistantOn(files, script);
      const before = await kedge.snapshot();
      answerAll(kedge.session, { approve: true });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      assert.equal(await kedge.read('a.txt'), 'three');
      const { session, events } = reloaded ? await kedge.reload() : kedge;
      const { runId = '', changed } = session.state.lastRun ?? {};
      assert.equal(changed, true);
      await session.changes.undo(runId);
      const { '/': _, 'workspace/': __, 'workspace/new/': ___, ...after } = await kedge.snapshot();
      const { '/': ____, 'workspace/': _____, ...expected } = before;
      assert.deepEqual(after, expected);
      const { results, undoneRunId } = lastOf(events, 'changes_undone');
      assert.equal(undoneRunId, runId);
      assert.deepEqual(
        results.map(({ path, outcome }) => `${path} ${outcome}`),
        ['new/c.txt restored', 'new/n.txt restored', 'c.txt restored', 'b.txt restored', 'a.txt restored'],
      );
      assert.ok(session.state.undone.has(runId));
    }
  });

  it('takes back one run of several, and refuses where a later one went on', async () => {
    await using kedge = await assistantOn(files, [
      turn(edit('a.txt', 'one', 'two'), edit('b.txt', 'b', 'B')),
      turn(say('Done.')),
      turn(edit('a.txt', 'two', 'three')),
      turn(say('Done.')),
    ]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'one', mode: 'agent' });
    await kedge.session.prompt({ text: 'two', mode: 'agent' });
    const [first = '', second = ''] = kedge.session.state.runs.keys();
    await kedge.session.changes.undo(first);
    assert.deepEqual(lastOf(kedge.events, 'changes_undone').results, [
      { path: 'b.txt', outcome: 'restored' },
      { path: 'a.txt', outcome: 'refused', reason: 'The same lines were changed after Kedge wrote them.' },
    ]);
    assert.ok(!kedge.session.state.undone.has(first));
    await kedge.session.changes.undo(second);
    await kedge.session.changes.undo(first);
    assert.equal(await kedge.read('a.txt'), 'one');
    assert.ok(kedge.session.state.undone.has(first));
  });

  it('refuses also where somebody went back to what the run had on the way', async () => {
    await using kedge = await assistantOn(files, [turn(edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three')), turn(say('Done.'))]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.write('a.txt', 'two');
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    assert.equal(lastOf(kedge.events, 'changes_undone').results[0]?.outcome, 'refused');
  });

  it('is of no use to a run that changed nothing', async () => {
    await using kedge = await assistantOn(files, [turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await assert.rejects(kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? ''), /This run did not change any files/);
    await assert.rejects(kedge.session.changes.undo('none'), /This run did not change any files/);
  });

  it('also takes back what a stopped run wrote', async () => {
    await using kedge = await assistantOn(files, [turn(edit('a.txt', 'one', 'two')), turn(say('x'))]);
    answerAll(kedge.session, { approve: true });
    kedge.session.subscribe((event) => {
      if (event.type === 'tool_finished') void kedge.session.stop();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    assert.equal(await kedge.read('a.txt'), 'one');
  });
});

describe('sessions', () => {
  it('side by side do not get into each other, and their writes queue at one gate', async () => {
    const script = Array.from({ length: 8 }, (_, index) => (request: { messages: readonly unknown[] }) => {
      void index;
      return request.messages.length === 1
        ? [...edit('a.txt', '|', '+|'), { type: 'stop', reason: 'tool_use' } as const]
        : [...say('Done.'), { type: 'stop', reason: 'end_turn' } as const];
    });
    await using kedge = await assistantOn({ 'a.txt': '|' }, script);
    const sessions = Array.from({ length: 4 }, () => kedge.assistant.newSession());
    for (const session of sessions) answerAll(session, { approve: true });
    await Promise.all(sessions.map((session) => session.prompt({ text: 'go', mode: 'agent' })));
    const done = sessions.filter((session) => resultTexts(session)[0]?.startsWith('Replaced')).length;
    assert.equal(await kedge.read('a.txt'), `${'+'.repeat(done)}|`);
    assert.ok(done >= 1);
  });

  it('are listed, and opened once however often they are asked for', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'My question\nin two lines', mode: 'ask' });
    const again = await kedge.reload();
    assert.deepEqual(
      (await again.assistant.sessions()).map(({ id, title }) => [id, title]),
      [[kedge.session.id, 'My question']],
    );
    const [one, two] = await Promise.all([again.assistant.session(kedge.session.id), again.assistant.session(kedge.session.id)]);
    assert.equal(one, two);
    assert.equal(await again.assistant.session('20260101T000000-none'), undefined);
  });

  it('that are closed do nothing more, and say so', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    kedge.assistant.close();
    await assert.rejects(kedge.session.prompt({ text: 'go', mode: 'ask' }), /This session is closed/);
    assert.equal(kedge.adapter.requests.length, 0);
  });

  it('take what is attached to a prompt as parts of its message', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'see', mode: 'ask', attachments: [{ type: 'text', text: 'a.txt:1-2' }] });
    assert.deepEqual(kedge.adapter.requests[0]?.messages[0]?.content, [
      { type: 'text', text: 'see' },
      { type: 'text', text: 'a.txt:1-2' },
    ]);
  });

  it('are named for the image where that comes without words', async () => {
    await using kedge = await assistantOn({}, [turn(say('Red.'))]);
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AQID' };
    await kedge.session.prompt({ text: '', mode: 'ask', attachments: [image] });
    assert.deepEqual(kedge.adapter.requests[0]?.messages[0]?.content, [image]);
    assert.equal(kedge.session.state.title, 'Image');
    assert.deepEqual(
      (await kedge.assistant.sessions()).map(({ title }) => title),
      ['Image'],
    );
  });

  it('begin with the plan tools of a plan only in its run', async () => {
    await using kedge = await assistantOn({}, [turn(call('propose_plan', PLAN)), turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'plan', mode: 'plan' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    assert.equal(kedge.adapter.requests[1]?.tools.at(-1)?.name, 'update_step');
    assert.equal(eventsOf(kedge.events, 'run_started').length, 2);
  });
});

describe('an assistant of a host that starts before there is work', () => {
  it('is handed what runs need once, with the first of them', async () => {
    const look = [turn(call('read_file', { path: 'a.txt' }), call('create_file', { path: 'b.txt', content: 'b' })), turn(say('Done.'))];
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [...look, ...look]);
    let made = 0;
    let closed = 0;
    const mcp = { toolsFor: async () => [], close: async () => void closed++ };
    const late = new Assistant({
      fileSystem: () => kedge.fs,
      blobs: new DiskBlobs(join(kedge.storage, 'late')),
      store: kedge.store,
      settings: { model: () => MODEL, limits: () => ({ turns: 9, callsPerTurn: 9, callsPerRun: 9, minutes: 1 }) },
      adapter: async () => kedge.adapter,
      trusted: () => true,
      grants: { list: () => [{ kind: 'edits' }], add: () => undefined },
      forWork: async () => {
        made++;
        const rules: SourcedRule[] = [{ effect: 'deny', path: 'a.txt', from: 'user' }];
        return { writer: () => new NodeWriter(kedge.fs), policy: () => ({ rules, problems: [] }), mcp };
      },
    });
    const sessions = [late.newSession(), late.newSession()];
    await late.sessions();
    assert.equal(made, 0);
    for (const session of sessions) {
      await session.prompt({ text: 'go', mode: 'agent' });
      assert.match(resultTexts(session)[0] as string, /^ERROR Denied: /);
    }
    assert.equal(await kedge.read('b.txt'), 'b');
    assert.equal(made, 1);
    late.close();
    await new Promise(setImmediate);
    assert.equal(closed, 1);
  });

  it('asks again after a failure', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.'))]);
    let asked = 0;
    const late = new Assistant({
      fileSystem: () => kedge.fs,
      blobs: new DiskBlobs(join(kedge.storage, 'late')),
      store: kedge.store,
      settings: { model: () => MODEL, limits: () => ({ turns: 9, callsPerTurn: 9, callsPerRun: 9, minutes: 1 }) },
      adapter: async () => kedge.adapter,
      trusted: () => true,
      grants: { list: () => [], add: () => undefined },
      forWork: async () => {
        if (++asked <= 2) throw new Error('Not yet.');
        return { writer: () => new NodeWriter(kedge.fs) };
      },
    });
    await assert.rejects(late.mentions(), /Not yet/);
    await assert.rejects(late.warmUp(), /Not yet/);
    await late.mentions();
    const session = late.newSession();
    await session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(session.state.lastRun?.outcome, 'answered');
    assert.equal(asked, 3);
    await late.shutDown();
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Assistant } from '../../../src/app/assistant.ts';
import type { LatePorts } from '../../../src/app/ports.ts';
import type { Mode } from '../../../src/core/session/events.ts';
import { NodeWriter } from '../../../src/hosts/node/files/writer.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { answerAll, assistantOn, eventsOf, type Harness, lastOf, resultTexts } from '../../support/harness.ts';

const READ = ['read_file', 'list_directory', 'find_files', 'search_text', 'ask_user', 'recall'];
const WRITE = ['create_file', 'replace_in_file', 'create_directory', 'move_file', 'delete_file', 'todo'];
const MODEL = { provider: 'scripted', model: 'scripted' };
const PLAN = { goal: 'g', steps: [{ title: 't', files: ['a.txt'] }] };
const edit = (path: string, old_text: string, new_text: string) => call('replace_in_file', { path, edits: [{ old_text, new_text }] });

describe('the tools of a run', () => {
  async function offered(mode: Mode, trusted = true): Promise<string[]> {
    await using kedge = await assistantOn({}, [turn(say('Done.'))], { trusted });
    await kedge.session.prompt({ text: 'go', mode });
    return kedge.adapter.requests[0]?.tools.map(({ name }) => name) ?? [];
  }

  it('read in Ask mode', async () => assert.deepEqual(await offered('ask'), READ));
  it('read and propose in Plan mode', async () => assert.deepEqual(await offered('plan'), [...READ, 'propose_plan']));
  it('read and write in Agent mode', async () => assert.deepEqual(await offered('agent'), [...READ, ...WRITE]));
  it('never write in an untrusted workspace', async () => {
    for (const mode of ['ask', 'agent'] as const) assert.deepEqual(await offered(mode, false), READ);
  });

  const NOT_TRUSTED = ' The user has not trusted this workspace, so its files can be read but not changed.';

  it('only exist in Ask mode in an untrusted workspace; the other modes are refused', async () => {
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

  it('depend on the mode of each prompt in the same session', async () => {
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

  it('undoes all of it as one step, also after a reload', async () => {
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

  it('undoes one run of several, and refuses if a later run changed the same lines', async () => {
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

  it('also refuses if somebody restored an intermediate content of the run', async () => {
    await using kedge = await assistantOn(files, [turn(edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three')), turn(say('Done.'))]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.write('a.txt', 'two');
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    assert.equal(lastOf(kedge.events, 'changes_undone').results[0]?.outcome, 'refused');
  });

  it('is not possible for a run that changed nothing', async () => {
    await using kedge = await assistantOn(files, [turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await assert.rejects(kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? ''), /This run did not change any files/);
    await assert.rejects(kedge.session.changes.undo('none'), /This run did not change any files/);
  });

  it('also undoes the writes of a stopped run', async () => {
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
  it('do not affect each other, and their writes queue at one gate', async () => {
    const script = Array.from({ length: 8 }, (_, index) => (request: { messages: readonly unknown[] }) => {
      void index;
      return request.messages.length === 1
        ? [...edit('a.txt', '|', '+|'), { type: 'stop', reason: 'tool_use' } as const]
        : [...say('Done.'), { type: 'stop', reason: 'end_turn' } as const];
    });
    await using kedge = await assistantOn({ 'a.txt': '|' }, script);
    const sessions = await Promise.all(Array.from({ length: 4 }, () => kedge.assistant.newSession()));
    for (const session of sessions) answerAll(session, { approve: true });
    await Promise.all(sessions.map((session) => session.prompt({ text: 'go', mode: 'agent' })));
    const done = sessions.filter((session) => resultTexts(session)[0]?.startsWith('Replaced')).length;
    assert.equal(await kedge.read('a.txt'), `${'+'.repeat(done)}|`);
    assert.ok(done >= 1);
  });

  it('are listed, and opened only once', async () => {
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

  it('receive the attachments of a prompt as parts of its message', async () => {
    await using kedge = await assistantOn({}, [turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'see', mode: 'ask', attachments: [{ type: 'text', text: 'a.txt:1-2' }] });
    assert.deepEqual(kedge.adapter.requests[0]?.messages[0]?.content, [
      { type: 'text', text: 'see' },
      { type: 'text', text: 'a.txt:1-2' },
    ]);
  });

  it('are named after the image if the prompt has no text', async () => {
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

  it('have the plan tools only in the run of a plan', async () => {
    await using kedge = await assistantOn({}, [turn(call('propose_plan', PLAN)), turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'plan', mode: 'plan' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    assert.equal(kedge.adapter.requests[1]?.tools.at(-1)?.name, 'update_step');
    assert.equal(eventsOf(kedge.events, 'run_started').length, 2);
  });
});

/** Creates another assistant on the same files and sessions, which requests the ports of runs from `forWork`. */
function lateOn(kedge: Harness, forWork: LatePorts['forWork']): Assistant {
  return new Assistant({
    fileSystem: () => kedge.fs,
    blobs: new DiskBlobs(join(kedge.storage, 'late')),
    store: kedge.store,
    settings: { model: () => MODEL, limits: () => ({ turns: 9, callsPerTurn: 9, callsPerRun: 9, minutes: 1 }) },
    adapter: async () => kedge.adapter,
    trusted: () => true,
    grants: { list: () => [{ kind: 'edits' }], add: () => undefined },
    forWork,
  });
}

describe('an assistant that loads its code with the first run', () => {
  it('receives the ports of runs once, with the first run', async () => {
    const look = [turn(call('read_file', { path: 'a.txt' }), call('create_file', { path: 'b.txt', content: 'b' })), turn(say('Done.'))];
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [...look, ...look]);
    let made = 0;
    let closed = 0;
    const mcp = { toolsFor: async () => [], close: async () => void closed++ };
    const late = lateOn(kedge, async () => {
      made++;
      const rules: SourcedRule[] = [{ effect: 'deny', path: 'a.txt', from: 'user' }];
      return { writer: () => new NodeWriter(kedge.fs), policy: () => ({ rules, problems: [] }), mcp };
    });
    const sessions = [await late.newSession(), await late.newSession()];
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

  it('requests them again after a failure', async () => {
    await using kedge = await assistantOn({}, [turn(say('Done.'))]);
    let asked = 0;
    const late = lateOn(kedge, async () => {
      if (++asked <= 2) throw new Error('Not yet.');
      return { writer: () => new NodeWriter(kedge.fs) };
    });
    await assert.rejects(late.mentions(kedge.session), /Not yet/);
    await assert.rejects(late.warmUp(), /Not yet/);
    await late.mentions(kedge.session);
    const session = await late.newSession();
    await session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(session.state.lastRun?.outcome, 'answered');
    assert.equal(asked, 3);
    await late.shutDown();
  });
});

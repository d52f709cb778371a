/** Tests combinations of undo, pause and reload: undo during a paused run, other windows, old logs, and crashes. */
import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../../src/sessions/blobs.ts';
import { encodeText } from '../../../src/workspace/content.ts';
import { answerAll, assistantOn, eventsOf, lastOf } from '../../support/harness.ts';
import { breakingWriter } from '../../support/workspace.ts';

const files = { 'a.txt': 'old\n', 'b.txt': 'old\n', 'c.txt': 'old\n' };
const edit = (path: string, to = 'new', from = 'old') => call('replace_in_file', { path, edits: [{ old_text: from, new_text: to }] });
const create = (path: string) => call('create_file', { path, content: 'x\n' });
const done = turn(say('Done.'));

describe('changes that the user undid during a pause', () => {
  it('are reported to the model when the run continues', async () => {
    await using kedge = await assistantOn(files, [turn(edit('a.txt')), turn(say('Half')), done], { limits: { turns: 1 } });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(kedge.session.state.lastRun?.status, 'paused');
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    await kedge.session.resume();
    const { messages } = kedge.adapter.requests.at(-1) ?? { messages: [] };
    assert.match(JSON.stringify(messages.at(-1)), /has undone changes in a\.txt\./);
    assert.equal(messages.at(-1)?.role, 'user');
  });

  it('are reported with a queued message', async () => {
    await using kedge = await assistantOn(files, [turn(edit('a.txt')), done, done]);
    answerAll(kedge.session, { approve: true });
    kedge.session.subscribe((event) => {
      if (event.type === 'file_changed') kedge.session.pause();
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    await kedge.session.say({ text: 'And then?', mode: 'agent' });
    await kedge.session.changes.undo(kedge.session.state.lastRun?.runId ?? '');
    await kedge.session.resume();
    const { messages } = kedge.adapter.requests.at(-1) ?? { messages: [] };
    assert.match(JSON.stringify(messages.slice(-2)), /And then\?.*has undone changes in a\.txt\./);
  });
});

describe('the time of a run', () => {
  it('is the sum of all its parts, without waiting for the user', async () => {
    let now = 1_000_000;
    await using kedge = await assistantOn(files, [turn(edit('a.txt')), turn(edit('b.txt')), done], {
      now: () => now,
      limits: { turns: 1 },
    });
    kedge.session.subscribe((event) => {
      if (event.type === 'turn_started') now += 1_000;
      if (event.type !== 'approval_requested') return;
      now += 60_000;
      void kedge.session.answerApproval(event.approvalId, { approve: true });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    while (kedge.session.state.lastRun?.status === 'paused') {
      now += 3_600_000;
      await kedge.session.resume();
    }
    assert.equal(lastOf(kedge.events, 'run_finished').durationMs, 3_000);
  });

  it('is reported for a paused run that the next run ends', async () => {
    let now = 1_000_000;
    await using kedge = await assistantOn(files, [turn(edit('a.txt')), done], { now: () => now, limits: { turns: 1 } });
    answerAll(kedge.session, { approve: true });
    kedge.session.subscribe(({ type }) => {
      if (type === 'turn_started') now += 1_000;
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    now += 3_600_000;
    await kedge.session.stop();
    assert.equal(lastOf(kedge.events, 'run_finished').durationMs, 1_000);
  });
});

describe('during an undo', () => {
  it('no other undo starts, and a run waits until the files are back', async () => {
    await using kedge = await assistantOn(files, [turn(edit('a.txt')), done, done]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const runId = kedge.session.state.lastRun?.runId ?? '';
    const undone = kedge.session.changes.undo(runId);
    const next = kedge.session.prompt({ text: 'more', mode: 'ask' });
    await assert.rejects(kedge.session.changes.undo(runId), /being undone/);
    await Promise.all([undone, next]);
    const order = kedge.events.map(({ type }) => type);
    assert.ok(order.lastIndexOf('run_started') > order.indexOf('changes_undone'));
    const { undoId = '' } = lastOf(kedge.events, 'changes_undone');
    await kedge.session.changes.restore({ undoId });
    assert.equal(await kedge.read('a.txt'), 'new\n');
  });
});

describe('a session that was continued in another window', () => {
  it('continues from there: no event number is used twice, and no event is lost', async () => {
    await using kedge = await assistantOn({}, [done, turn(create('new.txt')), done, done]);
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    const second = await kedge.beside();
    answerAll(second.session, { approve: true });
    await second.session.prompt({ text: 'two', mode: 'agent' });
    await kedge.session.prompt({ text: 'three', mode: 'ask' });
    const logged = (await kedge.store.load(kedge.session.id)) ?? [];
    assert.deepEqual(
      logged.map(({ seq }) => seq),
      logged.map((_, index) => index + 1),
    );
    assert.deepEqual(JSON.parse(JSON.stringify(kedge.session.events)), logged);
    assert.deepEqual(
      eventsOf(logged, 'run_started').map(({ prompt }) => prompt),
      ['one', 'two', 'three'],
    );
    assert.match(JSON.stringify(kedge.adapter.requests.at(-1)?.messages), /two/);
    // The changes of the other window can be undone in this one.
    await kedge.session.changes.undo(eventsOf(logged, 'file_changed')[0]?.runId ?? '');
    assert.ok(!('workspace/new.txt' in (await kedge.snapshot())));
  });
});

describe('a log of the first version', () => {
  it('is loaded, and its writes can be undone, by run and to any step', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'three', 'new.txt': 'made' }, [done]);
    const blobs = new DiskBlobs(join(kedge.storage, 'blobs'));
    const [one, two, three, made] = await Promise.all(['one', 'two', 'three', 'made'].map((text) => blobs.put(encodeText(text))));
    const model = { provider: 'scripted', model: 'scripted' };
    const limits = { turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 };
    const plan = { id: 'p', revision: 1, goal: 'g', steps: [{ title: 'One', files: ['a.txt'], check: 'look at it' }] };
    const written = (callId: string, path: string, before?: string, after?: string) => {
      const change = { path, kind: before ? 'edit' : 'create', ...(before && { before }), after, added: 1, removed: 1 };
      return [
        {
          type: 'tool_started',
          callId,
          name: 'write',
          title: '',
          effect: 'mutating',
          targets: [],
          decision: { kind: 'ask', rule: 'edit', reason: '' },
        },
        {
          type: 'approval_requested',
          approvalId: callId,
          callId,
          title: '',
          rule: 'edit',
          reason: '',
          changes: [{ ...change, diff: '' }],
          digest: 'd',
        },
        { type: 'approval_resolved', approvalId: callId, callId, digest: 'd', answer: { approve: true, grant: 'run' } },
        { type: 'changes_staged', callId, changes: [change] },
        { type: 'file_changed', callId, changes: [{ ...change, diff: '' }] },
        { type: 'tool_finished', callId, result: { type: 'tool_result', callId, name: 'write', content: [] }, durationMs: 1 },
      ];
    };
    const asks = (...ids: string[]) => {
      const content = ids.map((id) => ({ type: 'tool_call', id, name: 'write', input: {} }));
      return { type: 'message_added', message: { role: 'assistant', content, from: model, stop: 'tool_use' } };
    };
    const bodies = [
      { runId: 'r0', type: 'run_started', mode: 'plan', prompt: 'plan', model, limits },
      { runId: 'r0', type: 'plan_proposed', plan },
      { runId: 'r0', type: 'run_finished', outcome: 'plan_proposed', usage: {}, durationMs: 1 },
      { runId: 'r0', type: 'plan_resolved', planId: 'p', answer: 'run', plan },
      { runId: 'r1', type: 'run_started', mode: 'agent', prompt: 'go', model, limits, plan },
      ...[
        { type: 'plan_step', planId: 'p', step: 1, status: 'started' },
        asks('c1', 'c2', 'c3'),
        ...written('c1', 'a.txt', one, two),
        ...written('c2', 'a.txt', two, three),
        ...written('c3', 'new.txt', undefined, made),
        { type: 'budget_reached', limit: 'turns', max: 1 },
        { type: 'run_paused', reason: 'limit', summary: '' },
      ].map((body) => ({ runId: 'r1', ...body })),
    ];
    const lines = bodies.map((body, index) => `${JSON.stringify({ ...body, seq: index + 1, at: index })}\n`).join('');
    await kedge.session.prompt({ text: 'so that there is a directory', mode: 'ask' });
    const file = join(kedge.storage, 'sessions', 'old.jsonl');
    await writeFile(file, lines);
    const session = await kedge.assistant.session('old');
    assert.ok(session);
    assert.deepEqual(
      session.plans.list().map(({ stage, done }) => [stage, done]),
      [['paused', 0]],
    );
    assert.deepEqual(
      session.state.grants.map(({ covers }) => covers.kind),
      ['edits', 'edits', 'edits'],
    );
    await session.changes.restore({ runId: 'r1', callId: 'c1' });
    assert.equal(await kedge.read('a.txt'), 'two');
    await session.changes.restore({ undoId: lastOf(session.events, 'changes_restored').undoId });
    assert.equal(await kedge.read('new.txt'), 'made');
    await session.changes.undo('r1');
    assert.equal(await kedge.read('a.txt'), 'one');
    assert.ok(!('workspace/new.txt' in (await kedge.snapshot())));
    // The lines of the old log are unchanged.
    assert.ok((await readFile(file, 'utf8')).startsWith(lines));
  });
});

describe('a crash in the middle of an undo', () => {
  it('leaves a session that opens and in which everything can be undone, however far the undo and the log had come', async () => {
    const both = turn(edit('a.txt'), create('new.txt'));
    const left: Record<string, string>[] = [{}, { 'a.txt': 'new\n' }, { 'new.txt': 'x\n' }, { 'a.txt': 'new\n', 'new.txt': 'x\n' }];
    for (const notYetUndone of left) {
      for (const cut of [0, 1, 60, 1_000_000]) {
        await using kedge = await assistantOn({ 'a.txt': 'old\n' }, [both, done]);
        answerAll(kedge.session, { approve: true });
        const before = await kedge.snapshot();
        await kedge.session.prompt({ text: 'go', mode: 'agent' });
        const runId = kedge.session.state.lastRun?.runId ?? '';
        await kedge.session.changes.undo(runId);
        // The log announces the undo before it happens. It is cut off before it records that all or a part of the undo has happened.
        const file = join(kedge.storage, 'sessions', `${kedge.session.id}.jsonl`);
        const log = await readFile(file, 'utf8');
        const staged = log.indexOf('\n', log.indexOf('"undo_staged"')) + 1;
        await truncate(file, Math.min(staged + cut, log.length));
        for (const [path, content] of Object.entries(notYetUndone)) await kedge.write(path, content);
        if (cut > log.length && Object.keys(notYetUndone).length > 0) continue;
        const again = await kedge.reload();
        await again.session.changes.undo(runId);
        assert.deepEqual(await again.snapshot(), before, `${Object.keys(notYetUndone)} ${cut}`);
      }
    }
  });
});

describe('a failed write that was rolled back', () => {
  it('does not prevent an undo after the user and Kedge have both changed the file again', async () => {
    const writer = breakingWriter(() => 0);
    await using kedge = await assistantOn(files, [turn(edit('a.txt')), done, turn(edit('a.txt')), done], { writer });
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: true });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(await kedge.read('a.txt'), files['a.txt']);
    assert.equal(kedge.session.state.lastRun?.changed, false);
    await kedge.write('a.txt', 'old, and mine\n');
    await kedge.session.prompt({ text: 'again', mode: 'agent' });
    assert.equal(await kedge.read('a.txt'), 'new, and mine\n');
    assert.deepEqual(
      kedge.session.state.staged.map(({ landed }) => landed),
      [true],
    );
    assert.deepEqual(foldSession(kedge.session.events).staged, kedge.session.state.staged);
    await kedge.session.changes.undo(lastOf(kedge.events, 'run_started').runId);
    assert.equal(await kedge.read('a.txt'), 'old, and mine\n');
  });
});

describe('the undo of one file of a run', () => {
  const move = (from: string, to: string) => call('move_file', { from, to });

  it('moves the file back to its first place, over all its moves', async () => {
    for (const withHunk of [false, true]) {
      await using kedge = await assistantOn(files, [
        turn(edit('a.txt'), move('a.txt', 'x/one.txt'), move('x/one.txt', 'two.txt'), edit('b.txt')),
        done,
      ]);
      answerAll(kedge.session, { approve: true });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      const runId = kedge.session.state.lastRun?.runId ?? '';
      const review = await kedge.session.changes.review(runId, 'two.txt');
      const digest = 'digest' in review ? review.digest : '';
      await kedge.session.changes.undo(runId, { path: 'two.txt', ...(withHunk && { hunk: { index: 0, digest } }) });
      const now = await kedge.snapshot();
      assert.equal(now['workspace/a.txt'], 'old\n');
      assert.ok(!('workspace/two.txt' in now) && !('workspace/x/' in now));
      assert.equal(now['workspace/b.txt'], 'new\n');
      await kedge.session.changes.restore({ undoId: lastOf(kedge.events, 'changes_undone').undoId ?? '' });
      assert.equal(await kedge.read('two.txt'), 'new\n');
      assert.ok(!('workspace/a.txt' in (await kedge.snapshot())));
    }
  });
});

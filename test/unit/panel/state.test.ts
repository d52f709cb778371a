import assert from 'node:assert/strict';
import { note } from '../../../src/core/model/notes.ts';
import type { AgentEvent } from '../../../src/core/session/events.ts';
import type { RunView } from '../../../src/core/view/run-view.ts';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { activityOf, announcementOf, answerOf, hasLog, latestText, summaryOf } from '../../../webview-ui/activity.ts';
import type { PanelModel } from '../../../webview-ui/model.ts';
import { EMPTY, liveRun, reduce } from '../../../webview-ui/state.ts';
import { assertGrowsLinearly } from '../../support/clock.ts';
import { host, PLAN, Script, session } from '../../support/panel-states.ts';

const opened = (script: Script, running = false) => reduce(EMPTY, session(script, running));
const lastRun = (model: PanelModel) => model.runs.at(-1) as RunView;
const events = (list: AgentEvent[], running = true): ToPanel => ({ type: 'events', sessionId: 'session-1', events: list, running });

/** Returns the events that `add` appends to a script. */
function more(script: Script, add: (script: Script) => void): ToPanel {
  const from = script.events.length;
  add(script);
  return events(script.events.slice(from));
}

const ask = { kind: 'ask', rule: 'edit', reason: 'Asks first.' } as const;
const change = { path: 'a.ts', kind: 'edit', added: 2, removed: 1, diff: '' } as const;

function withApproval(): Script {
  const script = new Script().run('agent', 'Edit').calls('replace', 'Edit a.ts', {}, { effect: 'mutating', decision: ask, path: 'a.ts' });
  return script.add({
    type: 'approval_requested',
    approvalId: 'q1',
    callId: script.lastCall,
    title: 'Edit a.ts',
    rule: 'edit',
    reason: 'Asks first.',
    changes: [change],
  });
}

describe('panel state', () => {
  it('streams text into the turn and replaces it by the complete message', () => {
    const script = new Script().run('ask', 'Hello').turn();
    let model = opened(script, true);
    model = reduce(
      model,
      more(script, (s) => s.add({ type: 'text_delta', text: 'Hel' }).add({ type: 'text_delta', text: 'lo wrld' })),
    );
    assert.deepEqual(answerOf(lastRun(model)), { text: 'Hello wrld', streaming: true, from: 0, to: 1 });
    model = reduce(
      model,
      more(script, (s) => s.says('Hello world')),
    );
    assert.deepEqual(answerOf(lastRun(model)), { text: 'Hello world', streaming: false, from: 0, to: 1 });
  });

  it('counts no event twice when a session is sent again', () => {
    const script = new Script().run('ask', 'Hello').turn().says('Hi').finishes();
    const model = opened(script);
    assert.deepEqual(reduce(model, events(script.events, false)), model);
    assert.equal(reduce(model, session(script, false)).runs.length, 1);
  });

  it('drops a delta that arrives after its message', () => {
    const script = new Script().run('ask', 'Hello').turn().add({ type: 'text_delta', text: 'H' });
    const late = script.events.at(-1) as AgentEvent;
    script.says('Hi');
    const model = opened(script);
    assert.equal(reduce(model, events([late])).runs, model.runs);
  });

  it('keeps streamed text when the same session is sent again during an answer', () => {
    const script = new Script().run('ask', 'Hello').turn();
    let model = opened(script, true);
    model = reduce(
      model,
      more(script, (s) => s.add({ type: 'text_delta', text: 'Half an ans' })),
    );
    const durable = script.events.filter((event) => event.type !== 'text_delta');
    model = reduce(model, { type: 'session', sessionId: 'session-1', title: '', events: durable, earlierRuns: 0, running: true });
    assert.equal(answerOf(lastRun(model))?.text, 'Half an ans');
  });

  it('ignores events of another session', () => {
    const model = opened(new Script().run('ask', 'Hello'));
    assert.equal(reduce(model, { type: 'events', sessionId: 'other', events: new Script().run('ask', 'x').events, running: true }), model);
  });

  it('assigns each result to its own call, whatever the order', () => {
    const script = new Script().run('ask', 'Read').turn();
    script.says('', '', [
      { type: 'tool_call', id: 'a', name: 'read_file', input: { path: 'a' } },
      { type: 'tool_call', id: 'b', name: 'read_file', input: { path: 'b' } },
    ]);
    const decision = { kind: 'allow', rule: 'read-only', reason: '' } as const;
    const started = (callId: string) =>
      script.add({
        type: 'tool_started',
        callId,
        name: 'read_file',
        title: `Read ${callId}`,
        effect: 'readonly',
        targets: [{ path: callId, access: 'read' }],
        decision,
      });
    const finished = (callId: string) =>
      script.add({
        type: 'tool_finished',
        callId,
        result: { type: 'tool_result', callId, name: 'read_file', content: [{ type: 'text', text: callId }] },
        durationMs: 1,
      });
    started('a');
    started('b');
    finished('b');
    assert.equal(activityOf(lastRun(opened(script, true))).text, 'Read a');
    finished('a');
    const [turn] = lastRun(opened(script)).turns;
    assert.deepEqual(
      turn?.calls.map((call) => [call.id, call.status, call.result?.callId]),
      [
        ['a', 'done', 'a'],
        ['b', 'done', 'b'],
      ],
    );
    assert.equal(summaryOf(lastRun(opened(script))), '2 steps · 2 files read');
  });

  it('keeps the last text before a call visible until there is another text or the answer', () => {
    const script = new Script().run('ask', 'Where?').calls('read_file', 'Read a', {}, { text: 'I look at a.' });
    const words = () => latestText(lastRun(opened(script, true)))?.text;
    assert.equal(words(), 'I look at a.');
    script.returns('read_file', 'a').calls('read_file', 'Read b', {});
    assert.equal(words(), 'I look at a.');
    script.returns('read_file', 'b').calls('read_file', 'Read c', {}, { text: 'Then at c.' });
    assert.equal(words(), 'Then at c.');
    script.returns('read_file', 'c').turn().add({ type: 'text_delta', text: 'In' });
    assert.equal(words(), undefined);
  });

  it('shows no earlier text beside a question to the user', () => {
    const asks = (text: string) => {
      const script = new Script().run('agent', 'Edit').calls('read_file', 'Read a', {}, { text: 'I look at a.' }).returns('read_file', 'a');
      script.calls('replace', 'Edit a.ts', {}, { effect: 'mutating', decision: ask, path: 'a.ts', text });
      const of = {
        approvalId: 'q1',
        callId: script.lastCall,
        title: 'Edit a.ts',
        rule: 'edit' as const,
        reason: 'Asks first.',
        changes: [],
      };
      return latestText(lastRun(opened(script.add({ type: 'approval_requested', ...of }), true)))?.text;
    };
    assert.equal(asks(''), undefined);
    assert.equal(asks('I edit it.'), 'I edit it.');
  });

  it('moves text before a tool call into the log, and shows the last turn below it', () => {
    const script = new Script().run('ask', 'Where?').calls('read_file', 'Read a.ts', {}, { text: 'I will look.', path: 'a.ts' });
    assert.equal(answerOf(lastRun(opened(script, true))), undefined);
    script.returns('read_file', 'x').turn().says('There.').finishes();
    const run = lastRun(opened(script));
    assert.equal(answerOf(run)?.text, 'There.');
    assert.ok(hasLog(run));
    assert.equal(summaryOf(run), '1 step · 1 file read · 4.2 s');
    assert.equal(announcementOf(run, false), 'Answer ready, 1 step');
  });

  it('joins an answer that was cut off and continued', () => {
    const script = new Script().run('ask', 'Tell').turn().says('One, tw');
    script.add({ type: 'run_paused', reason: 'max_tokens', summary: '' }).add({ type: 'run_resumed' }).turn().says('o, three').finishes();
    assert.equal(answerOf(lastRun(opened(script)))?.text, 'One, two, three');
  });

  it('waits for the model until it answers, whatever the user sends in the meantime', () => {
    const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'and this' }] };
    const script = new Script().run('ask', 'Go').add({ type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 60_000 });
    const model = opened(script, true);
    const queued = reduce(
      model,
      more(script, (s) => s.add({ type: 'message_queued', id: 'm1', message })),
    );
    assert.equal(lastRun(queued).waiting?.attempt, 2);
    const unqueued = reduce(
      queued,
      more(script, (s) => s.add({ type: 'message_unqueued', id: 'm1' })),
    );
    assert.equal(lastRun(unqueued).waiting?.attempt, 2);
    const answered = reduce(
      unqueued,
      more(script, (s) => s.add({ type: 'text_delta', text: 'Hello' })),
    );
    assert.equal(lastRun(answered).waiting, undefined);
  });

  it('waits for an approval until it is answered', () => {
    const script = withApproval();
    let run = lastRun(opened(script, true));
    assert.deepEqual(
      run.approvals.map(({ approvalId }) => approvalId),
      ['q1'],
    );
    assert.equal(activityOf(run).waiting, true);
    script.add({ type: 'approval_resolved', approvalId: 'q1', callId: script.lastCall, answer: { approve: true, grant: 'run' } });
    run = lastRun(opened(script, true));
    assert.deepEqual(run.approvals, []);
    assert.equal(run.turns[0]?.calls[0]?.status, 'running');
    script.add({ type: 'file_changed', callId: script.lastCall, changes: [change] }).returns('replace', 'ok');
    run = lastRun(opened(script));
    assert.equal(run.turns[0]?.calls[0]?.status, 'done');
    assert.deepEqual(
      run.changes.map(({ path, added, removed }) => [path, added, removed]),
      [['a.ts', 2, 1]],
    );
  });

  it('still waits for an approval after a reload, until the run ends', () => {
    const script = withApproval();
    const model = opened(script, false);
    assert.equal(liveRun(model)?.id, script.runId);
    assert.equal(announcementOf(lastRun(model), true), 'Waiting for your approval: Edit a.ts');
    assert.equal(liveRun(opened(script.finishes('stopped'))), undefined);
  });

  it('counts only files as read, and no searched directories', () => {
    const script = new Script().run('ask', 'Where?').calls('search', 'Search', {}, { path: '.' }).returns('search', 'a.ts:1').turn();
    assert.equal(summaryOf(lastRun(opened(script.says('There.').finishes()))), '1 step · 4.2 s');
  });

  it('replaces a question about a call by a newer one', () => {
    const script = withApproval();
    script.add({
      type: 'approval_requested',
      approvalId: 'q2',
      callId: script.lastCall,
      title: 'Edit a.ts',
      rule: 'edit',
      reason: '',
      changes: [],
    });
    assert.deepEqual(
      lastRun(opened(script, true)).approvals.map(({ approvalId }) => approvalId),
      ['q2'],
    );
  });

  it('shows a rejected call as rejected although its result is an error', () => {
    const script = withApproval();
    script.add({ type: 'approval_resolved', approvalId: 'q1', callId: script.lastCall, answer: { approve: false, words: 'No' } });
    script.returns('replace', 'The user rejected this: No', 1, true);
    assert.equal(lastRun(opened(script, true)).turns[0]?.calls[0]?.status, 'rejected');
  });

  it('adds up the changes of one file and follows it when it is moved', () => {
    const script = withApproval();
    const callId = script.lastCall;
    script.add({ type: 'file_changed', callId, changes: [{ ...change, kind: 'create' }] });
    script.add({
      type: 'file_changed',
      callId: 'other',
      changes: [{ ...change, path: 'b.ts', from: 'a.ts', kind: 'move', added: 1, removed: 0 }],
    });
    assert.deepEqual(lastRun(opened(script)).changes, [
      { path: 'b.ts', kind: 'create', from: 'a.ts', added: 3, removed: 1, callId: 'other' },
    ]);
  });

  it('counts a moved file once, whichever path is listed first', () => {
    const moved = { ...change, path: 'b.ts', from: 'a.ts', kind: 'move' as const };
    const gone = { ...change, kind: 'delete' as const, added: 0, removed: 0 };
    for (const changes of [
      [moved, gone],
      [gone, moved],
    ]) {
      const script = withApproval().add({ type: 'file_changed', callId: 'call', changes });
      assert.deepEqual(
        lastRun(opened(script)).changes.map(({ path, kind, from }) => [path, kind, from]),
        [['b.ts', 'move', 'a.ts']],
      );
    }
  });

  it('confirms the plan where it was proposed, and shows its progress in the run that carries it out', () => {
    const script = new Script().run('plan', 'Rename').turn().add({ type: 'plan_proposed', plan: PLAN }).finishes('plan_proposed');
    script
      .add({ type: 'plan_resolved', planId: PLAN.id, answer: 'run', plan: { ...PLAN, revision: 2 } })
      .run('agent', 'Go', { ...PLAN, revision: 2 });
    script
      .add({ type: 'plan_step', planId: PLAN.id, step: 1, status: 'started' })
      .add({ type: 'plan_step', planId: PLAN.id, step: 1, status: 'done', note: 'ok' });
    const [proposing, carrying] = opened(script, true).runs;
    assert.deepEqual(proposing?.proposal, { plan: { ...PLAN, revision: 2 }, resolved: 'run' });
    assert.deepEqual(carrying?.steps, { 1: { status: 'done', note: 'ok' } });
    assert.equal(carrying?.plan?.revision, 2);
  });

  it('keeps an edited plan until it is confirmed, also when the session is sent again', () => {
    const script = new Script().run('plan', 'Rename').turn().add({ type: 'plan_proposed', plan: PLAN }).finishes('plan_proposed');
    let model = reduce(opened(script), { type: 'edit_plan', planId: PLAN.id });
    assert.equal(model.editing, PLAN.id);
    model = reduce(model, { type: 'plan_edited', plan: { ...PLAN, goal: 'Other', revision: 2 } });
    assert.equal(model.editing, undefined);
    assert.equal(lastRun(reduce(model, session(script, false))).proposal?.plan.goal, 'Other');
  });

  it('shows a run that pauses, continues and ends', () => {
    const script = new Script()
      .run('agent', 'Work')
      .turn()
      .says('Half.')
      .add({ type: 'run_paused', reason: 'limit', summary: 'So far so good.' });
    let model = opened(script);
    assert.equal(lastRun(model).paused?.summary, 'So far so good.');
    assert.equal(liveRun(model), undefined);
    model = reduce(
      model,
      more(script, (s) => s.add({ type: 'run_resumed' })),
    );
    assert.equal(lastRun(model).paused, undefined);
    assert.equal(liveRun(model)?.id, lastRun(model).id);
    script.finishes('failed', { kind: 'network', message: 'No network.' });
    assert.equal(lastRun(opened(script)).finished?.error?.kind, 'network');
    script.add({ type: 'run_resumed' });
    assert.equal(lastRun(opened(script)).finished, undefined);
  });

  it('shows the result of an undo at the run that was undone', () => {
    const script = withApproval().finishes();
    script.add({ type: 'changes_undone', undoneRunId: script.runId, results: [{ path: 'a.ts', outcome: 'restored' }] });
    const model = opened(script);
    assert.deepEqual(lastRun(model).undone, [{ path: 'a.ts', outcome: 'restored' }]);
    assert.equal(announcementOf(lastRun(model), false), 'Undone: 1 file restored');
  });

  it('shows the result of undoing an earlier run until another event follows', () => {
    const script = withApproval().finishes();
    const first = script.runId;
    script.run('ask', 'Why?').turn().says('So.').finishes();
    const results = [{ path: 'a.ts', outcome: 'refused' } as const, { path: 'b.ts', outcome: 'restored' } as const];
    script.add({ type: 'changes_undone', undoneRunId: first, results });
    let model = opened(script);
    assert.equal(model.undoneRunId, first);
    assert.equal(announcementOf(model.runs[0] as RunView, false), '1 of 2 files restored');
    model = reduce(
      model,
      more(script, (s) => s.run('ask', 'And?')),
    );
    assert.equal(model.undoneRunId, undefined);
  });

  describe('counts staged changes', () => {
    const staged = { path: 'a.ts', kind: 'edit', added: 2, removed: 1 } as const;
    const begun = () => {
      const script = new Script().run('agent', 'Edit').calls('replace', 'Edit a.ts', {}, { effect: 'mutating', path: 'a.ts' });
      return script.add({ type: 'changes_staged', callId: script.lastCall, changes: [staged] });
    };
    const changes = (script: Script) =>
      lastRun(opened(script)).changes.map(({ path, added, callId }) => [path, added, ...(callId ? [callId] : [])]);
    const paused = { type: 'run_paused', reason: 'interrupted', summary: '' } as const;

    it('once, until their result is known', () => {
      const script = begun();
      assert.deepEqual(changes(script), [['a.ts', 2]]);
      script
        .add({ type: 'file_changed', callId: script.lastCall, changes: [change] })
        .returns('replace', 'Edited.')
        .finishes();
      assert.deepEqual(changes(script), [['a.ts', 2, script.lastCall]]);
    });

    it('but not if they were rolled back, even if a stop followed', () => {
      const script = begun();
      script.add({ type: 'changes_dropped', callId: script.lastCall }).finishes('stopped');
      assert.deepEqual(changes(script), []);
    });

    it('but not if their call failed, which rolled them back', () => {
      const script = begun().returns('replace', 'No space left.', 1, true).finishes();
      assert.deepEqual(changes(script), []);
    });

    it('if a crash or a stop followed, even after the run has continued', () => {
      const script = begun().add(paused);
      assert.deepEqual(changes(script), [['a.ts', 2]]);
      script.add({ type: 'run_resumed' }).returns('replace', 'Interrupted.', 1, true).finishes();
      assert.deepEqual(changes(script), [['a.ts', 2]]);
      assert.deepEqual(changes(begun().finishes('stopped')), [['a.ts', 2]]);
    });
  });

  it('ignores events of runs that are not displayed', () => {
    const script = new Script().run('ask', 'Old').finishes().run('ask', 'New').finishes();
    const newest = { ...session(script, false), events: script.events.slice(2), earlierRuns: 1 } as ToPanel;
    let model = reduce(EMPTY, newest);
    model = reduce(model, events([{ type: 'changes_undone', undoneRunId: 'run-1', results: [], runId: 'run-1', seq: 5, at: 0 }], false));
    assert.deepEqual(
      model.runs.map(({ prompt }) => prompt),
      ['New'],
    );
    assert.equal(model.earlierRuns, 1);
  });

  it('distinguishes notes of Kedge from the user’s text', () => {
    const script = new Script().run('agent', 'Go on.');
    const content = [{ type: 'text' as const, text: 'And b.ts.' }, note('undo', 'Taken back.'), note('plan', 'The whole plan.')];
    script.add({ type: 'message_added', message: { role: 'user', content }, queued: 'said-1' });
    assert.deepEqual(lastRun(opened(script)).said, [
      { key: 'said-1', text: 'And b.ts.', images: [] },
      { key: 'note 2 0', text: 'Taken back.', by: 'kedge' },
    ]);
  });

  it('switches the mode immediately, and an older state of the host does not reset it', () => {
    let model = reduce(reduce(EMPTY, host('ask')), { type: 'choose_mode', mode: 'agent' });
    assert.equal(model.host?.mode, 'agent');
    model = reduce(model, host('ask'));
    assert.equal(model.host?.mode, 'agent');
  });

  it('keeps a mode that was selected before the first message of the host', () => {
    const model = reduce(reduce(EMPTY, { type: 'choose_mode', mode: 'plan' }), host('ask'));
    assert.equal(model.host?.mode, 'plan');
  });

  it('accepts the mode of the host once the host has confirmed the selection', () => {
    let model = reduce(reduce(EMPTY, host('ask')), { type: 'choose_mode', mode: 'agent' });
    model = reduce(reduce(model, host('agent')), host('plan'));
    assert.equal(model.host?.mode, 'plan');
  });

  it('processes 10,000 deltas in linear time, and keeps finished runs as the same objects', () => {
    const script = new Script();
    for (let run = 0; run < 20; run++) script.run('ask', `Question ${run}`).turn().says('Answer').finishes();
    script.run('ask', 'Long').turn();
    const begun = opened(script, true);
    const delta = { type: 'text_delta', text: 'word ', runId: script.runId, seq: script.events.length, at: 0 } as const;
    assertGrowsLinearly((batches) => {
      let model = begun;
      for (let batch = 0; batch < batches; batch++) model = reduce(model, events(Array.from({ length: 100 }, () => delta)));
      assert.equal(lastRun(model).turns[0]?.text.length, batches * 500);
      assert.equal(model.runs[0], begun.runs[0]);
    }, 100);
  });
});

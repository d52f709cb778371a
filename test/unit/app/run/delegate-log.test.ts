/** What other readers of a log make of child runs: forks, exports, insights, summaries, listeners and the terminal. */
import assert from 'node:assert/strict';
import { type Message, textOf } from '../../../../src/core/model/messages.ts';
import type { AgentEvent, EventBody } from '../../../../src/core/session/events.ts';
import { copiedEvents } from '../../../../src/core/session/fork.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { emptySession } from '../../../../src/core/session/session-state.ts';
import { NO_SUMMARY, statusOf, summarize } from '../../../../src/core/session/summary.ts';
import { applyValidEvents } from '../../../../src/core/session/valid-events.ts';
import { withChildren } from '../../../../src/core/view/run-view.ts';
import { numberedMessages } from '../../../../src/core/view/session-markdown.ts';
import { TextRenderer } from '../../../../src/hosts/cli/output/text-renderer.ts';
import { delegating, modelOf, reading } from '../../../support/delegating-model.ts';
import { assistantOn, eventsOf, GENEROUS, type Harness, lastOf } from '../../../support/harness.ts';

const FILES = { 'a.txt': 'port 80\n', 'b.txt': 'host local\n' };

function delegated(): Promise<Harness> {
  const adapter = modelOf({
    go: delegating('Find the port', 'Ask another'),
    'Find the port': reading('Port 80.', 'a.txt'),
    'Ask another': delegating('Find the host'),
    'Find the host': reading('Host local.', 'b.txt'),
  });
  return assistantOn(FILES, [], { adapter, delegation: 2 });
}

describe('the log of a session with child runs', () => {
  it('can be forked after each of its events, and each fork is complete', async () => {
    await using kedge = await delegated();
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const events = kedge.session.events.slice();
    for (const { seq } of events) {
      const copied = copiedEvents(events, { until: seq });
      const state = emptySession();
      assert.equal(applyValidEvents(state, copied).length, copied.length);
      assert.ok(state.lastRun?.status === 'finished' && state.open.length === 0, `until ${seq}`);
      assert.equal(state.children.size, 0);
      const started = eventsOf(copied, 'run_started').map(({ runId }) => runId);
      const finished = eventsOf(copied, 'run_finished').map(({ runId }) => runId);
      assert.deepEqual(finished.toSorted(), started.toSorted());
    }
  });

  it('shows the steps of the children below the run, counts them in its receipt, and only its own messages have numbers', async () => {
    await using kedge = await delegated();
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { session } = kedge;
    const [run, ...others] = session.readView().runs;
    assert.equal(others.length, 0);
    assert.deepEqual(run && withChildren(run).map(({ id, prompt, finished }) => [id.slice(run.id.length), prompt, finished?.outcome]), [
      ['', 'go', 'answered'],
      ['.1', 'Find the port', 'answered'],
      ['.2', 'Ask another', 'answered'],
      ['.2.1', 'Find the host', 'answered'],
    ]);
    const { receipt } = lastOf(kedge.events, 'run_finished');
    assert.deepEqual([receipt?.calls, receipt?.read], [5, ['a.txt', 'b.txt']]);
    assert.deepEqual(
      numberedMessages(session.events).map(({ from }) => from),
      ['user', 'model'],
    );
    const summary = session.events.slice().reduce(summarize, NO_SUMMARY);
    assert.deepEqual([summary.title, summary.status, summary.mode], ['go', 'done', 'ask']);
    const forked = await (await kedge.assistant.library()).forkBeforeLast(session.id);
    assert.equal(forked.prompt?.text, 'go');
  });

  it('waits in the list of sessions for what a child asked only until the child has ended', () => {
    const at = (runId: string, body: EventBody, seq: number): AgentEvent => ({ ...body, runId, seq, at: 1 });
    const request = { type: 'approval_requested', callId: 'c', title: 'May I?', rule: 'edit', reason: '' } as const;
    const start = { type: 'run_started', mode: 'ask', prompt: 'go', model: { provider: 'p', model: 'm' }, limits: GENEROUS } as const;
    const end = { type: 'run_finished', outcome: 'stopped', usage: {}, durationMs: 1 } as const;
    const events = [
      at('run', start, 1),
      at('run.1', { ...request, changes: [], approvalId: 'a b' }, 2),
      at('run.1.1', { ...request, changes: [], approvalId: 'inner' }, 3),
      at('run.2', { ...request, changes: [], approvalId: 'other' }, 4),
      at('run.1', end, 5),
      at('run.2', { type: 'approval_resolved', approvalId: 'other', callId: 'c', answer: { approve: true } }, 6),
    ];
    const seen = events.map((_, index) => statusOf(events.slice(0, index + 1).reduce(summarize, NO_SUMMARY), true));
    assert.deepEqual(seen, ['running', 'waiting', 'waiting', 'waiting', 'waiting', 'running']);
  });

  it('tells other listeners nothing of what children do', async () => {
    await using kedge = await delegated();
    const told: string[] = [];
    kedge.session.subscribe(({ runId }) => told.push(runId));
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual([...new Set(told)], [kedge.session.state.lastRun?.runId]);
  });

  it('is written to the terminal with indented lines', async () => {
    await using kedge = await delegated();
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    let [out, err] = ['', ''];
    const renderer = new TextRenderer({ write: (text) => (out += text) }, { write: (text) => (err += text) });
    for (const event of kedge.session.events) renderer.handle(event);
    assert.equal(out, 'Port 80.\n\nFiles it read: a.txt\n---\nHost local.\n\nFiles it read: b.txt\n');
    const lines = err.split('\n').filter((line) => line.startsWith('  '));
    assert.deepEqual(
      lines.toSorted(),
      [
        '      ● Read b.txt',
        '    ● Delegate: Find the host',
        '    ● Read a.txt',
        '    Subtask 2.1 (“Find the host”)',
        '  Subtask 1 (“Find the port”)',
        '  Subtask 2 (“Ask another”)',
      ].toSorted(),
    );
  });

  it('is read like it was written', async () => {
    await using kedge = await delegated();
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { messages } = foldSession(kedge.session.events);
    assert.equal(textOf(messages.at(-1) as Message), textOf(kedge.session.state.messages.at(-1) as Message));
  });
});

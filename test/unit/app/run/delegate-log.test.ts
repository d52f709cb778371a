/** What other readers of a log make of child runs: forks, exports, insights, summaries, listeners and the terminal. */
import assert from 'node:assert/strict';
import { type Message, textOf } from '../../../../src/core/model/messages.ts';
import { copiedEvents } from '../../../../src/core/session/fork.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { emptySession } from '../../../../src/core/session/session-state.ts';
import { NO_SUMMARY, summarize } from '../../../../src/core/session/summary.ts';
import { applyValidEvents } from '../../../../src/core/session/valid-events.ts';
import { withChildren } from '../../../../src/core/view/run-view.ts';
import { numberedMessages } from '../../../../src/core/view/session-markdown.ts';
import { TextRenderer } from '../../../../src/hosts/cli/output/text-renderer.ts';
import { delegating, modelOf, reading } from '../../../support/delegating-model.ts';
import { assistantOn, eventsOf, type Harness, lastOf } from '../../../support/harness.ts';

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

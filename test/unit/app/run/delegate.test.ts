/** Child runs: what they receive, what they spend, and how they are stopped, paused and continued. */
import assert from 'node:assert/strict';
import { type Message, resultText, textOf } from '../../../../src/core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../../../src/core/model/model.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { EMPTY_VIEW, project } from '../../../../src/core/view/session-view.ts';
import { call, say } from '../../../../src/providers/scripted/index.ts';
import { delegating, hanging, modelOf, reading, resultsIn, taskOf } from '../../../support/delegating-model.ts';
import { assistantOn, eventsOf, type Harness, lastOf } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';

const FILES = { 'a.txt': 'port 80\n', 'b.txt': 'host local\n', '.env': 'KEY=1\n' };

function sameStateAsLog({ session }: Harness): void {
  const folded = foldSession(session.events);
  const plain = ({ messages, ...state }: typeof folded) => ({ ...state, children: [...state.children.keys()], messages: [...messages] });
  assert.deepEqual(plain(session.state as typeof folded), plain(folded));
}

describe('delegate', () => {
  it('gives tasks to fresh runs with only the tools that read, and returns their answers with sources', async () => {
    const adapter = modelOf({
      go: delegating('Find the port', 'Find the host'),
      'Find the port': reading('The port is 80 (a.txt:1).', 'a.txt'),
      'Find the host': reading('The host is local (b.txt:1).', 'b.txt'),
    });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 2 });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { state } = kedge.session;
    assert.equal(state.lastRun?.outcome, 'answered');
    assert.equal(
      textOf(state.messages.at(-1) as Message),
      'The port is 80 (a.txt:1).\n\nFiles it read: a.txt\n---\nThe host is local (b.txt:1).\n\nFiles it read: b.txt',
    );
    const child = adapter.requests.find((request) => taskOf(request) === 'Find the port') as ModelRequest;
    assert.equal(child.messages.length, 1, 'A child sees nothing of the conversation of its parent.');
    assert.deepEqual(
      child.tools.map(({ name }) => name).filter((name) => /create|replace|delete|run_command/.test(name)),
      [],
    );
    assert.deepEqual([...state.runs.keys()], [state.lastRun?.runId]);
    assert.equal(state.children.size, 0);
    assert.equal(state.lastRun?.used.turns, 6);
    assert.equal(state.lastRun?.used.calls, 4);
    sameStateAsLog(kedge);
  });

  it('is offered only where the user turned it on, and not below the greatest depth', async () => {
    const adapter = modelOf({ go: delegating('one'), one: delegating('two'), two: () => say('Here.') });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 2 });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const offers = (task: string) =>
      adapter.requests.find((request) => taskOf(request) === task)?.tools.some(({ name }) => name === 'delegate');
    assert.deepEqual(['go', 'one', 'two'].map(offers), [true, true, false]);
    assert.equal(textOf(kedge.session.state.messages.at(-1) as Message), 'Here.');
    await using plain = await assistantOn(FILES, [], { adapter: modelOf({ go: () => say('Hi.') }) });
    await plain.session.prompt({ text: 'go', mode: 'agent' });
  });

  it('runs the children of one turn at once', async () => {
    let waiting = 0;
    const all = Promise.withResolvers<void>();
    const together = async function* (): AsyncGenerator<ModelEvent> {
      // No child goes on before all of them have sent their request.
      if (++waiting === 20) all.resolve();
      await all.promise;
      yield* say('Found.');
    };
    const tasks = Array.from({ length: 20 }, (_, index) => `task ${index + 1}`);
    const adapter = modelOf({ go: delegating(...tasks), ...Object.fromEntries(tasks.map((task) => [task, together])) });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    assert.equal(eventsOf(kedge.events, 'run_started').length, 21);
  });

  it('counts the time of a child from its start', async () => {
    let time = 1_000_000_000;
    const adapter = modelOf({ go: delegating('one'), one: reading('Here.', 'a.txt') });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1, now: () => ++time });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const [child, root] = eventsOf(kedge.events, 'run_finished');
    assert.ok(child && root && child.durationMs > 0 && child.durationMs < root.durationMs, `${child?.durationMs} of ${root?.durationMs}`);
    sameStateAsLog(kedge);
  });

  it('keeps a permission for the turn of the parent when the turn of a child ends', async () => {
    const adapter = modelOf({
      go: (turn) =>
        turn === 0
          ? [...call('create_file', { path: 'n.txt', content: 'n' }, 'w'), ...call('delegate', { task: 'one' }, 'd')]
          : say('Done.'),
      one: reading('Here.', 'a.txt'),
    });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    const kept: boolean[] = [];
    kedge.session.subscribe(
      (event) => {
        if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: true, grant: 'turn' });
        const isChilds = event.runId.includes('.');
        if (isChilds && event.type === 'run_finished') kept.push(kedge.session.state.grants.some(({ scope }) => scope === 'turn'));
      },
      { withChildren: true },
    );
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(kept, [true]);
    assert.deepEqual(kedge.session.state.grants, []);
    sameStateAsLog(kedge);
  });

  it('returns the reason if a child fails, and the parent goes on', async () => {
    const adapter = modelOf({ go: delegating('fails', 'works'), works: () => say('Fine.') });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const answer = textOf(kedge.session.state.messages.at(-1) as Message);
    assert.match(answer, /^The subtask failed: No answer for fails\.[\s\S]*\n---\nFine\.$/);
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
    sameStateAsLog(kedge);
  });

  it('cuts a long answer, which the model can read again with recall', async () => {
    const long = Array.from({ length: 2_000 }, (_, index) => `line ${index + 1}`).join('\n');
    const adapter = modelOf({
      go: (turn, { messages }) => {
        if (turn === 0) return call('delegate', { task: 'long' }, 'd');
        const [result] = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
        if (turn === 1) {
          assert.ok(result && resultText(result).length < 8_000);
          const address = /#\d+\.\d+/.exec(resultText(result))?.[0];
          return call('recall', { what: address, from_line: 1_000 }, 'r');
        }
        return say('Read.');
      },
      long: () => say(long),
    });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.match(resultText(lastOf(kedge.events, 'tool_finished').result), /^line 1000\n/);
  });

  it('ends every child when the run is stopped, and nothing follows in the log', async () => {
    const adapter = modelOf({
      go: delegating('hangs', 'hangs too'),
      hangs: hanging,
      'hangs too': hanging,
    });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    const run = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await until('the requests', () => adapter.requests.length === 3);
    await kedge.session.stop();
    await run;
    const ends = eventsOf(kedge.events, 'run_finished').map(({ runId, outcome }) => [runId.split('.').length, outcome]);
    assert.deepEqual(ends, [
      [2, 'stopped'],
      [2, 'stopped'],
      [1, 'stopped'],
    ]);
    assert.equal(kedge.session.state.children.size, 0);
    assert.equal(kedge.events.at(-1)?.type, 'run_finished');
    sameStateAsLog(kedge);
    const again = await kedge.reload();
    assert.equal(again.session.damage, undefined);
    assert.deepEqual(again.session.readView(), kedge.session.readView());
  });

  it('pauses the children with their parent, and goes on with them', async () => {
    const adapter = modelOf({ go: delegating('one', 'two'), one: reading('One.', 'a.txt'), two: reading('Two.', 'b.txt') });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    const stop = kedge.session.subscribe(
      ({ type, runId }) => {
        if (type !== 'tool_started' || !runId.includes('.')) return;
        stop();
        kedge.session.pause();
      },
      { withChildren: true },
    );
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { state } = kedge.session;
    assert.deepEqual([state.lastRun?.status, state.lastRun?.pause], ['paused', 'user']);
    assert.deepEqual(
      [...state.children.values()].map(({ lastRun }) => lastRun?.status),
      ['paused', 'paused'],
    );
    const again = await kedge.reload();
    await again.session.resume();
    assert.equal(again.session.state.lastRun?.outcome, 'answered');
    assert.equal(eventsOf(again.session.events.slice(), 'tool_finished').length, 4);
    assert.equal(eventsOf(again.session.events.slice(), 'run_started').length, 3);
    sameStateAsLog(again);
  });

  it('takes steps in a child', async () => {
    const adapter = modelOf({ go: delegating('one'), one: reading('One.', 'a.txt') });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    const stop = kedge.session.subscribe(({ type }) => {
      if (type === 'turn_started') {
        stop();
        kedge.session.pause();
      }
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const steps: string[] = [];
    for (let count = 0; count < 10 && kedge.session.state.lastRun?.status === 'paused'; count++) {
      const from = kedge.session.events.length;
      await kedge.session.step();
      const made = kedge.session.events.slice(from).filter(({ type }) => type === 'turn_started' || type === 'tool_finished');
      steps.push(made.map(({ type, runId }) => `${type} ${runId.split('.').length}`).join(', '));
    }
    assert.deepEqual(steps, ['turn_started 2', 'tool_finished 2', 'turn_started 2, tool_finished 1', 'turn_started 1']);
    assert.equal(kedge.session.state.lastRun?.outcome, 'answered');
  });

  it('spends from what is left of the parent, which pauses at its limit and goes on with its children', async () => {
    const busy = (turn: number): ModelEvent[] =>
      turn < 6 ? call('list_directory', { path: '.', depth: turn + 1 }, `l${turn}`) : say('Done.');
    const adapter = modelOf({ go: delegating('one', 'two'), one: busy, two: busy });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1, limits: { turns: 5 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { state } = kedge.session;
    assert.deepEqual([state.lastRun?.status, state.lastRun?.reached, state.lastRun?.used.turns], ['paused', { limit: 'turns', max: 5 }, 5]);
    for (let count = 0; count < 10 && state.lastRun?.status === 'paused'; count++) await kedge.session.resume();
    assert.equal(state.lastRun?.outcome, 'answered');
    assert.equal(state.lastRun?.used.turns, 16);
    sameStateAsLog(kedge);
  });

  it('asks the user with the name of the child, and goes on after a reload', async () => {
    const adapter = modelOf({ go: delegating('Read the key'), 'Read the key': reading('It is 1.', '.env') });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    const run = kedge.session.prompt({ text: 'go', mode: 'ask' });
    await until('the approval', () => kedge.session.state.pendingApprovals.size === 1);
    const [asked] = [...kedge.session.state.pendingApprovals.values()];
    assert.equal(asked?.title, 'Subtask 1 (“Read the key”): Read .env');
    assert.equal(kedge.session.readView().runs.at(-1)?.approvals.length, 1);
    const again = await kedge.reload();
    void run;
    assert.equal(again.session.state.pendingApprovals.size, 1);
    await again.session.answerApproval(asked?.approvalId ?? '', { approve: true });
    assert.equal(again.session.state.lastRun?.outcome, 'answered');
    assert.match(textOf(again.session.state.messages.at(-1) as Message), /^It is 1\./);
    assert.equal(eventsOf(again.session.events.slice(), 'run_started').length, 2);
  });

  it('shows that a child waits to try again, and the user can send its request at once', async () => {
    const base = modelOf({ go: delegating('busy'), busy: () => say('Here.') });
    let tryNow = () => {};
    const adapter: ModelAdapter = {
      async *stream(request, signal) {
        if (taskOf(request) === 'busy') {
          const tried = new Promise<void>((resolve) => {
            tryNow = resolve;
          });
          yield { type: 'model_waiting', attempt: 2, tries: 5, reason: 'rate_limit', waitMs: 1_000_000 };
          await tried;
        }
        yield* base.stream(request, signal);
      },
      retryNow: () => tryNow(),
    };
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    let view = EMPTY_VIEW;
    const watched: (string | undefined)[] = [];
    kedge.session.subscribe(
      (event) => {
        view = project(view, event);
        if (event.type !== 'model_waiting') return;
        watched.push(view.runs[0]?.waiting?.reason);
        queueMicrotask(() => kedge.session.retryNow());
      },
      { withChildren: true },
    );
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(watched, ['rate_limit']);
    assert.equal(view.runs[0]?.waiting, undefined);
    assert.equal(textOf(kedge.session.state.messages.at(-1) as Message), 'Here.');
  });

  it('gives a child the agent that the model names, and says which agents there are', async () => {
    const adapter = modelOf({
      go: (turn, request) => {
        if (turn > 0) return say(resultsIn(request).join(' | '));
        return [
          ...call('delegate', { task: 'Review', agent: 'reviewer' }, 'd1'),
          ...call('delegate', { task: 'None', agent: 'nobody' }, 'd2'),
        ];
      },
      Review: () => say('Fine.'),
    });
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const [, child] = eventsOf(kedge.events, 'run_started');
    assert.equal(child?.agent?.name, 'reviewer');
    assert.match(textOf(kedge.session.state.messages.at(-1) as Message), /^Fine\. \| There is no agent nobody\. There are: researcher, /);
  });

  it('compacts the conversation of a child alone', async () => {
    const parts = Array.from({ length: 30 }, (_, index) => [
      `part${index}.txt`,
      'words of a file that fills the window of a small model\n'.repeat(60),
    ]);
    const paths = parts.map(([path]) => path as string);
    let read = 0;
    // After a compaction, the request does not show how many answers there were.
    const adapter = modelOf((task) =>
      task === 'go' ? delegating('long') : () => (read < paths.length ? call('read_file', { path: paths[read++] }, 'r') : say('All read.')),
    );
    await using kedge = await assistantOn(Object.fromEntries(parts), [], {
      adapter,
      delegation: 1,
      facts: () => ({ contextWindow: 8_000 }),
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const compacted = eventsOf(kedge.events, 'context_compacted');
    assert.ok(compacted.length > 0);
    assert.ok(compacted.every(({ runId }) => runId.endsWith('.1')));
    assert.equal(kedge.session.state.compaction, undefined);
    assert.match(textOf(kedge.session.state.messages.at(-1) as Message), /^All read\./);
    const again = await kedge.reload();
    assert.equal(again.session.damage, undefined);
    assert.equal(again.session.state.lastRun?.used.turns, kedge.session.state.lastRun?.used.turns);
  });
});

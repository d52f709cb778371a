/** Child runs that write where their parent works: alone, through the same gate, and as a part of what the parent changed. */
import assert from 'node:assert/strict';
import type { ModelEvent } from '../../../../src/core/model/model.ts';
import type { AgentEvent, Mode } from '../../../../src/core/session/events.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { call, say, scriptedAdapter, turn } from '../../../../src/providers/scripted/index.ts';
import { modelOf, type Role, reading, resultsIn, taskOf } from '../../../support/delegating-model.ts';
import { answerAll, assistantOn, eventsOf, type Harness, type HarnessOptions, lastOf } from '../../../support/harness.ts';
import { until } from '../../../support/until.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n' };

type Given = { task: string; agent?: string; write?: string };

const giving =
  (...tasks: Given[]): Role =>
  (turn, request) =>
    turn === 0 ? tasks.flatMap((input, index) => call('delegate', input, `d${index + 1}`)) : say(resultsIn(request).join('\n---\n'));

const replace = (path: string, old_text: string, new_text: string): ModelEvent[] =>
  call('replace_in_file', { path, edits: [{ old_text, new_text }] }, `r${path}`);

/** Reads a file, changes it, and answers. */
const changing =
  (path: string, from: string, to: string): Role =>
  (turn) =>
    turn === 0 ? call('read_file', { path }, 'r') : turn === 1 ? replace(path, from, to) : say(`Changed ${path}.`);

function started(roles: Parameters<typeof modelOf>[0], options: HarnessOptions = {}): Promise<Harness> {
  return assistantOn(FILES, [], { adapter: modelOf(roles), delegation: 2, ...options });
}

function sameStateAsLog({ session }: Harness): void {
  const folded = foldSession(session.events);
  const plain = ({ messages, ...state }: typeof folded) => ({ ...state, children: [...state.children.keys()], messages: [...messages] });
  assert.deepEqual(plain(session.state as typeof folded), plain(folded));
}

const answerIn = ({ session }: Harness) =>
  lastOf(session.events, 'message_added').message.content.map((part) => (part as { text?: string }).text);

describe('a child run that writes', () => {
  it('asks with its name, and its changes belong to the review and the undo of its parent', async () => {
    await using kedge = await started({
      go: (turn) =>
        turn === 0
          ? replace('b.txt', 'two', 'TWO')
          : turn === 1
            ? call('delegate', { task: 'Change a', write: 'here' }, 'd')
            : say('Done.'),
      'Change a': changing('a.txt', 'one', 'ONE'),
    });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { state } = kedge.session;
    const runId = state.lastRun?.runId as string;
    assert.deepEqual([await kedge.read('a.txt'), await kedge.read('b.txt')], ['ONE\n', 'TWO\n']);
    const asked = eventsOf(kedge.events, 'approval_requested').map(({ title }) => title);
    assert.match(asked[1] ?? '', /^Subtask 1 \(“Change a”\): /);
    assert.equal(asked.length, 2);
    assert.deepEqual(
      state.staged.map((write) => [write.runId, write.change.path, write.landed]),
      [
        [runId, 'b.txt', true],
        [runId, 'a.txt', true],
      ],
    );
    const [run] = kedge.session.readView().runs;
    assert.deepEqual(run?.changes.map(({ path, added, removed }) => [path, added, removed]).toSorted(), [
      ['a.txt', 1, 1],
      ['b.txt', 1, 1],
    ]);
    assert.deepEqual(lastOf(kedge.events, 'run_finished').receipt?.changed.toSorted(), ['a.txt', 'b.txt']);
    assert.ok('diff' in (await kedge.session.changes.review(runId, 'a.txt')));
    sameStateAsLog(kedge);
    await kedge.session.changes.undo(runId);
    assert.deepEqual([await kedge.read('a.txt'), await kedge.read('b.txt')], ['one\n', 'two\n']);
    sameStateAsLog(kedge);
  });

  it('says what it changed, also if it fails', async () => {
    await using kedge = await started({
      go: giving({ task: 'Change a', write: 'here' }, { task: 'Change b', write: 'here' }),
      'Change a': changing('a.txt', 'one', 'ONE'),
      'Change b': (turn, ...rest) => {
        if (turn === 2) throw new Error('The service is gone.');
        return changing('b.txt', 'two', 'TWO')(turn, ...rest);
      },
    });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const [text = ''] = answerIn(kedge);
    assert.match(text, /^Changed a\.txt\.\n\nFiles it changed: a\.txt \(edit, \+1 −1\)\n\nFiles it read: a\.txt\n---\n/);
    assert.match(text, /---\nThe subtask failed: The service is gone\.\n\nFiles it changed: b\.txt \(edit, \+1 −1\)/);
  });

  it('runs alone: nothing else of the turn runs at the same time', async () => {
    await using kedge = await started({
      go: giving(
        { task: 'read 1' },
        { task: 'read 2' },
        { task: 'Change a', write: 'here' },
        { task: 'Change b', write: 'here' },
        { task: 'read 3' },
      ),
      'read 1': reading('1', 'a.txt'),
      'read 2': reading('2', 'b.txt'),
      'read 3': reading('3', 'b.txt'),
      'Change a': changing('a.txt', 'one', 'ONE'),
      'Change b': changing('b.txt', 'two', 'TWO'),
    });
    answerAll(kedge.session, { approve: true });
    const open = new Set<string>();
    const together = new Map<string, number>();
    kedge.session.subscribe(
      (event: AgentEvent) => {
        if (!event.runId.includes('.')) return;
        if (event.type === 'run_started') open.add(event.runId);
        for (const id of open) together.set(id, Math.max(together.get(id) ?? 0, open.size));
        if (event.type === 'run_finished') open.delete(event.runId);
      },
      { withChildren: true },
    );
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      [...together].map(([id, count]) => [id.slice(-1), count]),
      [
        ['1', 2],
        ['2', 2],
        ['3', 1],
        ['4', 1],
        ['5', 1],
      ],
    );
  });

  it('has no means below a parent that cannot write, whose tool is the same as ever', async () => {
    const specs = new Map<Mode, unknown>();
    for (const mode of ['ask', 'plan', 'agent'] as const) {
      const adapter = modelOf({ go: giving({ task: 'Change a', write: 'here' }), 'Change a': changing('a.txt', 'one', 'ONE') });
      await using kedge = await assistantOn(FILES, [], { adapter, delegation: 2, trusted: mode !== 'agent' });
      answerAll(kedge.session, { approve: true });
      await kedge.session.prompt({ text: 'go', mode });
      specs.set(
        mode,
        adapter.requests[0]?.tools.find(({ name }) => name === 'delegate'),
      );
      for (const request of adapter.requests.filter((each) => taskOf(each) === 'Change a'))
        assert.ok(!request.tools.some(({ name }) => /replace|create|delete|run_command/.test(name)));
      assert.deepEqual(
        eventsOf(kedge.session.events.slice(), 'run_started').flatMap(({ parent, mode: own }) => (parent ? [own] : [])),
        mode === 'agent' ? [] : ['ask'],
      );
      assert.equal(await kedge.read('a.txt'), 'one\n');
    }
    const { description, inputSchema } = specs.get('ask') as { description: string; inputSchema: { properties: object } };
    assert.deepEqual(specs.get('plan'), specs.get('ask'));
    assert.deepEqual(Object.keys(inputSchema.properties), ['task', 'agent']);
    assert.doesNotMatch(description, /write/);
  });

  it('gives a child of a child no more than the child has', async () => {
    await using kedge = await started({
      go: giving({ task: 'reads' }),
      reads: giving({ task: 'Change a', write: 'here' }),
      'Change a': changing('a.txt', 'one', 'ONE'),
    });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(
      eventsOf(kedge.session.events.slice(), 'run_started').map(({ mode }) => mode),
      ['agent', 'ask', 'ask'],
    );
    assert.equal(await kedge.read('a.txt'), 'one\n');
  });

  it('may change without approval only the files of the current step of its parent’s plan', async () => {
    const steps = [
      { title: 'One', files: ['a.txt'] },
      { title: 'Two', files: ['b.txt'] },
    ];
    const change = call('delegate', { task: 'Change both', write: 'here' });
    const adapter = scriptedAdapter([
      turn(call('propose_plan', { goal: 'g', steps })),
      turn(call('update_step', { step: 1, status: 'started' })),
      turn(change),
      turn(replace('a.txt', 'one', 'ONE'), replace('b.txt', 'two', 'TWO')),
      turn(say('Changed.')),
      turn(call('update_step', { step: 1, status: 'done' })),
      turn(say('Done.')),
    ]);
    await using kedge = await assistantOn(FILES, [], { adapter, delegation: 1 });
    kedge.granted.covers.push({ kind: 'edits' });
    answerAll(kedge.session, { approve: false });
    await kedge.session.prompt({ text: 'plan it', mode: 'plan' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    const [asked, ...more] = eventsOf(kedge.events, 'approval_requested');
    assert.deepEqual([asked?.rule, asked?.changes.map(({ path }) => path), more.length], ['outside-plan', ['b.txt'], 0]);
    assert.match(asked?.reason ?? '', /^Step 1 \(One\) may not change b\.txt\. It belongs to step 2 \(Two\)\./);
    assert.deepEqual([await kedge.read('a.txt'), await kedge.read('b.txt')], ['ONE\n', 'two\n']);
    const { lastRun, staged } = kedge.session.state;
    assert.deepEqual(lastRun?.steps[1]?.files, ['a.txt']);
    assert.deepEqual(
      staged.map(({ step, change: { path } }) => [step, path]),
      [[1, 'a.txt']],
    );
    assert.deepEqual(kedge.session.readView().runs.at(-1)?.steps[1]?.files, ['a.txt']);
    sameStateAsLog(kedge);
  });

  it('is refused for an agent that cannot write', async () => {
    await using kedge = await started({ go: giving({ task: 'Change a', agent: 'reviewer', write: 'here' }) });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(answerIn(kedge)[0] ?? '', /^The agent reviewer cannot write\. Delegate the task without `write`/);
    assert.equal(eventsOf(kedge.session.events.slice(), 'run_started').length, 1);
  });

  it('goes on after a reload without writing twice, and the undo after it takes back everything', async () => {
    await using kedge = await started({
      go: giving({ task: 'Change both', write: 'here' }),
      'Change both': (turn) => (turn === 0 ? replace('a.txt', 'one', 'ONE') : turn === 1 ? replace('b.txt', 'two', 'TWO') : say('Both.')),
    });
    const run = kedge.session.prompt({ text: 'go', mode: 'agent' });
    await until('the first approval', () => kedge.session.state.pendingApprovals.size === 1);
    await kedge.session.answerApproval([...kedge.session.state.pendingApprovals.keys()][0] as string, { approve: true });
    await until('the second approval', () => kedge.session.state.pendingApprovals.size === 1 && kedge.session.state.staged.length === 1);
    const again = await kedge.reload();
    void run;
    const runId = again.session.state.lastRun?.runId as string;
    await again.session.answerApproval([...again.session.state.pendingApprovals.keys()][0] as string, { approve: true });
    assert.equal(again.session.state.lastRun?.outcome, 'answered');
    assert.deepEqual([await again.read('a.txt'), await again.read('b.txt')], ['ONE\n', 'TWO\n']);
    assert.equal(eventsOf(again.session.events.slice(), 'file_changed').length, 2);
    sameStateAsLog(again);
    const third = await again.reload();
    await third.session.changes.undo(runId);
    assert.deepEqual([await third.read('a.txt'), await third.read('b.txt')], ['one\n', 'two\n']);
  });
});

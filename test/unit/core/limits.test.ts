import assert from 'node:assert/strict';
import { describeProgress } from '../../../src/core/view/summary.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const files = { 'a.txt': 'a', 'b.txt': 'b' };
const read = (path: string, id = '') => call('read_file', { path }, id);

describe('at a limit the run pauses with a summary, and continues when it is resumed', () => {
  it('turns', async () => {
    await using kedge = await assistantOn(files, [turn(say('First a.'), read('a.txt')), turn(read('b.txt')), turn(say('Done.'))], {
      limits: { turns: 2 },
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { limit, max } = lastOf(kedge.events, 'budget_reached');
    assert.deepEqual([limit, max], ['turns', 2]);
    const { reason, summary } = lastOf(kedge.events, 'run_paused');
    assert.equal(reason, 'limit');
    assert.equal(summary, 'So far 2 tool calls: read_file × 2.\n\nRead: a.txt, b.txt.\n\nThe model’s last messages:\n- First a.');
    assert.equal(kedge.session.running, false);
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(resultTexts(kedge.session), ['1\ta', '1\tb']);
  });

  it('reports executed calls and their findings, not requested ones', async () => {
    const look = call('search_text', { pattern: 'a' });
    const script = [
      turn(say('I look\naround.'), look, read('missing.txt'), call('no_such_tool', {}), call('run_command', { command: 'rm -rf /' })),
      turn(
        say('It is in a.txt.'),
        call('create_file', { path: 'made.txt', content: 'x' }),
        call('create_file', { path: 'no.txt', content: 'x' }),
      ),
      turn(say('Two more.'), read('a.txt'), read('b.txt'), read('a.txt')),
    ];
    await using kedge = await assistantOn({ 'a.txt': 'a\n', 'b.txt': 'b a\n' }, script, { limits: { callsPerRun: 7 } });
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested')
        void kedge.session.answerApproval(event.approvalId, { approve: event.changes[0]?.path === 'made.txt' });
    });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(
      lastOf(kedge.events, 'run_paused').summary,
      [
        'So far 4 tool calls: search_text, read_file × 2, create_file. 1 of them failed. 5 more were requested but not executed.',
        'Changed: made.txt.',
        'Read: a.txt.',
        'Found:\n- `a`: 2 hits in a.txt, b.txt',
        'The model’s last messages:\n- I look around.\n- It is in a.txt.\n- Two more.',
      ].join('\n\n'),
    );
    // After a reload, the run pauses with the same summary.
    const again = await kedge.reload();
    assert.equal(describeProgress(again.session.state, again.session.state.lastRun), lastOf(kedge.events, 'run_paused').summary);
  });

  it('reports the total use at the next pause, including the use before a queued message', async () => {
    const reads = (path: string) => turn(say(`Now ${path}.`), read(path));
    await using kedge = await assistantOn(files, [reads('a.txt'), reads('b.txt'), reads('a.txt'), reads('b.txt'), turn(say('Done.'))], {
      limits: { turns: 2 },
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const going = kedge.session.resume();
    await kedge.session.say({ text: 'And mind the tide.', mode: 'ask' });
    await going;
    assert.ok(kedge.events.some((event) => event.type === 'message_added' && event.queued !== undefined));
    const { limit, max } = lastOf(kedge.events, 'budget_reached');
    assert.deepEqual([limit, max], ['turns', 4]);
    assert.match(lastOf(kedge.events, 'run_paused').summary, /^So far 4 tool calls: read_file × 4\./);
  });

  it('calls of a run: executes as many as the limit allows, the rest waits', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt', '1'), read('b.txt', '2'), read('a.txt', '3')), turn(say('Done.'))], {
      limits: { callsPerRun: 2 },
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'callsPerRun');
    assert.deepEqual([...kedge.session.state.results.keys()].sort(), ['1', '2']);
    await kedge.session.resume();
    assert.deepEqual(resultTexts(kedge.session), ['1\ta', '1\tb', '1\ta']);
    assert.equal(kedge.adapter.requests.length, 2);
  });

  it('also across a reload', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt', '1'), read('b.txt', '2')), turn(say('Done.'))], {
      limits: { callsPerRun: 1 },
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const again = await kedge.reload();
    assert.equal(again.session.state.lastRun?.status, 'paused');
    await again.session.resume();
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(resultTexts(again.session), ['1\ta', '1\tb']);
    assert.equal(eventsOf(again.session.events, 'tool_finished').length, 2);
  });

  it('minutes', async () => {
    let time = 0;
    const sixMinutes = () => {
      time += 6 * 60_000;
      return [...read('a.txt', `at ${time}`), { type: 'stop', reason: 'tool_use' } as const];
    };
    await using kedge = await assistantOn(files, [sixMinutes, sixMinutes, turn(say('Done.'))], {
      limits: { minutes: 10 },
      now: () => time,
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'minutes');
    // The second call was requested but not executed.
    assert.equal(eventsOf(kedge.events, 'tool_finished').length, 1);
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(resultTexts(kedge.session), ['1\ta', '1\ta']);
  });

  it('but not the minutes in which it waits for its user', async () => {
    let time = 0;
    await using kedge = await assistantOn(
      {},
      [turn(call('create_file', { path: 'new.txt', content: '' })), turn(read('new.txt')), turn(say('Done.'))],
      { limits: { minutes: 10 }, now: () => time },
    );
    const asked = nextEvent(kedge.session, 'approval_requested');
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await asked;
    time += 24 * 60 * 60_000;
    await kedge.session.answerApproval(approvalId, { approve: true });
    await ended;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.equal(eventsOf(kedge.events, 'tool_finished')[0]?.durationMs, 0);
  });

  it('calls of a turn: those beyond the limit get an error result, so that the model asks again', async () => {
    await using kedge = await assistantOn(files, [turn(...['1', '2', '3'].map((id) => read('a.txt', id))), turn(say('Done.'))], {
      limits: { callsPerTurn: 2 },
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(resultTexts(kedge.session), [
      '1\ta',
      '1\ta',
      'ERROR Not executed: at most 2 tool calls are allowed in one turn. Repeat this call in the next turn.',
    ]);
  });

  it('calls of a turn are counted from the first, also when the run is resumed between them', async () => {
    await using kedge = await assistantOn(files, [turn(...['1', '2', '3', '4'].map((id) => read('a.txt', id))), turn(say('Done.'))], {
      limits: { callsPerTurn: 3, callsPerRun: 2 },
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.resume();
    assert.deepEqual(
      resultTexts(kedge.session).map((text) => text.slice(0, 18)),
      ['1\ta', '1\ta', '1\ta', 'ERROR Not executed'],
    );
  });

  it('another prompt ends the paused run, whose open calls count as not executed', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt', '1'), read('b.txt', '2')), turn(say('Yes?'))], {
      limits: { callsPerRun: 1 },
    });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.prompt({ text: 'no, wait', mode: 'ask' });
    assert.deepEqual(
      eventsOf(kedge.events, 'run_finished').map(({ outcome }) => outcome),
      ['stopped', 'answered'],
    );
    assert.deepEqual(resultTexts(kedge.session), [
      '1\ta',
      'ERROR Not executed: the run was stopped before this call. Call the tool again if you still need it.',
    ]);
  });

  it('counts the usage of the whole run across the pause', async () => {
    const usage = { type: 'usage', usage: { input: 5, output: 1 } } as const;
    await using kedge = await assistantOn(files, [turn(read('a.txt'), usage), turn(say('Done.'), usage)], { limits: { turns: 1 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const again = await kedge.reload();
    await again.session.resume();
    assert.deepEqual(lastOf(again.events, 'run_finished').usage, { input: 10, output: 2 });
  });
});

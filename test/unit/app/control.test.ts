import assert from 'node:assert/strict';
import type { Session } from '../../../src/app/session/session.ts';
import { textOf } from '../../../src/core/model/messages.ts';
import { newRun, nextStepText } from '../../../src/core/view/run-view.ts';
import { call, hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, type EventOf, eventsOf, type Harness, lastOf, nextEvent, resultTexts } from '../../support/harness.ts';

const files = { 'a.txt': 'a', 'b.txt': 'b' };
const read = (path: string, id = '') => call('read_file', { path }, id);
const types = ({ events }: Harness) => events.map(({ type }) => type);

/** Calls `react` once, during the first event of that type. */
function on<Type extends Parameters<typeof nextEvent>[1]>(session: Session, type: Type, react: (event: EventOf<Type>) => void): void {
  const end = session.subscribe((event) => {
    if (event.type !== type) return;
    end();
    react(event as EventOf<Type>);
  });
}

describe('a run that the user pauses', () => {
  const script = [turn(read('a.txt')), turn(read('b.txt')), turn(say('Done.'))];

  it('finishes the current call, and pauses before the next one', async () => {
    const two = turn(call('create_file', { path: 'c.txt', content: '' }, 'c'), call('create_file', { path: 'd.txt', content: '' }, 'd'));
    await using kedge = await assistantOn({}, [two, turn(say('Done.'))]);
    kedge.granted.covers.push({ kind: 'edits' });
    kedge.session.subscribe((event) => {
      if (event.type === 'approval_requested') void kedge.session.answerApproval(event.approvalId, { approve: true });
    });
    on(kedge.session, 'changes_staged', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.equal(kedge.events.at(-1)?.type, 'run_paused');
    assert.deepEqual([...kedge.session.state.results.keys()], ['c']);
    assert.equal(kedge.session.running, false);
    const next = () => nextStepText(kedge.session.readView().runs.at(-1) ?? newRun(''));
    assert.equal(next(), 'Create d.txt');
    await kedge.session.step();
    assert.equal(next(), 'the model’s next turn');
    await kedge.session.resume();
    assert.deepEqual(Object.keys(await kedge.snapshot()), ['/', 'workspace/', 'workspace/c.txt', 'workspace/d.txt']);
  });

  it('pauses before the next turn, and continues at the same place', async () => {
    await using kedge = await assistantOn(files, script);
    on(kedge.session, 'tool_started', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_paused').reason, 'user');
    assert.equal(kedge.adapter.requests.length, 1);
    assert.deepEqual(resultTexts(kedge.session), ['1\ta']);
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(resultTexts(kedge.session), ['1\ta', '1\tb']);
    assert.deepEqual(
      eventsOf(kedge.events, 'turn_started').map(({ turn }) => turn),
      [1, 2, 3],
    );
  });

  it('is shown as paused after a reload, and can be resumed', async () => {
    await using kedge = await assistantOn(files, script);
    on(kedge.session, 'tool_started', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const again = await kedge.reload();
    const { status, pause } = again.session.state.lastRun ?? {};
    assert.deepEqual([status, pause], ['paused', 'user']);
    await again.session.resume();
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
  });

  it('continues without a pause if the user cancels the pause', async () => {
    await using kedge = await assistantOn(files, script);
    on(kedge.session, 'tool_started', () => {
      kedge.session.pause();
      void kedge.session.resume();
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.equal(types(kedge).includes('run_paused'), false);
  });

  it('can be resumed, stepped or stopped in the event that reports the pause', async () => {
    for (const way of ['resume', 'step', 'stop'] as const) {
      await using kedge = await assistantOn(files, script);
      on(kedge.session, 'tool_started', () => kedge.session.pause());
      const reacted = Promise.withResolvers<void>();
      on(kedge.session, 'run_paused', () => kedge.session[way]().then(reacted.resolve, reacted.reject));
      await kedge.session.prompt({ text: 'go', mode: 'ask' });
      await reacted.promise;
      const { status, outcome } = kedge.session.state.lastRun ?? {};
      assert.deepEqual(
        [status, outcome],
        { resume: ['finished', 'answered'], step: ['paused', undefined], stop: ['finished', 'stopped'] }[way],
      );
    }
  });

  it('uses no time while it is paused', async () => {
    let time = 0;
    await using kedge = await assistantOn(files, script, { limits: { minutes: 1 }, now: () => time });
    on(kedge.session, 'tool_started', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    time += 24 * 60 * 60_000;
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('keeps its limits, however often it is paused', async () => {
    await using kedge = await assistantOn(files, script, { limits: { turns: 2 } });
    on(kedge.session, 'tool_started', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'turns');
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('cannot be paused if no run is in progress', async () => {
    await using kedge = await assistantOn(files, script);
    assert.throws(() => kedge.session.pause(), /No run is in progress/);
    await assert.rejects(kedge.session.step(), /no paused run/);
  });
});

describe('step by step', () => {
  it('each step is one turn of the model or one call, even if calls could run in parallel', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt', '1'), read('b.txt', '2')), turn(say('Done.'))]);
    on(kedge.session, 'run_started', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const steps: string[][] = [];
    while (kedge.session.state.lastRun?.status === 'paused') {
      const from = kedge.events.length;
      await kedge.session.step();
      steps.push(types(kedge).slice(from));
    }
    assert.deepEqual(steps, [
      ['run_resumed', 'turn_started', 'message_added', 'run_paused'],
      ['run_resumed', 'tool_started', 'tool_finished', 'run_paused'],
      ['run_resumed', 'tool_started', 'tool_finished', 'run_paused'],
      ['run_resumed', 'turn_started', 'text_delta', 'message_added', 'run_finished'],
    ]);
  });

  it('a step of a running run pauses it, and a second step adds one more', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt')), turn(read('b.txt')), turn(say('Done.'))]);
    on(kedge.session, 'turn_started', () => {
      void kedge.session.step();
      void kedge.session.step();
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(types(kedge).slice(-3), ['tool_started', 'tool_finished', 'run_paused']);
  });
});

describe('a message during a run', () => {
  const said = ({ session }: Harness) => session.state.messages.map((message) => `${message.role}: ${textOf(message as never)}`);

  it('joins at the next turn, after the results of all calls', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt'), read('b.txt')), turn(say('In metres.'))]);
    on(kedge.session, 'tool_started', () => void kedge.session.say({ text: 'In metres, please.', mode: 'ask' }));
    await kedge.session.prompt({ text: 'How high?', mode: 'ask' });
    const [first, second] = kedge.adapter.requests;
    assert.deepEqual(
      second?.messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'user'],
    );
    assert.deepEqual(second?.messages.slice(0, first?.messages.length), first?.messages);
    assert.equal(said(kedge).at(-2), 'user: In metres, please.');
    assert.equal(kedge.session.state.queue.size, 0);
  });

  it('waits for the end of a pause, and then joins', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt')), turn(say('In metres.'))]);
    on(kedge.session, 'tool_started', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'How high?', mode: 'ask' });
    await kedge.session.say({ text: 'In metres.', mode: 'ask' });
    assert.equal(kedge.session.state.lastRun?.status, 'paused');
    const again = await kedge.reload();
    assert.equal(again.session.state.queue.size, 1);
    await again.session.resume();
    assert.deepEqual(said(again).slice(-2), ['user: In metres.', 'assistant: In metres.']);
  });

  it('can be edited and removed until it joins', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt')), turn(say('Well.'))]);
    on(kedge.session, 'tool_started', () => kedge.session.pause());
    await kedge.session.prompt({ text: 'How high?', mode: 'ask' });
    for (const text of ['first', 'second', 'third']) await kedge.session.say({ text, mode: 'ask' });
    const [one = '', two = '', three = ''] = [...kedge.session.state.queue.keys()];
    kedge.session.queue.edit(one, 'FIRST');
    kedge.session.queue.remove(two);
    kedge.session.queue.edit(three, '  ');
    await kedge.session.resume();
    assert.deepEqual(said(kedge).slice(-2), ['user: FIRST', 'assistant: Well.']);
    assert.throws(() => kedge.session.queue.edit(one, 'again'), /has already been sent to the model/);
    assert.throws(() => kedge.session.queue.remove(one), /has already been sent to the model/);
  });

  it('keeps its image when its text is edited', async () => {
    await using kedge = await assistantOn(files, [turn(read('a.txt')), turn(say('Red.'))]);
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AQID' };
    on(kedge.session, 'tool_started', () => void kedge.session.say({ text: 'this', mode: 'ask', attachments: [image] }));
    on(kedge.session, 'message_queued', ({ id }) => kedge.session.queue.edit(id, 'What is this?'));
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual(kedge.adapter.requests[1]?.messages.at(-1)?.content, [{ type: 'text', text: 'What is this?' }, image]);
  });

  it('starts the next run if it is too late for this one', async () => {
    await using kedge = await assistantOn(files, [turn(say('Three.')), turn(say('Three metres.'))]);
    on(kedge.session, 'text_delta', () => {
      void kedge.session.say({ text: 'In metres?', mode: 'ask' });
      void kedge.session.say({ text: 'And why?', mode: 'ask' });
    });
    await kedge.session.prompt({ text: 'How high?', mode: 'ask' });
    assert.deepEqual(said(kedge), [
      'user: How high?',
      'assistant: Three.',
      'user: In metres?',
      'user: And why?',
      'assistant: Three metres.',
    ]);
    const { prompt, mode, outcome } = kedge.session.state.lastRun ?? {};
    assert.deepEqual([prompt, mode, outcome], ['In metres?\n\nAnd why?', 'ask', 'answered']);
    assert.equal(kedge.session.state.runs.size, 2);
  });

  it('stays queued when the run is stopped, also after a reload, and is sent with the next message', async () => {
    await using kedge = await assistantOn(files, [hang(say('Well')), turn(say('Both.'))]);
    const ended = kedge.session.prompt({ text: 'How high?', mode: 'ask' });
    await nextEvent(kedge.session, 'text_delta');
    await kedge.session.say({ text: 'In metres.', mode: 'ask' });
    await kedge.session.stop();
    await ended;
    const again = await kedge.reload();
    assert.deepEqual(
      [...again.session.state.queue.values()].map(({ message }) => textOf(message)),
      ['In metres.'],
    );
    await again.session.prompt({ text: 'Now?', mode: 'ask' });
    assert.deepEqual(said(again).slice(-3), ['user: In metres.', 'user: Now?', 'assistant: Both.']);
  });

  it('can also be sent alone', async () => {
    await using kedge = await assistantOn(files, [hang(say('Well')), turn(say('Three metres.'))]);
    const ended = kedge.session.prompt({ text: 'How high?', mode: 'ask' });
    await nextEvent(kedge.session, 'text_delta');
    await kedge.session.say({ text: 'In metres.', mode: 'ask' });
    await kedge.session.stop();
    await ended;
    await kedge.session.sendQueued();
    assert.equal(kedge.session.state.lastRun?.prompt, 'In metres.');
    assert.equal(said(kedge).at(-1), 'assistant: Three metres.');
  });

  it('is an ordinary prompt if no run is in progress', async () => {
    await using kedge = await assistantOn(files, [turn(say('Hello.')), turn(read('a.txt'))], { limits: { turns: 1 } });
    await kedge.session.say({ text: 'Hi', mode: 'ask' });
    await kedge.session.say({ text: 'Read a.txt', mode: 'plan' });
    assert.equal(kedge.session.state.lastRun?.mode, 'plan');
    assert.deepEqual(eventsOf(kedge.events, 'message_queued'), []);
  });

  it('never comes between a call and its result', async () => {
    const two = turn(call('create_file', { path: 'c.txt', content: '' }, 'c'), read('a.txt', 'd'));
    await using kedge = await assistantOn(files, [two, turn(say('Done.'))]);
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const { approvalId } = await nextEvent(kedge.session, 'approval_requested');
    await kedge.session.say({ text: 'Hurry.', mode: 'agent' });
    const again = await kedge.reload();
    await again.session.answerApproval(approvalId, { approve: true });
    void ended;
    assert.deepEqual(
      again.session.state.messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'user', 'assistant'],
    );
  });
});

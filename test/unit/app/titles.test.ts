import assert from 'node:assert/strict';
import { hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, nextEvent } from '../../support/harness.ts';

const usage = (input: number, output: number) => [{ type: 'usage' as const, usage: { input, output } }];

describe('a title by the model', () => {
  it('is requested once after the first run, from the words of the user only, and counts in the use of the session', async () => {
    const script = [
      turn(say('Secret answer.'), usage(10, 5)),
      turn(say('"Tides of the **harbour**"\nMore.'), usage(7, 3)),
      turn(say('Two.')),
    ];
    await using kedge = await assistantOn({}, script, { titles: true });
    const mention = { type: 'note' as const, about: 'mention' as const, text: 'hidden file', ref: { kind: 'file' as const, path: 'a' } };
    const titled = nextEvent(kedge.session, 'session_titled');
    await kedge.session.prompt({ text: 'How do the tides work here?', mode: 'ask', attachments: [mention] });
    assert.deepEqual((await titled).usage, { input: 7, output: 3 });
    const { state } = kedge.session;
    assert.deepEqual([state.title, kedge.session.readView().title], ['Tides of the harbour', 'Tides of the harbour']);
    assert.deepEqual(state.usage, { input: 17, output: 8 });
    const [, request] = kedge.adapter.requests;
    assert.deepEqual(request?.tools, []);
    const sent = JSON.stringify(request?.messages);
    assert.ok(sent.includes('How do the tides') && !sent.includes('Secret answer') && !sent.includes('hidden file'));
    await kedge.session.prompt({ text: 'more', mode: 'ask' });
    assert.equal(kedge.adapter.requests.length, 3);
    const again = await kedge.reload();
    assert.equal(again.session.state.title, 'Tides of the harbour');
    assert.deepEqual(again.session.state.usage, kedge.session.state.usage);
    assert.equal((await again.assistant.sessions())[0]?.title, 'Tides of the harbour');
  });

  it('contains no link', async () => {
    const script = [turn(say('One.')), turn(say('Tides [details](command:workbench.action.quit) [x][y]'))];
    await using kedge = await assistantOn({}, script, { titles: true });
    const titled = nextEvent(kedge.session, 'session_titled');
    await kedge.session.prompt({ text: 'first', mode: 'ask' });
    assert.equal((await titled).title, 'Tides details(command:workbench.action.quit) xy');
  });

  it('does not replace a title of the user, and is never waited for', async () => {
    const { script, isAsked, answer } = lateTitle();
    await using kedge = await assistantOn({}, [...script, turn(say('Two.'))], { titles: true });
    await kedge.session.prompt({ text: 'first', mode: 'ask' });
    await isAsked;
    await (await kedge.assistant.library()).rename(kedge.session.id, 'Mine');
    await kedge.session.prompt({ text: 'second', mode: 'ask' });
    const titled = nextEvent(kedge.session, 'session_titled');
    answer();
    await titled;
    assert.equal(kedge.session.state.title, 'Mine');
  });

  it('does not replace a title that the user gives in another process', async () => {
    const { script, isAsked, answer } = lateTitle();
    await using kedge = await assistantOn({}, script, { titles: true });
    await kedge.session.prompt({ text: 'first', mode: 'ask' });
    await isAsked;
    const other = await kedge.beside();
    await (await other.assistant.library()).rename(other.session.id, 'Mine');
    const titled = nextEvent(kedge.session, 'session_titled');
    answer();
    assert.equal((await titled).title, 'Mine');
    assert.equal(kedge.session.state.title, 'Mine');
    other.session.refresh();
    assert.equal(other.session.state.title, 'Mine');
  });

  it('is not requested unless the setting is on, after a failed run, or for a session with a title', async () => {
    await using off = await assistantOn({}, [turn(say('One.'))]);
    await off.session.prompt({ text: 'first', mode: 'ask' });
    assert.equal(off.adapter.requests.length, 1);
    await using on = await assistantOn({}, [hang(), turn(say('Two.'))], { titles: true });
    const stopped = on.session.prompt({ text: 'first', mode: 'ask' });
    await nextEvent(on.session, 'turn_started');
    await on.session.stop();
    await stopped;
    await (await on.assistant.library()).rename(on.session.id, 'Mine');
    await on.session.prompt({ text: 'second', mode: 'ask' });
    // Whatever the end of a run begins has begun when the code for it is loaded.
    await import('../../../src/app/session/titles.ts');
    assert.deepEqual([on.adapter.requests.length, eventsOf(on.session.events, 'session_titled').length], [2, 0]);
  });

  it('that cannot be made leaves the title by rule', async () => {
    let fail = () => {};
    const hasFailed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const failing = () => {
      fail();
      throw new Error('no');
    };
    await using kedge = await assistantOn({}, [turn(say('One.')), failing, turn(say('Two.'))], { titles: true });
    await kedge.session.prompt({ text: 'first', mode: 'ask' });
    await hasFailed;
    await kedge.session.prompt({ text: 'second', mode: 'ask' });
    assert.deepEqual([kedge.session.state.title, kedge.session.state.lastRun?.outcome], ['first', 'answered']);
  });
});

/** An answer, then a title that the model gives when `answer` is called. `isAsked` resolves when the title was requested. */
function lateTitle() {
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  async function* late() {
    asked();
    await mayAnswer;
    yield* [...say('By the model'), { type: 'stop' as const, reason: 'end_turn' as const }];
  }
  return { script: [turn(say('One.')), late], isAsked, answer };
}

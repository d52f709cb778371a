import assert from 'node:assert/strict';
import { textOf } from '../../../src/core/model/messages.ts';
import { type ModelAdapter, ModelError } from '../../../src/core/model/model.ts';
import { notesOf } from '../../../src/core/model/notes.ts';
import { waitingText } from '../../../src/core/words/retry-text.ts';
import { withRetry } from '../../../src/providers/retry.ts';
import { call, say, scriptedAdapter, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, lastOf, nextEvent, resultsOf } from '../../support/harness.ts';

const files = { 'a.txt': 'a' };
const limited = () => {
  throw new ModelError('rate_limit', 'Slow down.', { retryAfterMs: 60_000 });
};
const brokenAfter = (text: string) =>
  async function* () {
    yield { type: 'text_delta' as const, text };
    throw new ModelError('network', 'The connection broke.');
  };

describe('a model that must be waited for', () => {
  const waitingOn = async (adapter: ModelAdapter) => {
    const kedge = await assistantOn(files, [], { adapter: withRetry(adapter) });
    const waiting = nextEvent(kedge.session, 'model_waiting');
    const done = kedge.session.prompt({ text: 'go', mode: 'ask' });
    return { kedge, done, wait: await waiting };
  };

  it('is shown as a wait, and asked again immediately if the user wants that', async () => {
    const adapter = scriptedAdapter([limited, turn(say('Hello.'))]);
    const { kedge, done, wait } = await waitingOn(adapter);
    await using _ = kedge;
    const { attempt, tries, reason, waitMs } = wait;
    assert.deepEqual([attempt, tries, reason, waitMs], [2, 5, 'rate_limit', 60_000]);
    const { waiting } = kedge.session;
    assert.ok(waiting && waiting.waitMs <= 60_000 && waiting.waitMs > 50_000, 'who comes later is told too');
    kedge.session.retryNow();
    await done;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.equal(kedge.session.waiting, undefined);
    assert.ok(!kedge.session.events.some(({ type }) => type === 'model_waiting'), 'a wait is not logged');
  });

  it('is still waited for when the user sends a message and removes it', async () => {
    const { kedge, done, wait } = await waitingOn(scriptedAdapter([limited, turn(say('Hello.'))]));
    await using _ = kedge;
    const queued = nextEvent(kedge.session, 'message_queued');
    void kedge.session.say({ text: 'and this', mode: 'ask' });
    await queued;
    assert.equal(kedge.session.waiting?.at, wait.at);
    kedge.session.retryNow();
    await done;
    assert.equal(kedge.session.waiting, undefined);
  });

  it('is no longer waited for when the user stops', async () => {
    const { kedge, done } = await waitingOn(scriptedAdapter([limited, turn(say('Hello.'))]));
    await using _ = kedge;
    await kedge.session.stop();
    await done;
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
    kedge.session.retryNow();
  });

  it('is described in one line', () => {
    const wait = { attempt: 2, tries: 5, reason: 'rate_limit' } as const;
    assert.equal(waitingText(wait, 11_400), 'Rate limited. Trying again in 12 s (2 of 5)');
    assert.equal(waitingText({ ...wait, reason: 'network' }, 100_000), 'The service could not be reached. Trying again in 2 min (2 of 5)');
    assert.equal(waitingText({ ...wait, reason: 'overloaded' }, -5), 'The service is overloaded. Trying again (2 of 5)');
  });
});

describe('an incomplete answer', () => {
  it('is kept, and the model is told to continue it', async () => {
    await using kedge = await assistantOn(files, [brokenAfter('The tide is '), turn(say('high.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.equal(lastOf(kedge.events, 'run_finished').error?.kind, 'network');
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const [, half, goOn] = kedge.adapter.requests[1]?.messages ?? [];
    assert.deepEqual(half?.role === 'assistant' && [textOf(half), half.stop], ['The tide is ', 'aborted']);
    assert.equal(goOn?.role, 'user');
    assert.match(
      goOn
        ? notesOf(goOn)
            .map(({ text }) => text)
            .join()
        : '',
      /cut off before.*Continue where it ends/,
    );
  });

  it('is requested again if nothing was received', async () => {
    await using kedge = await assistantOn(files, [limited, turn(say('Hello.'))]);
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.resume();
    assert.deepEqual(kedge.adapter.requests[1]?.messages, kedge.adapter.requests[0]?.messages);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });
});

describe('images', () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
  const image = { type: 'image' as const, mediaType: 'image/png', data: png.toString('base64') };
  const script = [turn(call('read_file', { path: 'dot.png' })), turn(say('Red.')), turn(say('Still red.'))];

  for (const [vision, count] of [
    [true, 2],
    [undefined, 2],
    [false, 0],
  ] as const) {
    it(`${count ? 'are sent to' : 'are left out for'} a model whose support for images is ${vision}`, async () => {
      await using kedge = await assistantOn({ 'dot.png': png }, script, { facts: () => (vision === undefined ? {} : { vision }) });
      await kedge.session.prompt({ text: 'What is this?', mode: 'ask', attachments: [image] });
      await kedge.session.prompt({ text: 'And now?', mode: 'ask' });
      const { requests } = kedge.adapter;
      const sent = requests.map(({ messages }) => JSON.stringify(messages));
      assert.equal(sent.at(-1)?.split(image.data).length, count + 1);
      assert.equal(
        sent.at(-1)?.split('An image (image/png, 1 KB) was removed here, because this model does not support images.').length,
        3 - count,
      );
      assert.match(sent.at(-1) ?? '', /dot\.png is an image \(image\/png, 70 bytes\):/);
      // Each request begins with the unchanged bytes of the request before it.
      for (const [index, text] of sent.entries()) if (index > 0) assert.ok(text.startsWith((sent[index - 1] as string).slice(0, -1)));
      assert.equal(eventsOf(kedge.events, 'run_finished').length, 2);
    });
  }

  it('that are too large for any service are only named, like files that only have the name of an image', async () => {
    const large = Buffer.concat([png, Buffer.alloc(4_000_000)]);
    const paths = ['large.png', 'fake.png'].map((path) => call('read_file', { path }, path));
    await using kedge = await assistantOn({ 'large.png': large, 'fake.png': 'just text\n' }, [turn(...paths), turn(say('Ok.'))]);
    await kedge.session.prompt({ text: 'Look.', mode: 'ask' });
    const results = resultsOf(kedge.session).map(({ content }) => content);
    assert.deepEqual(results, [
      [{ type: 'text', text: 'large.png is an image (image/png, 4000070 bytes): too large to be shown.' }],
      [{ type: 'text', text: '1\tjust text' }],
    ]);
  });
});

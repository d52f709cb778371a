/** Tests the messages that arrive while a run starts and still reads rules files and memory, and a crash in that time. */
import assert from 'node:assert/strict';
import { initiation } from '../../../src/app/session/prompt.ts';
import { textOf } from '../../../src/core/model/messages.ts';
import { initPrompt } from '../../../src/core/words/slash-commands.ts';
import { hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, type Harness, lastOf, nextEvent } from '../../support/harness.ts';

/** Returns the user's messages, without the first one. */
const saidAfter = ({ session }: Harness) =>
  session.state.messages
    .filter(({ role }) => role === 'user')
    .slice(1)
    .map(textOf);

/** Queues messages during a run that is then stopped. `whileReading` is called while the next run reads rules files and memory. */
async function withQueue(texts: string[], whileReading: (kedge: Harness) => void, work: (kedge: Harness) => Promise<void>): Promise<void> {
  let react = () => {};
  const surroundings = async () => {
    react();
    return {};
  };
  await using kedge = await assistantOn({}, [hang(say('Well')), turn(say('Done.'))], { surroundings });
  const ended = kedge.session.prompt({ text: 'go', mode: 'ask' });
  await nextEvent(kedge.session, 'text_delta');
  for (const text of texts) await kedge.session.say({ text, mode: 'ask' });
  await kedge.session.stop();
  await ended;
  react = () => {
    react = () => {};
    whileReading(kedge);
  };
  await work(kedge);
}

describe('a queued message, while the next run starts,', () => {
  const change = ({ session }: Harness) => {
    const [one = '', two = ''] = [...session.state.queue.keys()];
    session.queue.edit(one, 'FIRST');
    session.queue.remove(two);
  };

  it('can still be edited and removed', () =>
    withQueue(['first', 'second'], change, async (kedge) => {
      await kedge.session.prompt({ text: 'Now?', mode: 'ask' });
      assert.deepEqual(saidAfter(kedge), ['FIRST', 'Now?']);
      assert.equal(kedge.session.state.queue.size, 0);
    }));

  it('can still be edited and removed when it is sent alone', () =>
    withQueue(['first', 'second'], change, async (kedge) => {
      await kedge.session.sendQueued();
      assert.deepEqual(saidAfter(kedge), ['FIRST']);
    }));

  it('can be removed so that nothing is sent', () =>
    withQueue(
      ['first'],
      ({ session }) => session.queue.remove([...session.state.queue.keys()][0] ?? ''),
      async (kedge) => {
        await kedge.session.sendQueued();
        assert.deepEqual(saidAfter(kedge), []);
        assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'stopped');
        assert.equal(kedge.adapter.requests.length, 1);
      },
    ));

  it('follows the prompt if it was sent after it', () =>
    withQueue(
      ['first'],
      ({ session }) => void session.say({ text: 'late', mode: 'ask' }),
      async (kedge) => {
        await kedge.session.prompt({ text: 'Now?', mode: 'ask' });
        assert.deepEqual(saidAfter(kedge), ['first', 'Now?', 'late']);
      },
    ));
});

describe('after a crash at the start of a run', () => {
  /** Ends the program after `run_started`, and continues the run in another program. */
  async function resumed(kedge: Harness, start: () => Promise<void>): Promise<Harness> {
    const ended = start();
    const again = await kedge.reload();
    await ended;
    await again.session.resume();
    return again;
  }

  it('queued messages and the prompt are sent in their order', () =>
    withQueue(
      ['first', 'second'],
      () => {},
      async (kedge) => {
        const again = await resumed(kedge, () => kedge.session.prompt({ text: 'Now?', mode: 'ask' }));
        assert.deepEqual(saidAfter(again), ['first', 'second', 'Now?']);
      },
    ));

  it('queued messages that were sent alone are sent once', () =>
    withQueue(
      ['first', 'second'],
      () => {},
      async (kedge) => {
        const again = await resumed(kedge, () => kedge.session.sendQueued());
        assert.deepEqual(saidAfter(again), ['first', 'second']);
      },
    ));

  it('the prompt of /init is sent, not its name', async () => {
    const [prompt, bound] = initiation('in German');
    for (const shown of [bound.shown, 'kedge init in German']) {
      await using kedge = await assistantOn({}, [turn(say('Done.'))]);
      const again = await resumed(kedge, () => kedge.session.prompt(prompt, { shown }));
      assert.deepEqual(again.session.state.messages.slice(0, 1).map(textOf), [initPrompt('in German')]);
    }
  });
});

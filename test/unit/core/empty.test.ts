import assert from 'node:assert/strict';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import { noteTexts } from '../../../src/core/model/notes.ts';
import { waitingText } from '../../../src/core/words/retry-text.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, lastOf } from '../../support/harness.ts';

const go = { text: 'go', mode: 'ask' } as const;
const usage: ModelEvent = { type: 'usage', usage: { input: 10, output: 2 } };
const stop = (reason: 'tool_use' | 'other'): ModelEvent => ({ type: 'stop', reason });
const thought: ModelEvent[] = [
  { type: 'reasoning_delta', text: 'Hm.' },
  { type: 'part', part: { type: 'reasoning', text: 'Hm.', replay: { signature: 'token' } } },
];

const EMPTY: Record<string, (ModelEvent | ModelEvent[])[]> = {
  nothing: [],
  'an empty text': [{ type: 'part', part: { type: 'text', text: '' } }],
  'white space': say(' \n\t\n'),
  'thoughts alone': thought,
  'thoughts and white space': [thought, say('\n\n')],
  'the announcement of a call that does not come': [stop('tool_use')],
  'a reason to stop that nobody knows': [stop('other')],
};

for (const [what, events] of Object.entries(EMPTY)) {
  describe(`an answer of ${what}`, () => {
    const empty = () => turn(usage, ...events);

    it('is reported to the model, which is asked once more', async () => {
      await using kedge = await assistantOn({}, [empty(), turn(say('Hello.'), usage)]);
      await kedge.session.prompt(go);
      const { outcome, usage: counted } = lastOf(kedge.events, 'run_finished');
      assert.equal(outcome, 'answered');
      assert.deepEqual(counted, { input: 20, output: 4 });
      const asked = kedge.adapter.requests[1]?.messages ?? [];
      assert.deepEqual(
        asked.map(({ role }) => role),
        ['user', 'user'],
        'wires refuse messages of nothing',
      );
      assert.match(noteTexts(asked[1] as (typeof asked)[number]).join(), /^Your last message was empty/);
      const told = lastOf(kedge.events, 'model_waiting');
      assert.equal(waitingText(told, told.waitMs), 'The model’s answer was empty. Trying again (2 of 2)');
    });

    it('fails the run the second time, and can be retried', async () => {
      await using kedge = await assistantOn({}, [empty(), empty(), empty(), turn(say('Hello.'))]);
      await kedge.session.prompt(go);
      const { outcome, error } = lastOf(kedge.events, 'run_finished');
      assert.equal(outcome, 'failed');
      assert.equal(error?.kind, 'empty_answer');
      assert.match(error?.message ?? '', /^The model’s answer was empty twice\. Try again/);
      assert.equal(kedge.adapter.requests.length, 2);
      const again = await kedge.reload();
      await again.session.resume();
      assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
      for (const [index, { messages }] of kedge.adapter.requests.entries())
        assert.deepEqual(
          messages.slice(0, kedge.adapter.requests[index - 1]?.messages.length ?? 0),
          kedge.adapter.requests[index - 1]?.messages ?? [],
        );
    });
  });
}

describe('an empty answer', () => {
  it('after tool results is requested once more as well, each time anew', async () => {
    const look = (id: string) => turn(call('list_directory', {}, id));
    await using kedge = await assistantOn({ 'a.txt': 'a' }, [look('1'), turn(), look('2'), turn(), turn(say('One file.'))]);
    await kedge.session.prompt(go);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    assert.equal(eventsOf(kedge.events, 'model_waiting').length, 2);
  });

  it('does not include one that was cut off at the output limit, or refused', async () => {
    for (const [reason, outcome] of [
      ['max_tokens', 'paused'],
      ['refusal', 'refused'],
    ] as const) {
      await using kedge = await assistantOn({}, [turn(...thought, { type: 'stop', reason })]);
      await kedge.session.prompt(go);
      assert.equal(kedge.session.state.lastRun?.outcome ?? kedge.session.state.lastRun?.status, outcome);
      assert.equal(kedge.adapter.requests.length, 1);
    }
  });
});

import assert from 'node:assert/strict';
import { noteTexts } from '../../../src/core/model/notes.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, lastOf } from '../../support/harness.ts';

const go = { text: 'go', mode: 'ask' } as const;
const schema = { type: 'object' };
const answerFormat = { schema, problemWith: (answer: string) => (answer === '{}' ? undefined : `${answer} is not {}.`) };

describe('a run whose answer must have a form', () => {
  it('ends with an answer that has it', async () => {
    await using kedge = await assistantOn({}, [turn(say('{}'))], { answerFormat });
    await kedge.session.prompt(go);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const [request] = kedge.adapter.requests;
    assert.equal(request?.answerSchema, schema);
    assert.equal(request?.answersNow, undefined);
  });

  it('asks again with the reason, and then no longer expects tool calls', async () => {
    const read = call('read_file', { path: 'a.txt' });
    const script = [turn(say('Reading.'), read), turn(say('Hm')), turn(say('{]')), turn(say('{}'))];
    await using kedge = await assistantOn({ 'a.txt': 'A' }, script, { answerFormat });
    await kedge.session.prompt(go);
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
    const { requests } = kedge.adapter;
    assert.deepEqual(
      requests.map(({ answersNow }) => answersNow),
      [undefined, undefined, true, true],
    );
    const notes = eventsOf(kedge.events, 'message_added').flatMap(({ message }) => noteTexts(message));
    assert.deepEqual(
      notes.map((text) => text.split(' Answer again')[0]),
      ['Your answer was not accepted. Hm is not {}.', 'Your answer was not accepted. {] is not {}.'],
    );
  });

  it('fails after three answers without the form, and can be continued', async () => {
    const bad = () => turn(say('bad'));
    await using kedge = await assistantOn({}, [bad(), bad(), bad(), turn(say('{}'))], { answerFormat });
    await kedge.session.prompt(go);
    const { outcome, error } = lastOf(kedge.events, 'run_finished');
    assert.equal(outcome, 'failed');
    assert.equal(error?.message, 'The model did not give a valid answer in 3 attempts. bad is not {}.');
    await kedge.session.resume();
    assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
  });

  it('does not apply the form to the summary of a conversation', async () => {
    const long = () => turn(say('{}'), { type: 'usage', usage: { input: 900, output: 5 } });
    await using kedge = await assistantOn({}, [long(), long(), turn(say('A summary.')), turn(say('{}'))], { answerFormat });
    await kedge.session.prompt({ ...go, text: 'words '.repeat(20_000) });
    await kedge.session.prompt({ ...go, text: 'more' });
    await kedge.session.compact('');
    const summary = kedge.adapter.requests[2];
    assert.ok(summary && !('answerSchema' in summary));
  });
});

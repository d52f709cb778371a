import assert from 'node:assert/strict';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';

const read = (path: string) => call('read_file', { path });
const recall = (what: string, more = {}) => call('recall', { what, ...more });
const long = Array.from({ length: 900 }, (_, line) => `line ${line + 1} of the log`).join('\n');

describe('recall', () => {
  it('reads a result or a message again by its number, in every mode', async () => {
    for (const mode of ['ask', 'plan', 'agent'] as const) {
      await using kedge = await assistantOn({ 'a.txt': 'anchor\n', 'b.txt': 'buoy\n' }, [
        turn(say('I look.'), read('a.txt'), read('b.txt')),
        turn(recall('#1'), recall('#2'), recall('#3.2'), recall('#3')),
        turn(say('Done.')),
      ]);
      await kedge.session.prompt({ text: 'What is there?', mode });
      const [, , user, said, result, both] = resultTexts(kedge.session);
      assert.deepEqual([user, said, result], ['What is there?', 'I look.', '1\tbuoy']);
      assert.match(both ?? '', /^#3\.1 Read a\.txt:\n1\tanchor\n#3\.2 Read b\.txt:\n1\tbuoy$/);
    }
  });

  it('reads on where a window cut a result', async () => {
    await using kedge = await assistantOn(
      { 'long.txt': long },
      [turn(read('long.txt')), turn(recall('#3.1')), turn(recall('#3.1', { from_line: 200 })), turn(say('Done.'))],
      { facts: () => ({ contextWindow: 16_000 }) },
    );
    await kedge.session.prompt({ text: 'Read.', mode: 'ask' });
    const [first = '', again = '', on = ''] = resultTexts(kedge.session);
    assert.match(first, /read on with from_line \d+\]$/);
    assert.match(again, /^1\tline 1 of the log\n/);
    assert.match(on, /^200\tline 200 of the log/);
  });

  it('finds the lines with all words, and says where they stand', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'the code of the harbour is 4711\nthe code of the tide\n' }, [
      turn(read('a.txt')),
      turn(recall('harbour CODE')),
      turn(recall('volcano')),
      turn(say('Done.')),
    ]);
    await kedge.session.prompt({ text: 'Find the code.', mode: 'ask' });
    const [, found, none] = resultTexts(kedge.session);
    assert.equal(found, '#3.1 Read a.txt, line 1: 1\tthe code of the harbour is 4711');
    assert.equal(none, 'Nothing in this session contains volcano.');
  });

  it('says what to do about a wrong number', async () => {
    await using kedge = await assistantOn({}, [turn(recall('#9'), recall(' ')), turn(say('Done.'))]);
    await kedge.session.prompt({ text: 'Go.', mode: 'ask' });
    const [missing, empty] = resultTexts(kedge.session);
    assert.equal(missing, 'ERROR There is no message #9. This session has messages #1 to #2; search them with words.');
    assert.equal(empty, 'ERROR Give a number such as "#12", or words to search for.');
  });

  it('gives nothing of a secret that was approved for one call', async () => {
    await using kedge = await assistantOn({ '.env': 'API_KEY=hunter2\n' }, [
      turn(read('.env')),
      turn(recall('API_KEY'), recall('#3.1')),
      turn(say('Done.')),
    ]);
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'Read it.', mode: 'ask' });
    const [secret, search, number] = resultTexts(kedge.session);
    assert.match(secret ?? '', /hunter2/);
    assert.equal(search, 'Nothing in this session contains api_key.');
    assert.match(number ?? '', /^ERROR #3\.1 holds content that the user approved for one call only/);
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 1);
  });

  it('is denied what a rule denies now, and does not find it', async () => {
    let deny = false;
    const policy = () => ({
      rules: deny ? [{ effect: 'deny' as const, path: 'private/**', from: 'user' as const }] : [],
      problems: [],
    });
    await using kedge = await assistantOn(
      { 'private/a.txt': 'the hold is full\n' },
      [turn(read('private/a.txt')), turn(say('Done.')), turn(recall('#3.1'), recall('hold full')), turn(say('Done.'))],
      { policy },
    );
    await kedge.session.prompt({ text: 'Read.', mode: 'ask' });
    deny = true;
    await kedge.session.prompt({ text: 'Again.', mode: 'ask' });
    const [, number, search] = resultTexts(kedge.session);
    assert.match(number ?? '', /^ERROR Denied/);
    assert.equal(search, 'Nothing in this session contains hold or full.');
  });
});

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

  it('continues where a window cut off a result', async () => {
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

  it('finds the lines with all words, and their places', async () => {
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

  it('returns nothing of a secret that was approved for one call', async () => {
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

  it('respects current deny rules, and does not find denied content', async () => {
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

  it('gives of an earlier search only the files that may be read now', async () => {
    let deny = false;
    const policy = () => ({
      rules: deny ? [{ effect: 'deny' as const, path: 'private/**', from: 'user' as const }] : [],
      problems: [],
    });
    await using kedge = await assistantOn(
      { 'private/a.txt': 'the hold is full\n', 'b.txt': 'the hold is closed\n', 'secret/c.txt': 'the hold is wet\n' },
      [
        turn(call('search_text', { pattern: 'hold' }), call('find_files', { glob: '**/*.txt' })),
        turn(say('Done.')),
        turn(recall('#3.1'), recall('#3.2'), recall('hold')),
        turn(say('Done.')),
      ],
      { policy },
    );
    await kedge.session.prompt({ text: 'Search.', mode: 'ask' });
    deny = true;
    await kedge.write('.kedgeignore', 'secret/\n');
    await kedge.session.prompt({ text: 'Again.', mode: 'ask' });
    const [all, , number, files, search] = resultTexts(kedge.session);
    assert.match(all ?? '', /full[\s\S]*wet/);
    assert.equal(number, 'b.txt\n  1: the hold is closed');
    assert.equal(files, 'b.txt\nprivate/a.txt');
    assert.doesNotMatch(search ?? '', /full|wet/);
    assert.match(search ?? '', /hold is closed/);
  });

  it('gives of a listing, of changes and of problems only the files that may be read now', async () => {
    let deny = false;
    const policy = () => ({
      rules: deny ? [{ effect: 'deny' as const, path: 'private/**', from: 'user' as const }] : [],
      problems: [],
    });
    await using kedge = await assistantOn(
      { 'secret/c.txt': 'c\n', 'b.txt': 'b\n', 'private/a.txt': 'a\n' },
      [turn(call('list_directory', {})), turn(say('Done.')), turn(recall('#3.1'), recall('#1'), recall('draught')), turn(say('Done.'))],
      { policy },
    );
    const diff = (path: string) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-draught of ${path}\n+x`;
    const changes = [...['b.txt', 'private/a.txt', 'secret/c.txt'].map(diff), '', 'Untracked files:', 'private/n.txt', 'new.txt'].join(
      '\n',
    );
    const problems = 'b.txt\n  1: error: draught\n\nprivate/a.txt\n  1: error: draught 17';
    const mention = (kind: 'changes' | 'problems', content: string) =>
      ({ type: 'note', about: 'mention', text: content, ref: { kind } }) as const;
    await kedge.session.prompt({ text: 'Look.', mode: 'ask', attachments: [mention('changes', changes), mention('problems', problems)] });
    deny = true;
    await kedge.write('.kedgeignore', 'secret/\n');
    await kedge.session.prompt({ text: 'Again.', mode: 'ask' });
    const [before, listing, message, search] = resultTexts(kedge.session);
    assert.match(before ?? '', /c\.txt/);
    assert.equal(listing, 'b.txt\nprivate/ (1 file)\n  a.txt');
    assert.equal(message, ['Look.', diff('b.txt'), 'Untracked files:', 'new.txt', 'b.txt', '  1: error: draught'].join('\n'));
    assert.equal(search, '#1 user, line 5: -draught of b.txt\n#1 user, line 2: 1: error: draught');
  });

  it('of a mentioned resource is denied when a rule denies its server now', async () => {
    let deny = false;
    const policy = () => ({ rules: deny ? [{ effect: 'deny' as const, server: 'harbour', from: 'user' as const }] : [], problems: [] });
    await using kedge = await assistantOn(
      {},
      [turn(say('Yes.')), ...Array.from({ length: 2 }, () => [turn(recall('#1'), recall('noon')), turn(say('Yes.'))]).flat()],
      { policy },
    );
    const ref = { kind: 'resource' as const, path: 'tides://today', server: 'harbour' };
    await kedge.session.prompt({
      text: 'When?',
      mode: 'ask',
      attachments: [{ type: 'note', about: 'mention', text: 'High at noon', ref }],
    });
    await kedge.session.prompt({ text: 'Again.', mode: 'ask' });
    assert.deepEqual(
      resultTexts(kedge.session).map((each) => /High at noon/.test(each)),
      [true, true],
    );
    deny = true;
    await kedge.session.prompt({ text: 'Again.', mode: 'ask' });
    assert.deepEqual(
      resultTexts(kedge.session).map((each) => /High at noon/.test(each)),
      [true, true, false, false],
    );
  });

  it('of a page is denied when a rule denies its host now, and is asked for when a rule asks', async () => {
    let effect: 'allow' | 'ask' | 'deny' = 'allow';
    const fetcher = {
      isPrivate: () => false,
      get: async (url: URL) => ({ url: url.href, status: 200, type: 'text/plain', text: 'High at noon', bytes: 12 }),
    };
    await using kedge = await assistantOn(
      {},
      [
        turn(call('fetch_url', { url: 'https://tides.example/' })),
        turn(say('Done.')),
        ...Array.from({ length: 3 }, () => [turn(recall('#3.1'), recall('noon')), turn(say('Done.'))]).flat(),
      ],
      { fetcher, policy: () => ({ rules: [{ effect, host: 'tides.example', from: 'user' }], problems: [] }) },
    );
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'Fetch.', mode: 'agent' });
    const outcomes: string[] = [];
    for (const next of ['allow', 'ask', 'deny'] as const) {
      effect = next;
      await kedge.session.prompt({ text: 'Again.', mode: 'agent' });
      const [number = '', search = ''] = resultTexts(kedge.session).slice(-2);
      const asked = eventsOf(kedge.events, 'approval_requested').length;
      outcomes.push(`${/noon/.test(number)} ${asked} ${/High at noon/.test(search)}`);
    }
    assert.deepEqual(outcomes, ['true 0 true', 'true 1 false', 'false 1 false']);
  });
});

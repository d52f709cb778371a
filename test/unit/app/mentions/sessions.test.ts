import assert from 'node:assert/strict';
import type { MentionChoice } from '../../../../src/core/model/mentions.ts';
import type { MentionRef } from '../../../../src/core/model/messages.ts';
import type { SourcedRule } from '../../../../src/policy/rules.ts';
import { call, say, turn } from '../../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, type Harness, type HarnessOptions } from '../../../support/harness.ts';

const { signal } = new AbortController();
const read = (path: string) => call('read_file', { path });
const edit = (path: string, old_text: string, new_text: string) => call('replace_in_file', { path, old_text, new_text });

async function found({ assistant, session }: Harness, query: string): Promise<MentionChoice[]> {
  let last: MentionChoice[] = [];
  for await (const list of (await assistant.mentions(session)).find(query, { open: [], session: session.id })) last = list;
  return last;
}

/** The digest of the session with this id, and why it was refused. */
async function digest({ assistant, session }: Harness, id: string, confirm = false) {
  const ref: MentionRef = { kind: 'session', path: id, name: 'x' };
  const { parts, refused } = await (await assistant.mentions(session)).read([ref], () => confirm, signal);
  const [part] = parts;
  return { text: part?.type === 'note' ? part.text : '', refused: refused.map(({ reason }) => reason) };
}

/** Runs one prompt in a session of its own, and returns the id of the session. */
async function run(kedge: Harness, text: string, mode: 'ask' | 'agent' = 'agent'): Promise<string> {
  const session = await kedge.assistant.newSession();
  answerAll(session, { approve: true });
  await session.prompt({ text, mode });
  return session.id;
}

const denying = (path: string): HarnessOptions & { deny(): void } => {
  let rules: SourcedRule[] = [];
  return {
    policy: () => ({ rules, problems: [] }),
    deny: () => {
      rules = [{ effect: 'deny', path, from: 'user' }];
    },
  };
};

describe('an earlier session', () => {
  it('is found by the words of its title, without the session that is shown', async () => {
    await using kedge = await assistantOn({}, [turn(say('One.')), turn(say('Two.')), turn(say('Three.'))]);
    const tide = await run(kedge, 'Fix the tide table', 'ask');
    await run(kedge, 'Paint the "harbour"', 'ask');
    await kedge.session.prompt({ text: 'The shown tide', mode: 'ask' });
    assert.deepEqual(
      (await found(kedge, 'se')).map(({ insert }) => insert),
      ['@session:'],
    );
    const [choice, ...others] = await found(kedge, 'session:table TIDE');
    assert.deepEqual(choice?.ref, { kind: 'session', path: tide, name: 'Fix the tide table' });
    assert.deepEqual([choice?.insert, others], ['@"session:Fix the tide table"', []]);
    assert.deepEqual((await found(kedge, 'session')).map(({ label }) => label).toSorted(), ['Fix the tide table', 'Paint the "harbour"']);
    const mentions = await kedge.assistant.mentions(kedge.session);
    const inText = async (text: string) => (await mentions.inText(text)).refs.map(({ name }) => name);
    assert.deepEqual(await inText('Go on with @"session:paint the harbour" as before'), ['Paint the "harbour"']);
    assert.deepEqual(await inText(`as in @session:${tide}.`), ['Fix the tide table']);
    assert.deepEqual(await inText('as in @session:harbour'), ['Paint the "harbour"']);
    assert.deepEqual(await inText('as in @session:t'), [], 'more than one title contains it');
  });

  it('goes along as the user’s words, the changed files and the last answer', async () => {
    await using kedge = await assistantOn({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, [
      turn(say('I look.'), read('a.txt')),
      turn(edit('a.txt', 'one', 'uno'), call('create_file', { path: 'c.txt', content: 'three\n' })),
      turn(edit('b.txt', 'two', 'dos')),
      turn(edit('b.txt', 'dos', 'two')),
      turn(say('a.txt is in Spanish now.')),
    ]);
    const id = await run(kedge, 'Translate a.txt.\nKeep b.txt.');
    const { text, refused } = await digest(kedge, id);
    assert.deepEqual(refused, []);
    assert.match(text, /What the user wrote:\n> Translate a\.txt\.\n> Keep b\.txt\.\n\n/);
    assert.match(text, /Files that were changed:\n- a\.txt \(edited\)\n- c\.txt \(new\)\n\nThe last answer:\na\.txt is in Spanish now\.$/);
    assert.doesNotMatch(text, /I look|uno/);
  });

  it('fits into a share of the window', async () => {
    const words = Array.from({ length: 30 }, (_, index) => `${index}: ${'tide '.repeat(400)}`);
    await using kedge = await assistantOn(
      {},
      words.map(() => turn(say(`Yes. ${'harbour '.repeat(2_000)}`))),
      { facts: () => ({ contextWindow: 8_000 }) },
    );
    const session = await kedge.assistant.newSession();
    for (const text of words) await session.prompt({ text, mode: 'ask' });
    const ref: MentionRef = { kind: 'session', path: session.id };
    const model = { provider: 'scripted', model: 'scripted' };
    const { parts } = await (await kedge.assistant.mentions(kedge.session)).read([ref], () => false, signal, model);
    const [part] = parts;
    const text = part?.type === 'note' ? part.text : '';
    assert.ok(text.length > 2_000 && text.length <= 6_100, `${text.length} characters`);
    assert.match(text, /> 0: tide[\s\S]*\[\d+ more messages\][\s\S]*> 29: tide[\s\S]*The last answer:\nYes\. harbour/);
  });

  it('shows no answer and no path of what may not be read now', async () => {
    const rules = denying('private/**');
    await using kedge = await assistantOn(
      { 'private/a.txt': 'the hold is full\n', 'b.txt': 'two\n' },
      [
        turn(read('private/a.txt')),
        turn(edit('private/a.txt', 'full', 'empty'), edit('b.txt', 'two', 'dos')),
        turn(say('The hold was full.')),
      ],
      rules,
    );
    const id = await run(kedge, 'What is in the hold?');
    assert.match((await digest(kedge, id)).text, /private\/a\.txt[\s\S]*The hold was full\.$/);
    rules.deny();
    const { text } = await digest(kedge, id);
    assert.doesNotMatch(text, /private|full/);
    assert.match(text, /- b\.txt \(edited\)\n\nThere is no last answer to show\.$/);
  });

  it('shows nothing of a search in files that are hidden now, of a secret, or of a denied host or server', async () => {
    const fetcher = {
      isPrivate: () => false,
      get: async (url: URL) => ({ url: url.href, status: 200, type: 'text/plain', text: 'High at noon', bytes: 12 }),
    };
    let rules: SourcedRule[] = [];
    await using kedge = await assistantOn(
      { 'hold/a.txt': 'the hold is full\n', 'b.txt': 'the hold\n', '.env': 'KEY=hunter2\n' },
      [
        ...[call('search_text', { pattern: 'hold' }), read('.env'), call('fetch_url', { url: 'https://tides.example/' })].flatMap(
          (each) => [turn(each), turn(say('It is so.'))],
        ),
      ],
      { fetcher, policy: () => ({ rules, problems: [] }) },
    );
    const [search, secret, page] = [await run(kedge, 'Search.'), await run(kedge, 'Read.'), await run(kedge, 'Fetch.')];
    assert.match((await digest(kedge, search)).text, /It is so\.$/);
    assert.match((await digest(kedge, page)).text, /It is so\.$/);
    assert.doesNotMatch((await digest(kedge, secret)).text, /It is so/);
    await kedge.write('.kedgeignore', 'hold/\n');
    rules = [{ effect: 'deny', host: 'tides.example', from: 'user' }];
    assert.doesNotMatch((await digest(kedge, search)).text, /It is so/);
    assert.doesNotMatch((await digest(kedge, page)).text, /It is so/);
  });

  it('that is gone, empty, or denied to recall is refused with the reason', async () => {
    let rules: SourcedRule[] = [];
    await using kedge = await assistantOn({}, [turn(say('Yes.'))], { policy: () => ({ rules, problems: [] }) });
    const id = await run(kedge, 'Is it?', 'ask');
    assert.deepEqual((await digest(kedge, '20260101T000000-aaaaaaaa')).refused, ['This session no longer exists.']);
    assert.match((await digest(kedge, '../x')).refused[0] ?? '', /is not a session id/);
    rules = [{ effect: 'ask', tool: 'recall', from: 'user' }];
    assert.match((await digest(kedge, id)).refused[0] ?? '', /You have not confirmed it\.$/);
    assert.match((await digest(kedge, id, true)).text, /Is it\?/);
    rules = [{ effect: 'deny', tool: 'recall', from: 'user' }];
    assert.equal((await digest(kedge, id, true)).text, '');
  });

  it('shows its answer if what may not be read was never read', async () => {
    await using kedge = await assistantOn({ '.env': 'KEY=hunter2\n' }, [turn(read('.env')), turn(say('I may not.'))], { unattended: true });
    assert.match((await digest(kedge, await run(kedge, 'Is it?', 'ask'))).text, /The last answer:\nI may not\.$/);
  });

  it('whose rules file was sent shows its answer', async () => {
    await using kedge = await assistantOn({ 'AGENTS.md': 'Be brief.\n' }, [turn(say('Yes.'))]);
    assert.match((await digest(kedge, await run(kedge, 'Is it?', 'ask'))).text, /The last answer:\nYes\.$/);
  });
});

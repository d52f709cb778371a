// Mentions follow the same rules as tool calls, for the content of files and for the existence of files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MentionRef } from '../../../src/core/model/messages.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type Harness } from '../../support/harness.ts';
import { wordServices } from '../../support/languages.ts';

const { signal } = new AbortController();
const deny = () => ({ rules: [{ effect: 'deny' as const, path: 'denied/**', from: 'user' as const }], problems: [] });
const REFS: MentionRef[] = [
  ...['.env', 'plain.txt', 'hidden/a.word', 'denied/a.word', 'denied', 'hidden', 'src', 'src/a.word'].map(
    (path): MentionRef => ({ kind: 'file', path }),
  ),
  { kind: 'selection', path: '.env', lines: { from: 1, to: 900 } },
  { kind: 'symbol', path: 'denied/a.word', name: 'x', lines: { from: 1, to: 1 } },
  { kind: 'problems' },
  { kind: 'problems', path: 'denied/a.word' },
  { kind: 'problems', path: '.env' },
  { kind: 'changes' },
];

/** Returns everything that mentions yield in a workspace whose withheld files have this content. The user confirms nothing. */
async function everything(withheld: string): Promise<unknown> {
  const files = {
    'src/a.word': 'one\n',
    '.env': 'x',
    'hidden/a.word': 'x',
    'denied/a.word': 'x',
    '.kedgeignore': 'hidden/\n',
    'plain.txt': '-> .env',
  };
  await using kedge = await assistantOn(files, [], { policy: deny, languages: (fs) => wordServices(fs) });
  await commit(kedge);
  for (const path of ['.env', 'hidden/a.word', 'denied/a.word']) await kedge.write(path, withheld);
  await kedge.write('src/a.word', 'two\n');
  const mentions = await kedge.assistant.mentions(kedge.session);
  const found: unknown[] = [];
  for (const query of ['', 'a.word', 'env', 'denied', 'word'])
    for await (const list of mentions.find(query, { open: ['denied/a.word', 'hidden/a.word'] })) found.push(list);
  const { parts, refused } = await mentions.read(REFS, () => false, signal);
  const checks = await Promise.all(REFS.map((ref) => mentions.check(ref).catch((error: Error) => error.message)));
  return { found, parts, refused, checks, text: await mentions.inText(REFS.map(({ path }) => `@${path}`).join(' ')) };
}

async function commit({ root }: Harness): Promise<void> {
  const git = (...args: string[]) => promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root });
  await git('init', '-q');
  await git('add', '-A');
  await git('commit', '-qm', 'first');
}

describe('mentions', () => {
  it('yield nothing that depends on the content of files that may not be read', async () => {
    const [one, other] = await Promise.all(['!error treasure\n', `def buried\n${'gold\n'.repeat(2_000)}`].map(everything));
    assert.deepEqual(one, other);
    assert.doesNotMatch(JSON.stringify(one), /treasure|buried|gold/);
    assert.match(JSON.stringify(one), /\+two/);
  });

  it('of a secret count for what the model may send afterwards', async () => {
    const fetcher = { isPrivate: () => false, get: () => Promise.reject(new Error('Nothing is fetched.')) };
    const script = [turn(call('fetch_url', { url: 'https://tides.example' })), turn(say('Done.'))];
    for (const path of ['.env', 'a.ts']) {
      await using kedge = await assistantOn({ '.env': 'KEY=1\n', 'a.ts': 'one\n' }, script, { fetcher });
      const { parts } = await (await kedge.assistant.mentions(kedge.session)).read([{ kind: 'file', path }], () => true, signal);
      answerAll(kedge.session, { approve: false });
      await kedge.session.prompt({ text: 'go', mode: 'agent', attachments: parts });
      const [started] = eventsOf(kedge.events, 'tool_started');
      assert.equal(started?.decision.rule, path === '.env' ? 'sends-after-secret' : 'sends');
    }
  });

  it('that are refused leave no trace in the log', async () => {
    await using kedge = await assistantOn({ '.env': 'KEY=treasure\n' }, [turn(say('Done.'))]);
    const { parts } = await (await kedge.assistant.mentions(kedge.session)).read([{ kind: 'file', path: '.env' }], () => false, signal);
    await kedge.session.prompt({ text: 'go', mode: 'ask', attachments: parts });
    assert.doesNotMatch(JSON.stringify(kedge.session.events), /treasure|\.env/);
    assert.doesNotMatch(JSON.stringify(kedge.adapter.requests), /treasure/);
  });

  it('of the changes show no withheld file below a directory that replaces a file, or is replaced by one', async () => {
    const replaced = { 'b/.env': 'KEY=OLDSECRET\n', 'denied.d/a.ts': 'DENIED\n', 'deep/x/y/.env': 'KEY=DEEPSECRET\n' };
    await using kedge = await assistantOn({ conf: 'x\n', 'src/a.ts': 'one\n', both: 'old\n', ...replaced }, [], {
      policy: () => ({ rules: [{ effect: 'deny' as const, path: 'denied.d/**', from: 'user' as const }], problems: [] }),
    });
    await commit(kedge);
    for (const path of ['conf', 'b', 'denied.d', 'deep', 'both']) await rm(join(kedge.root, path), { recursive: true });
    await kedge.write('conf/.env', 'KEY=NEWSECRET\n');
    await kedge.write('conf/hidden.ts', 'HIDDEN\n');
    await kedge.write('.kedgeignore', 'hidden.ts\n');
    for (const path of ['b', 'denied.d', 'deep']) await kedge.write(path, 'file\n');
    await kedge.write('both/new.ts', 'new\n');
    await kedge.write('src/a.ts', 'two\n');
    await promisify(execFile)('git', ['add', '-A', '-f'], { cwd: kedge.root });
    const { parts } = await (await kedge.assistant.mentions(kedge.session)).read([{ kind: 'changes' }], () => false, signal);
    assert.doesNotMatch(JSON.stringify(parts), /SECRET|DENIED|HIDDEN/);
    for (const shown of [/\+two/, /-old/, /\+new/]) assert.match(JSON.stringify(parts), shown);
  });

  it('lead out of the workspace in no way', async () => {
    await using kedge = await assistantOn({ 'out.txt': '-> ../secret.txt', up: '-> ..' }, [], { beside: { 'secret.txt': 'treasure' } });
    const outside = ['out.txt', 'up/secret.txt', '../secret.txt', join(kedge.parent, 'secret.txt'), `file://${kedge.parent}/secret.txt`];
    const mentions = await kedge.assistant.mentions(kedge.session);
    const { parts, refused } = await mentions.read(
      outside.map((path) => ({ kind: 'file', path })),
      () => true,
      signal,
    );
    assert.deepEqual(parts, []);
    assert.equal(refused.length, outside.length);
  });
});

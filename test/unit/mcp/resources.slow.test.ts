import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { MentionRef } from '../../../src/core/model/messages.ts';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import type { SourcedRule } from '../../../src/policy/rules.ts';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, type Harness, type HarnessOptions } from '../../support/harness.ts';

const script = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const { signal } = new AbortController();
const URI = 'demo://resource/static/document/features.md';
const FEATURES: MentionRef = { kind: 'resource', path: URI, name: 'features.md', server: 'everything' };

/** An assistant with a real MCP server. `rules` can be changed while it is used. */
async function on({ trusted = true }: HarnessOptions = {}) {
  const mcp = new McpServers({
    configured: () => new Map([['everything', { command: process.execPath, args: [script] }]]),
    load: () => import('../../../src/mcp/client/index.ts'),
    start: startServer,
    onProblem: (text) => assert.fail(text),
    startMs: 60_000,
  });
  const rules: SourcedRule[] = [];
  const kedge = await assistantOn({}, [turn(say('Yes.'))], { mcp, trusted, policy: () => ({ rules, problems: [] }) });
  const remove = kedge[Symbol.asyncDispose];
  return Object.assign(kedge, {
    mcp,
    rules,
    [Symbol.asyncDispose]: async () => {
      await kedge.assistant.shutDown();
      await remove();
    },
  });
}

async function found({ assistant, session }: Harness, query: string): Promise<string[]> {
  let last: string[] = [];
  for await (const list of (await assistant.mentions(session)).find(query, { open: [] }))
    last = list.filter(({ ref }) => ref.kind === 'resource').map(({ label, detail, insert }) => `${label} | ${detail} | ${insert}`);
  return last;
}

async function read({ assistant, session }: Harness, ref: MentionRef, confirm: boolean) {
  const asked: string[] = [];
  const { parts, refused } = await (await assistant.mentions(session)).read(
    [ref],
    ({ reason }) => asked.push(reason) > 0 && confirm,
    signal,
  );
  return { asked, refused: refused.map(({ reason }) => reason), texts: parts.map((part) => (part.type === 'note' ? part.text : '')) };
}

describe('a resource of an MCP server', () => {
  it('is listed by server and name once its server is connected, unless a rule denies the server', async () => {
    await using kedge = await on();
    assert.deepEqual(await found(kedge, 'features'), [], 'no server is started to complete a mention');
    await kedge.session.prompt({ text: 'Go.', mode: 'agent' });
    const row = `features.md | everything · Static document file exposed from /docs: features.md | @everything:${URI}`;
    assert.deepEqual(await found(kedge, 'features'), [row]);
    assert.ok((await found(kedge, 'every')).length > 1);
    assert.deepEqual(await found(kedge, `everything:${URI}`), [row]);
    kedge.rules.push({ effect: 'deny', server: 'everything', from: 'user' });
    assert.deepEqual(await found(kedge, 'features'), []);
  });

  it('is read by a call to its server, which needs approval like its other calls', async () => {
    await using kedge = await on();
    const mentions = await kedge.assistant.mentions(kedge.session);
    assert.deepEqual((await mentions.inText(`Explain @everything:${URI} and @other:${URI}.`)).refs, [
      { kind: 'resource', path: URI, server: 'everything' },
    ]);
    const question = 'Reading it calls the MCP server everything, which runs outside Kedge.';
    assert.equal((await mentions.check(FEATURES)).question?.reason, question);
    const refused = await read(kedge, FEATURES, false);
    assert.deepEqual(refused, { asked: [question], refused: [`${question} You have not confirmed it.`], texts: [] });
    assert.deepEqual(await kedge.mcp.resources(), [], 'the server was not even started');
    const { texts } = await read(kedge, FEATURES, true);
    assert.match(texts[0] ?? '', /Everything Server/);
  });

  it('is read without asking if a rule allows the server, and never if one denies it', async () => {
    await using kedge = await on();
    kedge.rules.push({ effect: 'allow', server: 'everything', from: 'user' });
    const allowed = await read(kedge, FEATURES, false);
    assert.deepEqual([allowed.asked, allowed.texts.length], [[], 1]);
    kedge.rules.push({ effect: 'deny', server: 'everything', from: 'workspace' });
    const denied = await read(kedge, FEATURES, true);
    assert.deepEqual([denied.asked, denied.texts], [[], []]);
  });

  it('of an unknown server, of an untrusted workspace, or that does not exist is refused with the reason', async () => {
    await using kedge = await on();
    const unknown = await read(kedge, { ...FEATURES, server: 'other' }, true);
    assert.match(unknown.refused[0] ?? '', /^There is no MCP server other\./);
    const missing = await read(kedge, { ...FEATURES, path: 'demo://nothing/1' }, true);
    assert.match(missing.refused[0] ?? '', /^The MCP server everything failed: .*not found/);
    await using untrusted = await on({ trusted: false });
    assert.deepEqual(await found(untrusted, 'features'), []);
    assert.match((await read(untrusted, FEATURES, true)).refused[0] ?? '', /not trusted/);
  });
});

describe('a prompt of an MCP server', () => {
  const inText = async ({ assistant, session }: Harness, text: string) => (await (await assistant.mentions(session)).inText(text)).refs;

  it('is a command with its arguments, and what the server returns is data', async () => {
    await using kedge = await on();
    const ask = async (text: string) => {
      const [ref] = await inText(kedge, text);
      assert.equal(ref?.name, '/everything:args-prompt');
      return read(kedge, ref, true);
    };
    for (const text of ['/everything:args-prompt city="New York" state=NY', '/everything:args-prompt "New York" NY']) {
      const { asked, texts } = await ask(text);
      assert.deepEqual(asked, ['Reading it calls the MCP server everything, which runs outside Kedge.']);
      assert.match(texts[0] ?? '', /^\[user\]\nWhat's weather in New York, NY\?$/);
    }
    const { refused } = await ask('/everything:args-prompt');
    assert.match(refused[0] ?? '', /the prompt needs city="…" after its name/);
  });

  it('is listed with the resources, and read only if the user agrees', async () => {
    await using kedge = await on();
    await kedge.session.prompt({ text: 'Go.', mode: 'agent' });
    assert.match((await found(kedge, 'simple')).join('\n'), /\| @everything:mcp-prompt:simple-prompt/);
    const [ref] = await inText(kedge, '/everything:simple-prompt');
    assert.ok(ref);
    assert.equal((await read(kedge, ref, false)).texts.length, 0);
    kedge.rules.push({ effect: 'deny', from: 'user', server: 'everything' });
    assert.match((await read(kedge, ref, true)).refused.join(), /rule/);
  });

  it('is not found in other texts', async () => {
    await using kedge = await on();
    for (const text of ['/other:simple-prompt', 'see /everything:simple-prompt', '/everything', '/a/b:c', '/everything:'])
      assert.deepEqual(await inText(kedge, text), [], text);
    const [ref] = await inText(kedge, '/everything:no-such %zz');
    assert.ok(ref);
    assert.match((await read(kedge, ref, true)).refused.join(), /there is no prompt with this name/);
  });
});

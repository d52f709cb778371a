// Malformed messages to the built program: it answers each request, and works afterwards.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const REQUESTS = 2_000;

describe('malformed messages', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let child: ChildProcessWithoutNullStreams;
  /** The results of all responses, by their ids. */
  let answered: Map<unknown, { sessionId?: string } | undefined>;
  let onMessage: () => void;
  beforeEach(async () => {
    folder = await folderOf({ 'a.txt': 'one\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    child = spawn(process.execPath, [PROGRAM, 'acp'], { cwd: folder, env: { ...process.env, KEDGE_HOME: home, KEDGE_MODEL: 'offline' } });
    answered = new Map();
    onMessage = () => undefined;
    child.stderr.resume();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, method, result }: { id?: unknown; method?: string; result?: { sessionId?: string } } = JSON.parse(line);
      if (method === undefined) answered.set(id, result);
      onMessage();
    });
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await Promise.all([remove(folder), remove(home)]);
  });

  async function write(line: string | Buffer): Promise<void> {
    if (!child.stdin.write(line)) await once(child.stdin, 'drain');
  }

  /** Resolves when an answer to each of these ids has arrived. */
  async function answersTo(ids: readonly unknown[]): Promise<void> {
    const met = new Promise<void>((resolve) => {
      onMessage = () => ids.every((id) => answered.has(id)) && resolve();
      onMessage();
    });
    await Promise.race([met, once(child, 'exit').then(() => Promise.reject(new Error('The program has ended.')))]);
  }

  const initialize = { method: methods.agent.initialize, params: { protocolVersion: PROTOCOL_VERSION } };

  it(`of ${REQUESTS} kinds end nothing, and each request with an id is answered`, async () => {
    await write(`${JSON.stringify({ jsonrpc: '2.0', id: 'first', ...initialize })}\n`);
    await write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 'session', method: methods.agent.session.new, params: { cwd: folder, mcpServers: [] } })}\n`,
    );
    await answersTo(['first', 'session']);
    const session = answered.get('session')?.sessionId ?? '';
    const known = [...Object.values(methods.agent.session), methods.agent.authenticate, methods.agent.initialize];
    const junk = fc.anything({ withNullPrototype: false, maxDepth: 3 });
    const block = fc.oneof(
      junk,
      fc.record({
        type: fc.constantFrom('text', 'image', 'resource', 'resource_link', 'audio'),
        text: junk,
        data: fc.string(),
        uri: fc.string(),
        resource: junk,
      }),
    );
    const params = fc.oneof(
      junk,
      fc.record(
        {
          sessionId: fc.oneof(fc.constant(session), fc.string(), junk),
          cwd: fc.constantFrom('/nowhere', 'x', '\0', folder),
          mcpServers: fc.oneof(junk, fc.constant([])),
          modeId: junk,
          configId: junk,
          value: junk,
          cursor: fc.string(),
          prompt: fc.array(block, { maxLength: 3 }),
        },
        { requiredKeys: [] },
      ),
      fc.string({ maxLength: 20_000 }),
    );
    const method = fc.oneof(fc.constantFrom(...known), fc.string(), fc.constantFrom('$/cancel_request', '__proto__', 'constructor', '\0'));
    const noise = fc.oneof(
      fc.string().map((text) => Buffer.from(text.replaceAll('\n', ' '))),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0a))),
      fc
        .constantFrom(
          '',
          '\0\0\0',
          '[]',
          '[1]',
          'null',
          '{',
          '"text"',
          '{"jsonrpc":"2.0","id":{}}',
          '{"id":5,"result":{}}',
          `${'['.repeat(50_000)}`,
        )
        .map((text) => Buffer.from(text)),
    );
    const messages = fc.sample(fc.tuple(method, params, fc.boolean(), noise), { numRuns: REQUESTS, seed: 7 });
    const ids: number[] = [];
    for (const [id, [name, value, hasId, bytes]] of messages.entries()) {
      await write(bytes);
      await write('\n');
      await write(`${JSON.stringify({ jsonrpc: '2.0', ...(hasId && { id }), method: name, params: value })}\n`);
      if (hasId) ids.push(id);
    }
    assert.ok(ids.length > REQUESTS / 3);
    await answersTo(ids);
    await write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 'new', method: methods.agent.session.new, params: { cwd: folder, mcpServers: [] } })}\n`,
    );
    await answersTo(['new']);
  });

  it('of any length are cut off, and the connection stays open', async () => {
    await write(`${JSON.stringify({ jsonrpc: '2.0', id: 'first', ...initialize })}\n`);
    await write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":"');
    const piece = Buffer.alloc(1_000_000, 'a');
    for (let count = 0; count < 80; count++) await write(piece);
    await write('"}\n');
    await answersTo(['first', null]);
    await write(`${JSON.stringify({ jsonrpc: '2.0', id: 'last', method: methods.agent.session.list, params: {} })}\n`);
    await answersTo(['last']);
  });
});

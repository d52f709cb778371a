// The official example servers, in all modes.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode } from '../../../src/core/session/events.ts';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { type McpServerConfig, readServers } from '../../../src/mcp/config.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, type HarnessOptions, resultTexts } from '../../support/harness.ts';
import { official } from '../../support/official-servers.ts';

function serversOn(settings: Record<string, McpServerConfig>): McpServers & AsyncDisposable {
  const servers = new McpServers({
    configured: () => readServers(settings).servers,
    load: () => import('../../../src/mcp/client/index.ts'),
    start: startServer,
    onProblem: (text) => assert.fail(text),
    startMs: 60_000,
  });
  return Object.assign(servers, { [Symbol.asyncDispose]: () => servers.close() });
}

describe('the official MCP servers', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'kedge-official-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Calls tools one after the other, and approves every call. */
  async function run(mode: Mode, settings: Record<string, McpServerConfig>, calls: [string, object][], options: HarnessOptions = {}) {
    await using servers = serversOn(settings);
    const steps = [...calls.map(([name, input]) => turn(call(name, input))), turn(say('Done.'))];
    await using kedge = await assistantOn({}, steps, { mcp: servers, ...options });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode });
    const decisions = eventsOf(kedge.events, 'tool_started').map(({ decision }) => `${decision.kind} ${decision.rule}`);
    const declared = kedge.adapter.requests[0]?.tools.flatMap(({ name }) => (name.includes('__') ? [name] : [])) ?? [];
    return { results: resultTexts(kedge.session), decisions, declared };
  }

  it('read in Ask and Plan mode what the user declares as read-only, and nothing else', async () => {
    await writeFile(join(folder, 'a.txt'), 'the content');
    const settings = {
      files: official('filesystem', [folder], { readOnlyTools: ['read_text_file'] }),
      memory: official('memory', [], { env: { MEMORY_FILE_PATH: join(folder, 'memory.json') }, readOnlyTools: ['read_graph'] }),
      thinking: official('sequential-thinking', [], { readOnlyTools: ['sequentialthinking'] }),
      everything: official('everything', [], { readOnlyTools: ['get-sum'] }),
    };
    const thought = { thought: 'First.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    for (const mode of ['ask', 'plan'] as const) {
      const { results, decisions, declared } = await run(mode, settings, [
        ['files__read_text_file', { path: join(folder, 'a.txt') }],
        ['memory__read_graph', {}],
        ['thinking__sequentialthinking', thought],
        ['everything__get-sum', { a: 2, b: 3 }],
        ['files__write_file', { path: join(folder, 'b.txt'), content: 'no' }],
      ]);
      assert.deepEqual(
        declared.toSorted(),
        ['everything__get-sum', 'files__read_text_file', 'memory__read_graph', 'thinking__sequentialthinking'],
        mode,
      );
      assert.deepEqual(decisions, Array(4).fill('allow mcp-read-only'), mode);
      assert.match(results[0] ?? '', /the content/);
      assert.match(results[1] ?? '', /"entities"/);
      assert.match(results[2] ?? '', /"thoughtNumber": 1/);
      assert.match(results[3] ?? '', /is 5/);
      assert.match(results[4] ?? '', /There is no tool files__write_file/);
    }
  });

  it('write in Agent mode after an approval, and destroy only after one of its own', async () => {
    const file = join(folder, 'memory.json');
    const settings = { files: official('filesystem', [folder]), memory: official('memory', [], { env: { MEMORY_FILE_PATH: file } }) };
    const rules = ['files', 'memory'].map((server) => ({ effect: 'allow' as const, from: 'user' as const, server }));
    const entity = { name: 'Kedge', entityType: 'boat', observations: ['floats'] };
    const { results, decisions } = await run(
      'agent',
      settings,
      [
        ['files__create_directory', { path: join(folder, 'new') }],
        ['files__write_file', { path: join(folder, 'new/a.txt'), content: 'written' }],
        ['memory__create_entities', { entities: [entity] }],
        ['memory__delete_entities', { entityNames: ['Kedge'] }],
      ],
      { policy: () => ({ rules, problems: [] }) },
    );
    assert.ok(
      results.every((text) => !text.startsWith('ERROR')),
      results.join('\n'),
    );
    assert.equal(await readFile(join(folder, 'new/a.txt'), 'utf8'), 'written');
    assert.doesNotMatch(await readFile(file, 'utf8'), /floats/);
    assert.deepEqual(
      decisions.filter((decision) => decision.startsWith('ask')),
      ['ask deletes', 'ask deletes'],
    );
    assert.deepEqual(decisions.filter((decision) => decision === 'allow rule').length, 2);
  });

  it('see no variable of Kedge but what they are given', async () => {
    process.env.KEDGE_TEST_SECRET = 's3cret';
    try {
      const settings = { everything: official('everything', [], { env: { GIVEN: 'yes' } }) };
      const { results } = await run('agent', settings, [['everything__get-env', {}]]);
      const seen = Object.keys(JSON.parse(results[0] ?? '{}') as object);
      assert.ok(seen.includes('GIVEN') && seen.includes('PATH'));
      const allowed = ['GIVEN', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
      // Windows and macOS add variables of the system to every process.
      if (process.platform === 'linux')
        assert.deepEqual(
          seen.filter((name) => !allowed.includes(name)),
          [],
        );
      assert.doesNotMatch(results.join(), /s3cret/);
    } finally {
      delete process.env.KEDGE_TEST_SECRET;
    }
  });

  it('return structured content, links to resources, and resources', async () => {
    const { results } = await run('agent', { everything: official('everything') }, [
      ['everything__get-structured-content', { location: 'Chicago' }],
      ['everything__get-resource-links', { count: 2 }],
      ['everything__get-resource-reference', {}],
    ]);
    assert.match(results[0] ?? '', /"temperature":/);
    assert.match(results[1] ?? '', /\[[^\]]+: demo:\/\/resource\//);
    assert.match(results[2] ?? '', /This is a plaintext resource|Resource/i);
  });
});

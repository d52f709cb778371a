import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approvalDetails } from '../../../src/core/view/approval-details.ts';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { ApprovedDigests, DefinitionFiles, workspaceFile } from '../../../src/hosts/node/mcp/definition-files.ts';
import { fillFrom } from '../../../src/hosts/node/mcp/fill.ts';
import { readServers } from '../../../src/mcp/config.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { executeContext } from '../../support/context.ts';
import { answerAll, assistantOn, eventsOf, type Harness, resultTexts } from '../../support/harness.ts';

const PROGRAM = join(import.meta.dirname, '../../support/mcp-server.ts');
const START = 'fickle_workspace__start_server';
const STEADY = 'fickle_workspace__steady';
const variable = (name: string) => `\${${name}}`;
const CONFIGURED = JSON.stringify({
  servers: {
    fickle: {
      command: variable('env:NODE'),
      args: [PROGRAM, 'a b'],
      env: { TOKEN: `Bearer ${variable('input:token')}`, API_KEY: 'hidden', NODE_OPTIONS: '--no-deprecation "a"' },
    },
    web: {
      url: 'https://a.example/mcp',
      headers: { 'x-key': 'hidden' },
      oauth: { clientId: variable('env:GITHUB_TOKEN'), clientSecret: `hidden${variable('env:X')}` },
    },
  },
  inputs: [{ type: 'promptString', id: 'token', description: 'The token', password: true }],
});

describe('an MCP server that the workspace defines', function () {
  this.timeout(120_000);
  let storage: string;
  let asked: string[];
  let secrets: Map<string, string>;
  let problems: string[];
  beforeEach(async () => {
    storage = await mkdtemp(join(tmpdir(), 'kedge-approved-'));
    asked = [];
    problems = [];
    secrets = new Map();
  });
  afterEach(() => rm(storage, { recursive: true, force: true }));

  /** Runs a script on a folder that defines servers, as a host does. */
  async function run(
    steps: ReturnType<typeof turn>[],
    approve: boolean,
    options: { trusted?: boolean; mode?: 'ask' | 'agent'; text?: string } = {},
  ) {
    const files = new DefinitionFiles();
    let folder = '';
    const servers = new McpServers({
      configured: () => readServers({}, files.read([{ path: workspaceFile(folder), folder, isWorkspace: true }]).servers).servers,
      load: () => import('../../../src/mcp/client/index.ts'),
      start: startServer,
      approved: new ApprovedDigests(storage, 'mcp-servers.json'),
      fill: fillFrom(
        { load: async (key) => secrets.get(key), save: async (key, value) => void secrets.set(key, value) },
        async (_, { id }) => {
          asked.push(id);
          return 's3cret';
        },
        { NODE: process.execPath },
      ),
      onProblem: (text) => void problems.push(text),
      startMs: 60_000,
    });
    const { trusted = true, mode = 'agent', text = CONFIGURED } = options;
    const rules = [{ effect: 'allow' as const, from: 'user' as const, tool: 'mcp:fickle@workspace/*' }];
    const kedge = await assistantOn({ '.vscode/mcp.json': text }, steps, {
      mcp: servers,
      trusted,
      policy: () => ({ rules, problems: [] }),
    });
    folder = kedge.root;
    answerAll(kedge.session, { approve });
    await kedge.session.prompt({ text: 'go', mode });
    await servers.close();
    return kedge;
  }
  const approvals = ({ events }: Harness) => eventsOf(events, 'approval_requested');

  it('is started after one approval, which shows the whole definition, and never asks again', async () => {
    await using kedge = await run([turn(call(START, {})), turn(call(STEADY, {})), turn(say('Done.'))], true);
    const [request, ...others] = approvals(kedge);
    assert.ok(request);
    assert.equal(others.length, 0, 'the rule of the user allows its tools, but not its start');
    const { title, rows, reason } = approvalDetails(request);
    assert.equal(title, 'Start the MCP server fickle@workspace');
    assert.match(reason, /The workspace defines this MCP server\. Its program then runs on this computer/);
    assert.deepEqual(
      rows.map(({ label, text }) => `${label}: ${text}`),
      [
        'MCP server: fickle@workspace',
        `Defined in: ${join(kedge.root, '.vscode/mcp.json')}`,
        `Command: \${env:NODE} ${PROGRAM} "a b"`,
        `Environment: TOKEN=(hidden) ${variable('input:token')}\nAPI_KEY=(hidden)\nNODE_OPTIONS="--no-deprecation \\"a\\""`,
      ],
    );
    assert.doesNotMatch(JSON.stringify([...kedge.events]), /s3cret|[^(]hidden/, 'no secret is in the log');
    assert.deepEqual(asked, ['token']);
    assert.equal(resultTexts(kedge.session)[1], 'steady');
    assert.equal([...secrets.values()].join(), 's3cret');
    assert.deepEqual(problems, []);
  });

  it('shows the address and how Kedge signs in, with the variables that would be sent', async () => {
    const start = 'web_workspace__start_server';
    await using kedge = await run([turn(call(start, {})), turn(say('Done.'))], false);
    const [request] = approvals(kedge);
    assert.deepEqual(
      request &&
        approvalDetails(request)
          .rows.slice(2)
          .map(({ label, text }) => `${label}: ${text}`),
      [
        'Address: https://a.example/mcp',
        'Headers: x-key=(hidden)',
        `Sign-in: clientId=${variable('env:GITHUB_TOKEN')}\nclientSecret=(hidden) ${variable('env:X')}`,
      ],
    );
    assert.doesNotMatch(JSON.stringify([...kedge.events]), /hidden\$/, 'no secret is in the log');
  });

  it('is approved for one definition in one folder', async () => {
    await using kedge = await run([turn(call(START, {})), turn(say('Done.'))], true);
    const file = workspaceFile(kedge.root);
    const approved = new ApprovedDigests(storage, 'mcp-servers.json');
    const digest = () =>
      new DefinitionFiles().read([{ path: file, isWorkspace: true }]).servers.get('fickle@workspace')?.origin?.digest ?? '';
    assert.ok(approved.has(digest()));
    await writeFile(file, CONFIGURED.replace('a b', 'a c'));
    assert.ok(!approved.has(digest()), 'the definition has changed');
    await writeFile(file, CONFIGURED);
    assert.ok(approved.has(digest()));
    const copy = join(storage, 'mcp.json');
    await writeFile(copy, CONFIGURED);
    const [other] = [...new DefinitionFiles().read([{ path: copy, isWorkspace: true }]).servers.values()];
    assert.ok(other?.origin?.digest && !approved.has(other.origin.digest), 'another folder has the same file');
  });

  it('is not started without an approval, in Ask mode, or in a workspace that is not trusted', async () => {
    await using refused = await run([turn(call(START, {})), turn(call(STEADY, {})), turn(say('Done.'))], false);
    assert.match(resultTexts(refused.session)[0] ?? '', /The user rejected/);
    assert.match(resultTexts(refused.session)[1] ?? '', /There is no tool/);
    for (const options of [{ mode: 'ask' as const }, { mode: 'ask' as const, trusted: false }]) {
      await using kedge = await run([turn(call(START, {})), turn(say('Done.'))], true, options);
      assert.equal(approvals(kedge).length, 0);
      assert.ok(kedge.adapter.requests[0]?.tools.every(({ name }) => name !== START));
    }
    assert.deepEqual(asked, []);
    await assert.rejects(readFile(join(storage, 'mcp-servers.json')), /ENOENT/);
  });

  it('declares no tool that a rule denies, and can be started after an attempt without an approval', async () => {
    const files = new DefinitionFiles();
    const approved = new ApprovedDigests(storage, 'mcp-servers.json');
    await using kedge = await assistantOn({ '.vscode/mcp.json': CONFIGURED.replace(variable('env:NODE'), process.execPath) });
    const read = () => files.read([{ path: workspaceFile(kedge.root), folder: kedge.root, isWorkspace: true }]).servers;
    const servers = new McpServers({
      configured: () => readServers({ 'web@workspace': { disabled: true } }, read()).servers,
      load: () => import('../../../src/mcp/client/index.ts'),
      start: startServer,
      approved,
      onProblem: (text) => void problems.push(text),
    });
    await servers.restart('fickle@workspace');
    assert.match(problems.join(), /the workspace defines it, and you have not approved its start/);
    let joined: string[] = [];
    const join = (tools: readonly { name: string }[]) => {
      joined = tools.map(({ name }) => name);
    };
    const [start, ...others] = await servers.toolsFor('agent', (_, tool) => tool === STEADY, { join, waits: false });
    assert.deepEqual([start?.name, others], [START, []]);
    const { signal } = new AbortController();
    await (await start?.prepare({}, signal))?.execute(executeContext(signal));
    await servers.close();
    assert.ok(joined.includes('fickle_workspace__change') && !joined.includes(STEADY), joined.join());
  });

  it('keeps no value for an input if the server does not start with it', async () => {
    const text = CONFIGURED.replace(JSON.stringify(PROGRAM).slice(1, -1), '/no-such-program.ts');
    await using kedge = await run([turn(call(START, {})), turn(say('Done.'))], true, { text });
    assert.match(resultTexts(kedge.session)[0] ?? '', /no-such-program/);
    assert.deepEqual([asked, [...secrets]], [['token'], []]);
  });
});

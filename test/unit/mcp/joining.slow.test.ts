import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import type { Tool } from '../../../src/core/run/tool.ts';
import { startServer } from '../../../src/hosts/node/commands/server-process.ts';
import { readServers } from '../../../src/mcp/config.ts';
import { McpServers } from '../../../src/mcp/servers.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import { answerAll, assistantOn, eventsOf, resultTexts } from '../../support/harness.ts';
import { isNeverDenied } from '../../support/mcp-rules.ts';

const PROGRAM = join(import.meta.dirname, '../../support/mcp-server.ts');
const server = (...args: string[]) => ({ command: process.execPath, args: [PROGRAM, ...args] });
const declared = ({ tools }: ModelRequest) => tools.flatMap(({ name }) => (name.includes('__') ? [name] : []));

function serversOn(settings: object, startMs: number): McpServers & AsyncDisposable {
  const servers = new McpServers({
    configured: () => readServers(settings).servers,
    load: () => import('../../../src/mcp/client/index.ts'),
    start: startServer,
    onProblem: () => undefined,
    startMs,
  });
  return Object.assign(servers, { [Symbol.asyncDispose]: () => servers.close() });
}

describe('a run with MCP servers', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kedge-joining-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('does not wait for a server that never answers', async () => {
    await using servers = serversOn({ mute: server('deaf', join(folder, 'pids'), 'mute') }, 0);
    await using kedge = await assistantOn({}, [turn(say('Hello.'))], { mcp: servers });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.deepEqual(kedge.adapter.requests.map(declared), [[]]);
    assert.equal(servers.status()[0]?.state, 'starting');
  });

  it('gets the tools of a slow server when it answers', async () => {
    const file = join(folder, 'go');
    await using servers = serversOn({ late: server('late', file) }, 0);
    const steps: ScriptedTurn[] = [
      async function* first(...request) {
        await writeFile(file, '');
        // Without a run to join, this waits for the server.
        await servers.toolsFor('agent', isNeverDenied);
        const step = turn(call('list_directory', {}));
        yield* typeof step === 'function' ? step(...request) : step;
      },
      turn(call('late__steady', {})),
      turn(say('Done.')),
    ];
    await using kedge = await assistantOn({}, steps, { mcp: servers });
    answerAll(kedge.session, { approve: true });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    const [before, after] = kedge.adapter.requests.map(declared);
    assert.deepEqual(before, []);
    assert.ok(after?.includes('late__steady'));
    assert.equal(resultTexts(kedge.session).at(-1), 'steady');
  });

  it('gets one of two tools with the same name, which is not replaced by the other one if the user turns it off', async () => {
    const asking = { command: process.execPath, args: [join(import.meta.dirname, '../../support/asking-server.ts')] };
    const settings: Record<string, object> = { asking };
    await using servers = serversOn(settings, 0);
    const tools = new Promise<readonly Tool[]>((resolve) => {
      void servers.toolsFor('agent', isNeverDenied, { join: resolve, waits: false });
    });
    const [same, ...others] = (await tools).filter(({ name }) => name === 'asking__same_name');
    assert.deepEqual(others, []);
    const { signal } = new AbortController();
    assert.equal((await same?.prepare({}, signal))?.mcp?.tool, 'same name');
    settings.asking = { ...asking, disabledTools: ['same name'] };
    const left = await servers.toolsFor('agent', isNeverDenied);
    assert.deepEqual(
      left.map(({ name }) => name),
      ['act', 'flood', 'hold', 'later', 'leave', 'lists', 'sample', 'withdraw'].map((name) => `asking__${name}`),
    );
    delete settings.asking;
    await assert.rejects(async () => left[0]?.prepare({}, signal), /turned off asking__act/);
  });

  it('continues with a call of a slow server after a reload', async () => {
    await using servers = serversOn({ fickle: server() }, 60_000);
    const kedge = await assistantOn({}, [turn(call('fickle__steady', {}))], { mcp: servers });
    const asked = new Promise<string>((resolve) =>
      kedge.session.subscribe((event) => event.type === 'approval_requested' && resolve(event.approvalId)),
    );
    const ended = kedge.session.prompt({ text: 'go', mode: 'agent' });
    const approvalId = await asked;
    await servers.close();
    void ended.catch(() => undefined);
    await using later = await kedge.reload();
    await later.session.answerApproval(approvalId, { approve: true });
    assert.equal(resultTexts(later.session)[0], 'steady');
  });

  it('gets the new tools of a server that changes them, and approves their calls again', async () => {
    await using servers = serversOn({ fickle: server() }, 60_000);
    const script = [
      turn(call('fickle__change', {})),
      turn(call('fickle__steady', {})),
      turn(call('fickle__steady', {})),
      turn(say('Done.')),
    ];
    await using kedge = await assistantOn({}, script, { mcp: servers });
    answerAll(kedge.session, { approve: true, grant: 'run' });
    await kedge.session.prompt({ text: 'go', mode: 'agent' });
    assert.match(resultTexts(kedge.session)[1] ?? '', /have changed during this run.*The new tools are available now/);
    assert.equal(resultTexts(kedge.session)[2], 'steady');
    assert.equal(eventsOf(kedge.events, 'approval_requested').length, 3);
    const descriptions = kedge.adapter.requests.map(({ tools }) => tools.find(({ name }) => name === 'fickle__change')?.description);
    assert.deepEqual(descriptions, ['Changed 0 times.', 'Changed 0 times.', 'Changed 1 times.', 'Changed 1 times.']);
  });

  it('asks before a destructive tool although its server is allowed, unless the user says that the tool only reads', async () => {
    const rules = [{ effect: 'allow' as const, from: 'user' as const, server: 'fickle' }];
    const decisions = async (settings: object) => {
      await using servers = serversOn({ fickle: { ...server(), ...settings } }, 60_000);
      const script = [turn(call('fickle__steady', {})), turn(call('fickle__destroy', {})), turn(say('Done.'))];
      await using kedge = await assistantOn({}, script, { mcp: servers, policy: () => ({ rules, problems: [] }) });
      answerAll(kedge.session, { approve: false });
      await kedge.session.prompt({ text: 'go', mode: 'agent' });
      const asked = eventsOf(kedge.events, 'approval_requested').map(({ reason, covers }) => ({ reason, covers }));
      return { asked, kinds: eventsOf(kedge.events, 'tool_started').map(({ decision }) => `${decision.kind} ${decision.rule}`) };
    };
    assert.deepEqual(await decisions({}), {
      asked: [{ reason: 'The server fickle says that this tool can destroy data.', covers: undefined }],
      kinds: ['allow rule', 'ask deletes'],
    });
    assert.deepEqual((await decisions({ readOnlyTools: ['destroy'] })).kinds, ['allow rule', 'allow mcp-read-only']);
  });
});

// Commands in terminals of the client, for the built program and the SDK's own client, which runs real processes.
import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpClient, type ClientSetup } from '../../../support/acp-client.ts';
import { needsProgram } from '../../../support/program.ts';
import { type ResponsesServer, startResponsesServer, type Turn } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

describe('commands in terminals of an editor', function () {
  if (process.platform === 'win32') return;
  this.timeout(60_000);
  needsProgram();
  let folder: string;
  let home: string;
  let server: ResponsesServer | undefined;
  let client: AcpClient | undefined;
  beforeEach(async () => {
    folder = await folderOf({ 'tide.ts': 'export const draught = 3;\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(async () => {
    await client?.kill();
    await Promise.all([server?.close(), remove(folder), remove(home)]);
    server = undefined;
  });

  const command = (text: string): Turn => ({ calls: [{ name: 'run_command', input: { command: text } }] });

  async function begin(turns: Turn[], setup: Partial<ClientSetup> = {}): Promise<[client: AcpClient, session: string]> {
    server = await startResponsesServer({ turns });
    const model = { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
    const choose = () => 'Allow once';
    client = new AcpClient({ folder, home, terminals: true, choose, ...setup, env: { ...model, ...setup.env } });
    return [client, await client.begin('agent')];
  }

  const outputs = () => server?.requests.at(-1)?.body.input.flatMap(({ output }) => (output === undefined ? [] : [String(output)])) ?? [];

  it('are started after an approval, and their output and exit code are returned to the model', async () => {
    const text = `echo "one 'two'" && pwd >&2; cat; exit 3`;
    const [client, session] = await begin([command(text), { text: 'Done.' }]);
    assert.equal((await client.prompt(session, 'run it')).stopReason, 'end_turn');
    assert.equal(client.permissions.length, 1);
    assert.match(JSON.stringify(client.permissions[0]?.toolCall.content), /one 'two'/);
    const [result = ''] = outputs();
    assert.match(result, /one 'two'/);
    assert.ok(result.includes(folder), result);
    assert.match(result, /exit code 3/i);
    assert.deepEqual(client.terminalRequests, ['create', 'release']);
    const shown = client.of('tool_call_update').filter(({ content }) => content?.some(({ type }) => type === 'terminal'));
    assert.equal(shown.at(-1)?.status, 'failed');
    assert.deepEqual(shown.at(-1)?.content, [{ type: 'terminal', terminalId: 'terminal-1' }]);
  });

  it('are started as a script, whose path no shell can read differently, and which is deleted', async () => {
    const [client, session] = await begin([command('echo "$BASH_LINENO$0"'), { text: 'Done.' }]);
    await client.prompt(session, 'run it');
    const [{ args = [], env = [], outputByteLimit } = {}] = client.commands;
    assert.ok(
      args.every((arg) => /^[\w./-]+$/.test(arg)),
      args.join(' '),
    );
    assert.ok(env.some(({ name, value }) => name === 'GIT_TERMINAL_PROMPT' && value === '0'));
    assert.equal(outputByteLimit, 1_000_000);
    await assert.rejects(readFile(args.at(-1) ?? ''), { code: 'ENOENT' });
  });

  it('do not get variables that look like keys', async () => {
    const env = { MISTRAL_API_KEY: 'sk-very-secret', TIDES_NAME: 'Fulmar', BASH_ENV: join(folder, 'tide.ts') };
    const [client, session] = await begin(
      [command('echo "<$MISTRAL_API_KEY|$(env | grep -c ^BASH_ENV=)|$TIDES_NAME>"'), { text: 'Done.' }],
      { env },
    );
    await client.prompt(session, 'run it');
    assert.match(outputs()[0] ?? '', /^Exit code 0.*\n(?:.*withheld.*\n)?<\|0\|Fulmar>/);
    assert.equal(client.commands.length, 1);
  });

  it('are not started without an approval', async () => {
    const [client, session] = await begin([command('touch made'), { text: 'Not run.' }], { choose: () => 'Reject' });
    await client.prompt(session, 'run it');
    assert.deepEqual(client.terminalRequests, []);
  });

  it('are killed before a cancelled prompt is answered', async () => {
    const [client, session] = await begin([command('echo ready; sleep 600')]);
    const order: string[] = [];
    const answered = client.prompt(session, 'run it').then(({ stopReason }) => order.push(stopReason, ...client.terminalRequests));
    await client.until((each) => each.outputOf('terminal-1').includes('ready'));
    await client.cancel(session);
    await answered;
    assert.deepEqual(order.slice(0, 3), ['cancelled', 'create', 'kill']);
    await client.until(({ terminalRequests }) => terminalRequests.includes('release'));
  });

  it('fail if the client does not start them', async () => {
    const [client, session] = await begin([command('touch made'), { text: 'It failed.' }], { terminals: 'There is no terminal today.' });
    await client.prompt(session, 'run it');
    assert.match(outputs()[0] ?? '', /There is no terminal today/);
    assert.deepEqual(client.terminalRequests, ['create']);
  });

  it('have the limits of all outputs', async () => {
    const [client, session] = await begin([command('for i in $(seq 1 20000); do echo "line $i"; done'), { text: 'Done.' }]);
    await client.prompt(session, 'run it');
    const [result = ''] = outputs();
    assert.ok(result.length < 20_000, String(result.length));
    assert.match(result, /line 1\n[\s\S]*line 20000/);
  });
});

// The built program as an agent for the SDK's own client, with the offline model and with a server that plays a model.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CreateElicitationRequest, type McpServer, methods, type RequestError } from '@agentclientprotocol/sdk';
import { AcpClient, type ClientSetup } from '../../../support/acp-client.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { type ResponsesServer, type ResponsesServerOptions, startResponsesServer } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

const TIDE = 'export function tideLevel() {\n  return 1;\n}\n';
const FILES = { 'src/tide.ts': TIDE, 'src/other.ts': 'export const other = 1;\n' };
const RENAME = 'rename tideLevel to waterLevel in src/tide.ts';
const EDIT = { name: 'replace_in_file', input: { path: 'src/tide.ts', edits: [{ old_text: 'return 1', new_text: 'return 2' }] } };

describe('kedge acp', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let servers: ResponsesServer[];
  let clients: AcpClient[];
  beforeEach(async () => {
    folder = await folderOf(FILES);
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    servers = [];
    clients = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.kill()));
    await Promise.all([...servers.map((server) => server.close()), remove(folder), remove(home)]);
  });

  function connect(setup: Partial<ClientSetup> = {}): AcpClient {
    const client = new AcpClient({ folder, home, ...setup });
    clients.push(client);
    return client;
  }

  async function serve(options: ResponsesServerOptions): Promise<{ server: ResponsesServer; env: Record<string, string> }> {
    const server = await startResponsesServer(options);
    servers.push(server);
    return { server, env: { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url } };
  }

  function kedge(...args: string[]): Promise<string> {
    const env = { ...process.env, KEDGE_HOME: home, KEDGE_MODEL: 'offline' };
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env }, (_, out, err) => resolve(out + err));
    });
  }

  const tide = () => readFile(join(folder, 'src/tide.ts'), 'utf8');

  it('offers prompt files as commands, and shows the text that is sent', async () => {
    await mkdir(join(folder, '.kedge/prompts'), { recursive: true });
    await writeFile(
      join(folder, '.kedge/prompts/where.md'),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of a prompt file
      '---\ndescription: Finds a symbol\nmode: ask\n---\nwhere is ${input:symbol} defined?',
    );
    const client = connect();
    const session = await client.begin();
    const { stopReason } = await client.prompt(session, '/where tideLevel');
    assert.equal(stopReason, 'end_turn');
    assert.match(client.text(), /tideLevel is defined at:\n\n- src\/tide\.ts:1/);
    assert.match(JSON.stringify(client.of('user_message_chunk')), /where is tideLevel defined\?/);
    const offered = client.of('available_commands_update')[0]?.availableCommands.find(({ name }) => name === 'where');
    assert.deepEqual(offered, {
      name: 'where',
      description: 'Finds a symbol (for Ask mode, from .kedge/prompts/where.md)',
      input: { hint: 'symbol' },
    });
    await assert.rejects(client.prompt(session, '/where'), /it needs a value for symbol\. Write it after the command: \/where symbol=/);
  });

  it('answers a question, and the session is listed and continued in the terminal', async () => {
    const client = connect();
    const session = await client.begin();
    const { stopReason } = await client.prompt(session, 'where is tideLevel defined?');
    assert.equal(stopReason, 'end_turn');
    assert.match(client.text(), /tideLevel is defined at:\n\n- src\/tide\.ts:1/);
    const [search] = client.of('tool_call');
    assert.equal(search?.kind, 'search');
    assert.equal(client.of('tool_call_update').findLast(({ toolCallId }) => toolCallId === search?.toolCallId)?.status, 'completed');
    assert.deepEqual(
      client
        .of('available_commands_update')[0]
        ?.availableCommands.map(({ name }) => name)
        .sort(),
      ['agent', 'compact', 'continue', 'init', 'lesson', 'read', 'remember', 'run'],
    );
    assert.match(await kedge('sessions'), new RegExp(session));
    assert.match(await kedge('--continue', session, 'where is other defined?'), /src\/other\.ts:1/);
    client.child.stdin.end();
    assert.equal(await client.ended, 0);
    assert.equal(client.err, '');
  });

  it('changes a file when it is approved, and does not ask again for what was allowed in the session', async () => {
    const { env } = await serve({
      turns: [
        { calls: [EDIT] },
        { text: 'Done.' },
        { calls: [{ ...EDIT, input: { path: 'src/tide.ts', edits: [{ old_text: 'return 2', new_text: 'return 3' }] } }] },
        { text: 'Done again.' },
      ],
    });
    const client = connect({ env, choose: () => 'edits in this workspace in this session' });
    const session = await client.begin('agent');
    await client.prompt(session, 'return 2');
    const [asked] = client.permissions;
    const path = join(folder, 'src/tide.ts');
    assert.deepEqual(
      asked?.toolCall.content?.find(({ type }) => type === 'diff'),
      { type: 'diff', path, oldText: TIDE, newText: TIDE.replace('1', '2') },
    );
    assert.deepEqual(client.of('tool_call_update').find(({ locations }) => locations?.length)?.locations, [{ path }]);
    assert.deepEqual([...new Set(asked?.options.map(({ kind }) => kind))].sort(), ['allow_always', 'allow_once', 'reject_once']);
    await client.prompt(session, 'return 3');
    assert.equal(client.permissions.length, 1);
    assert.equal(await tide(), TIDE.replace('1', '3'));
    await kedge('undo');
    assert.equal(await tide(), TIDE.replace('1', '2'));
  });

  describe('lets the user choose changes in a form', () => {
    const text = Array.from({ length: 30 }, (_, line) => `line ${100 + line}`).join('\n');
    const edits = ['line 102', 'line 115', 'line 128'].map((old) => ({ old_text: `${old}\n`, new_text: `changed ${old}\n` }));
    const EDITS = { name: 'replace_in_file', input: { path: 'lines.txt', edits } };
    const lines = async () => (await readFile(join(folder, 'lines.txt'), 'utf8')).split('\n').filter((line) => line.startsWith('changed'));

    for (const [what, content, changed] of [
      ['some', { hunk_1: true, hunk_2: false, hunk_3: true }, ['changed line 102', 'changed line 128']],
      ['only those that were confirmed', { hunk_2: true }, ['changed line 115']],
      ['none', { hunk_1: 'true', hunk_2: false }, []],
    ] as const)
      it(`: ${what}`, async () => {
        await writeFile(join(folder, 'lines.txt'), text);
        const { env } = await serve({ turns: [{ calls: [EDITS] }, { text: 'Done.' }] });
        const forms: CreateElicitationRequest[] = [];
        const client = connect({
          ...{ env, capabilities: { elicitation: { form: {} } }, choose: () => 'Choose changes' },
          fillIn: (form) => {
            forms.push(form);
            return { action: 'accept', content };
          },
        });
        await client.prompt(await client.begin('agent'), 'change the lines');
        assert.deepEqual(await lines(), changed);
        assert.equal(forms.length, 1);
        assert.match(JSON.stringify(forms[0]), /"title":"lines\.txt: 2 of 3".*\+changed line 115/);
      });

    it(': is not offered to a client without forms', async () => {
      await writeFile(join(folder, 'lines.txt'), text);
      const { env } = await serve({ turns: [{ calls: [EDITS] }, { text: 'Done.' }] });
      const client = connect({ env, choose: () => 'Reject' });
      await client.prompt(await client.begin('agent'), 'change the lines');
      assert.ok(client.permissions[0]?.options.every(({ name }) => !name.startsWith('Choose')));
    });
  });

  it('changes nothing when an edit is rejected', async () => {
    const { env, server } = await serve({ turns: [{ calls: [EDIT] }, { text: 'Not changed.' }] });
    const client = connect({ env, choose: () => 'Reject' });
    const session = await client.begin('agent');
    assert.equal((await client.prompt(session, 'return 2')).stopReason, 'end_turn');
    assert.equal(await tide(), TIDE);
    assert.equal(client.of('tool_call_update').at(-1)?.status, 'failed');
    assert.match(JSON.stringify(server.requests.at(-1)?.body.input), /rejected/);
  });

  it('changes nothing when the editor cannot ask the user', async () => {
    const { env, server } = await serve({ turns: [{ calls: [EDIT] }, { text: 'Not changed.' }] });
    const client = connect({ env, choose: () => Promise.reject(new Error('No window is open.')) });
    assert.equal((await client.prompt(await client.begin('agent'), 'return 2')).stopReason, 'end_turn');
    assert.equal(await tide(), TIDE);
    assert.match(JSON.stringify(server.requests.at(-1)?.body.input), /The user could not be asked/);
  });

  for (const optionId of ['', ' ', '00', '9', '__proto__'])
    it(`changes nothing when the editor answers with ${JSON.stringify(optionId)}, which was not offered`, async () => {
      const { env } = await serve({ turns: [{ calls: [EDIT] }] });
      const choose: ClientSetup['choose'] = ({ options }) => {
        options.push({ optionId, name: 'Not offered', kind: 'allow_once' });
        return 'Not offered';
      };
      const client = connect({ env, choose });
      assert.equal((await client.prompt(await client.begin('agent'), 'return 2')).stopReason, 'cancelled');
      assert.equal(await tide(), TIDE);
    });

  it('runs a proposed plan when its text was confirmed, and reports its steps', async () => {
    const client = connect({ choose: () => 'Run the plan' });
    const session = await client.begin('plan');
    await client.prompt(session, RENAME);
    assert.match(JSON.stringify(client.permissions[0]?.toolCall.content), /Goal: rename tideLevel to waterLevel/);
    assert.equal(client.permissions.length, 1);
    const plans = client.of('plan').map(({ entries }) => entries.map(({ status }) => status).join());
    assert.deepEqual([plans[0], plans.at(-1)], ['pending', 'completed']);
    assert.ok(plans.includes('in_progress'));
    assert.match(await tide(), /waterLevel/);
  });

  it('keeps a plan that is not confirmed, changes it on request, and runs it later', async () => {
    let answer = 'Keep the plan';
    const client = connect({ choose: () => answer });
    const session = await client.begin('plan');
    await client.prompt(session, RENAME);
    assert.equal(await tide(), TIDE);
    await client.prompt(session, 'rename tideLevel to seaLevel in src/tide.ts');
    assert.match(JSON.stringify(client.permissions[1]?.toolCall.content), /seaLevel/);
    answer = 'Run the plan';
    await client.prompt(session, '/run');
    assert.match(await tide(), /seaLevel/);
  });

  it('cancels a prompt while the model has not answered', async () => {
    const { env, server } = await serve({ turns: [], hang: 'before' });
    const client = connect({ env });
    const session = await client.begin();
    const answered = client.prompt(session, 'Anything');
    await client.until(({ updates }) => updates.some(({ sessionUpdate }) => sessionUpdate === 'session_info_update'));
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await client.cancel(session);
    // The model never answers, so the response cannot come from it.
    assert.equal((await answered).stopReason, 'cancelled');
    await server.requests[0]?.closed;
    assert.match(await kedge('sessions'), /done/);
    assert.equal((await client.prompt(session, '/remember Use tabs.')).stopReason, 'end_turn');
  });

  it('carries out prompts of several sessions at the same time', async () => {
    const client = connect({ choose: () => 'Allow once' });
    const [asks, changes] = [await client.begin(), await client.begin('agent')];
    const answers = await Promise.all([client.prompt(asks, 'where is other defined?'), client.prompt(changes, RENAME)]);
    assert.deepEqual(
      answers.map(({ stopReason }) => stopReason),
      ['end_turn', 'end_turn'],
    );
    assert.match(await tide(), /waterLevel/);
    await assert.rejects(Promise.all([client.prompt(asks, 'where is other defined?'), client.prompt(asks, 'again')]), /in progress/);
  });

  it('cancels a prompt while the user is asked', async () => {
    const { env } = await serve({ turns: [{ calls: [EDIT] }] });
    const client = connect({ env, choose: () => new Promise(() => undefined) });
    const session = await client.begin('agent');
    const answered = client.prompt(session, 'return 2');
    await client.until(({ permissions }) => permissions.length > 0);
    await client.cancel(session);
    assert.equal((await answered).stopReason, 'cancelled');
    assert.equal(await tide(), TIDE);
  });

  it('asks again for an approval that was open when the program was killed', async () => {
    const { env, server } = await serve({ turns: [{ calls: [EDIT] }, { text: 'Done.' }] });
    const first = connect({ env, choose: () => new Promise(() => undefined) });
    const session = await first.begin('agent');
    const answered = first.prompt(session, 'return 2');
    answered.catch(() => undefined);
    await first.until(({ permissions }) => permissions.length > 0);
    await first.kill();
    const second = connect({ env, choose: () => 'Allow once' });
    await second.load(session);
    assert.equal(second.text('user_message_chunk'), 'return 2');
    assert.match(second.text(), /waiting for your answer/);
    assert.equal(second.permissions.length, 0);
    assert.equal((await second.prompt(session, 'And say so.')).stopReason, 'end_turn');
    assert.equal(await tide(), TIDE.replace('1', '2'));
    assert.match(JSON.stringify(server.requests.at(-1)?.body.input), /And say so\./);
  });

  it('runs a plan that was proposed before the program was killed, after it was confirmed', async () => {
    const first = connect({ choose: () => new Promise(() => undefined) });
    const session = await first.begin('plan');
    first.prompt(session, RENAME).catch(() => undefined);
    await first.until(({ permissions }) => permissions.length > 0);
    await first.kill();
    const second = connect({ choose: () => 'Run the plan' });
    await second.load(session);
    assert.match(second.text(), /To confirm it, send \/run/);
    assert.equal((await second.prompt(session, '/run')).stopReason, 'end_turn');
    assert.match(await tide(), /waterLevel/);
  });

  it('says that a run is paused at a limit, and continues it', async () => {
    const read = { calls: [{ name: 'read_file', input: { path: 'src/tide.ts' } }] };
    const { env } = await serve({ turns: [read, { text: 'Done.' }] });
    const client = connect({ env, args: ['--max-turns', '1'] });
    const session = await client.begin();
    assert.equal((await client.prompt(session, 'Read it')).stopReason, 'max_turn_requests');
    assert.match(client.text(), /paused at a limit\. To continue it, send \/continue\./);
    assert.equal((await client.prompt(session, '/continue')).stopReason, 'end_turn');
    assert.match(client.text(), /Done\./);
  });

  it('takes the next prompt as the answer to a question that was open when the program was killed', async () => {
    const question = { name: 'ask_user', input: { question: 'Which level?' } };
    const { env, server } = await serve({ turns: [{ calls: [question] }, { text: 'Thanks.' }] });
    const first = connect({ env });
    const session = await first.begin();
    await first.prompt(session, 'Ask me');
    assert.match(first.text(), /Which level\?/);
    await first.kill();
    const second = connect({ env });
    await second.load(session);
    assert.match(second.text(), /Which level\?/);
    await second.prompt(session, 'The high one');
    assert.match(second.text(), /Thanks\./);
    assert.match(JSON.stringify(server.requests.at(-1)?.body.input), /The user answered: The high one/);
  });

  for (const [way, setup] of [
    ['options', { choose: () => 'low' }],
    ['a form', { capabilities: { elicitation: { form: {} } }, fillIn: () => ({ action: 'accept', content: { option: 'low' } }) }],
  ] as const) {
    it(`asks the user with ${way}`, async () => {
      const question = { name: 'ask_user', input: { question: 'Which level?', options: ['high', 'low'] } };
      const { env, server } = await serve({ turns: [{ calls: [question] }, { text: 'Thanks.' }] });
      const client = connect({ env, ...setup });
      await client.prompt(await client.begin(), 'Ask me');
      assert.match(JSON.stringify(server.requests.at(-1)?.body.input), /The user chose: low/);
    });
  }

  it('takes the next prompt as the answer in the user’s own words, in the same run', async () => {
    const question = { name: 'ask_user', input: { question: 'Which level?', options: ['high', 'low'] } };
    const { env, server } = await serve({ turns: [{ calls: [question] }, { text: 'Thanks.' }] });
    const client = connect({ env, choose: () => 'Answer with a message' });
    const session = await client.begin();
    assert.equal((await client.prompt(session, 'Ask me')).stopReason, 'end_turn');
    await client.prompt(session, 'In between');
    assert.match(JSON.stringify(server.requests.at(-1)?.body.input), /The user answered: In between/);
    assert.match(client.text(), /Thanks\./);
  });

  it('takes one prompt for each of two questions, and asks for approvals of the same turn', async () => {
    await writeFile(join(folder, '.env'), 'KEY=value-of-the-file\n');
    const ask = (question: string) => ({ name: 'ask_user', input: { question } });
    const { env, server } = await serve({
      turns: [{ calls: [{ name: 'read_file', input: { path: '.env' } }, ask('Which level?'), ask('Which tide?')] }, { text: 'Thanks.' }],
    });
    const client = connect({ env, choose: () => 'Allow once' });
    const session = await client.begin();
    assert.equal((await client.prompt(session, 'Ask me')).stopReason, 'end_turn');
    assert.equal((await client.prompt(session, 'The high one')).stopReason, 'end_turn');
    assert.equal(server.requests.length, 1);
    assert.equal((await client.prompt(session, 'The spring tide')).stopReason, 'end_turn');
    const sent = JSON.stringify(server.requests[1]?.body.input);
    for (const part of ['The user answered: The high one', 'The user answered: The spring tide', 'value-of-the-file'])
      assert.ok(sent.includes(part), `${part} in ${sent}`);
    assert.match(client.text(), /Thanks\./);
  });

  it('reads and edits the unsaved text of an open document in the editor', async () => {
    const path = join(folder, 'src/tide.ts');
    const documents = new Map([[path, 'export function tideLevel() {\n  return 1; // unsaved\n}\n']]);
    const { env, server } = await serve({
      turns: [{ calls: [{ name: 'read_file', input: { path: 'src/tide.ts' } }] }, { calls: [EDIT] }, { text: 'Done.' }],
    });
    const client = connect({
      env,
      documents,
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      choose: () => 'Allow once',
      write: (file, content) => void documents.set(file, content),
    });
    await client.prompt(await client.begin('agent'), 'return 2');
    assert.match(JSON.stringify(server.requests[1]?.body.input), /\/\/ unsaved/);
    assert.equal(documents.get(path), 'export function tideLevel() {\n  return 2; // unsaved\n}\n');
    assert.equal(await tide(), TIDE);
    assert.equal(client.of('tool_call_update').at(-1)?.status, 'completed');
  });

  it('writes what was approved although the editor formats the file when saving it', async () => {
    const path = join(folder, 'src/tide.ts');
    const documents = new Map([[path, TIDE]]);
    const { env } = await serve({ turns: [{ calls: [EDIT] }, { text: 'Done.' }] });
    const client = connect({
      env,
      documents,
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      choose: () => 'Allow once',
      async write(file, content) {
        documents.delete(file);
        await writeFile(file, content.replaceAll('  ', '\t'));
      },
    });
    await client.prompt(await client.begin('agent'), 'return 2');
    assert.equal(client.written.length, 1);
    assert.equal(await tide(), TIDE.replace('1', '2'));
  });

  it('sends images, and the content of files that were attached', async () => {
    const { env, server } = await serve({ turns: [{ text: 'Seen.' }] });
    const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
    const uri = pathToFileURL(join(folder, 'src/tide.ts')).href;
    const client = connect({ env });
    await client.prompt(
      await client.begin(),
      'Look at ',
      { type: 'resource_link', name: 'tide.ts', uri },
      { type: 'resource', resource: { uri: `${pathToFileURL(join(folder, 'src/other.ts')).href}#L1-1`, text: 'attached text' } },
      { type: 'image', mimeType: 'image/png', data: png },
      { type: 'image', mimeType: 'image/png', data: 'bm8gaW1hZ2U=' },
    );
    const sent = JSON.stringify(server.requests[0]?.body.input);
    for (const part of ['Look at @src/tide.ts @src/other.ts:1-1', 'return 1;', 'attached text', png]) assert.ok(sent.includes(part), part);
    assert.match(client.text(), /Not everything was sent[\s\S]*not a PNG/);
  });

  it('sends a file that may contain keys only when the user confirms it, however it was attached', async () => {
    await writeFile(join(folder, '.env'), 'KEY=secret-value\n');
    const uri = pathToFileURL(join(folder, '.env')).href;
    const { env, server } = await serve({ turns: () => ({ text: 'Seen.' }) });
    const client = connect({ env, choose: () => 'Do not send it' });
    const session = await client.begin();
    await client.prompt(session, 'Look at ', { type: 'resource_link', name: '.env', uri });
    const unsaved = pathToFileURL(join(folder, 'new/.env')).href;
    for (const each of [uri, join(folder, '.env'), unsaved])
      await client.prompt(session, 'Look at ', { type: 'resource', resource: { uri: each, text: 'KEY=secret-value' } });
    assert.equal(client.permissions.length, 4);
    assert.ok(!JSON.stringify(server.requests.map(({ body }) => body)).includes('secret-value'));
  });

  it('runs with the agent that the user chose, until none is chosen', async () => {
    const { env, server } = await serve({ turns: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
    const client = connect({ env });
    const session = await client.begin('agent');
    await client.prompt(session, '/agent reviewer look at it');
    await client.prompt(session, 'again');
    await client.prompt(session, '/agent none');
    await client.prompt(session, 'once more');
    const names = server.requests.map(({ body }) => body.tools?.map(({ name }) => name) ?? []);
    assert.deepEqual(
      names.map((each) => [each.includes('read_changes'), each.includes('create_file')]),
      [
        [true, false],
        [true, false],
        [false, true],
      ],
    );
    assert.match(client.text(), /The agent is reviewer\.[\s\S]*No agent is used\./);
  });

  it('offers the agents as an option, which narrows the runs and follows the command', async () => {
    const { env, server } = await serve({ turns: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
    const client = connect({ env });
    const session = await client.begin('agent');
    const choose = (value: string) =>
      client.connection.agent.request(methods.agent.session.setConfigOption, { sessionId: session, configId: 'agent', value });
    const chosen = await choose('reviewer');
    assert.equal(chosen.configOptions.find(({ id }) => id === 'agent')?.currentValue, 'reviewer');
    await client.prompt(session, 'look at it');
    await assert.rejects(choose('nobody'), /no such option or value/);
    const current = () =>
      client
        .of('config_option_update')
        .at(-1)
        ?.configOptions.find(({ id }) => id === 'agent')?.currentValue;
    const changed = client.until(() => current() === 'none');
    await client.prompt(session, '/agent none go on');
    await changed;
    const names = server.requests.map(({ body }) => body.tools?.map(({ name }) => name) ?? []);
    assert.deepEqual(
      names.map((each) => each.includes('create_file')),
      [false, true],
    );
  });

  it('asks before an agent of the workspace runs, with its whole file, and again when the file has changed', async () => {
    const { env, server } = await serve({ turns: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
    const write = (prompt: string) =>
      writeFile(join(folder, '.kedge/agents/lister.md'), `---\ndescription: Lists\nmode: ask\n---\n${prompt}\n`);
    await mkdir(join(folder, '.kedge/agents'), { recursive: true });
    await write('List the files.\u202e');
    let answer = 'Do not use it';
    const choose = () => {
      if (answer === '') throw new Error('Nobody is here.');
      return answer;
    };
    const client = connect({ env, choose });
    const session = await client.begin('agent');
    const sent = (text: string) => client.prompt(session, text);
    await sent('/agent lister');
    for (answer of ['Do not use it', 'cancelled', '']) await assert.rejects(sent('go'), /you have not accepted it/);
    assert.equal(server.requests.length, 0);
    answer = 'Use it';
    await sent('go');
    await sent('again');
    assert.equal(client.permissions.length, 4);
    const shown = JSON.stringify(client.permissions[0]?.toolCall);
    assert.match(shown, /List the files\./);
    assert.ok(!shown.includes('\u202e'));
    await write('Change the files.');
    answer = 'Do not use it';
    await assert.rejects(sent('once more'), /you have not accepted it/);
    assert.match(String(client.permissions[4]?.toolCall.title), /has changed since you accepted it/);
    const names = server.requests.map(({ body }) => body.tools?.map(({ name }) => name) ?? []);
    assert.deepEqual(
      names.map((each) => each.includes('create_file')),
      [false, false],
    );
  });

  it('carries out a prompt in the mode in which it was sent', async () => {
    await writeFile(join(folder, '.env'), 'KEY=secret-value\n');
    const { env, server } = await serve({ turns: () => ({ text: 'Seen.' }) });
    let change = async () => undefined as unknown;
    const client = connect({ env, choose: () => change().then(() => 'Send its content') });
    const session = await client.begin();
    change = () => client.connection.agent.request(methods.agent.session.setMode, { sessionId: session, modeId: 'agent' });
    const uri = pathToFileURL(join(folder, '.env')).href;
    await client.prompt(session, 'Look at ', { type: 'resource_link', name: '.env', uri });
    await client.prompt(session, 'And now?');
    const offered = server.requests.map(({ body }) => body.tools?.some(({ name }) => name === 'create_file'));
    assert.deepEqual(offered, [false, true]);
  });

  it('moves deleted sessions into the trash, also the open one, and accepts ids of no session', async () => {
    const client = connect();
    const [open, closed] = [await client.begin(), await client.begin()];
    for (const session of [open, closed]) await client.prompt(session, 'where is other defined?');
    const { agent } = client.connection;
    await agent.request(methods.agent.session.close, { sessionId: closed });
    for (const sessionId of [open, closed, 'no-such', '../x']) await agent.request(methods.agent.session.delete, { sessionId });
    assert.deepEqual((await agent.request(methods.agent.session.list, {})).sessions, []);
    await assert.rejects(client.prompt(open, 'again'), /not found/);
    assert.doesNotMatch(await kedge('sessions'), new RegExp(open));
    await kedge('sessions', 'restore', open);
    assert.match(await kedge('sessions'), new RegExp(open));
  });

  it('does not delete a session in which another program is running', async () => {
    const { env, server } = await serve({ turns: [], hang: 'before' });
    const [runs, deletes] = [connect({ env }), connect({ env })];
    const sessionId = await runs.begin();
    const answered = runs.prompt(sessionId, 'Anything');
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await deletes.initialize();
    await assert.rejects(deletes.connection.agent.request(methods.agent.session.delete, { sessionId }), /is in progress/);
    await runs.cancel(sessionId);
    await answered;
  });

  it('lists, resumes and closes sessions, and keeps the mode and the model that were chosen', async () => {
    const client = connect({ env: { OPENAI_API_KEY: 'key-of-the-test' } });
    const session = await client.begin();
    await client.prompt(session, 'where is tideLevel defined?');
    const { agent } = client.connection;
    const { sessions } = await agent.request(methods.agent.session.list, { cwd: folder });
    assert.deepEqual(
      sessions.map(({ sessionId, cwd }) => [sessionId, cwd]),
      [[session, folder]],
    );
    assert.deepEqual((await agent.request(methods.agent.session.list, { cwd: home })).sessions, []);
    assert.deepEqual((await agent.request(methods.agent.session.list, {})).sessions.length, 1);
    await agent.request(methods.agent.session.close, { sessionId: session });
    await assert.rejects(client.prompt(session, 'more'), /Resource not found/);
    client.updates.length = 0;
    const resumed = await agent.request(methods.agent.session.resume, { sessionId: session, cwd: folder, mcpServers: [] });
    assert.equal(resumed.modes?.currentModeId, 'ask');
    assert.equal(client.text('user_message_chunk'), '');
    const set = (configId: string, value: string) =>
      agent.request(methods.agent.session.setConfigOption, { sessionId: session, configId, value });
    await set('mode', 'plan');
    const { configOptions } = await set('model', 'openai/gpt-6.1-sol');
    assert.deepEqual(
      configOptions.map(({ currentValue }) => currentValue),
      ['plan', 'openai/gpt-6.1-sol', 'none'],
    );
    assert.equal(client.of('current_mode_update').at(-1)?.currentModeId, 'plan');
    await assert.rejects(set('model', 'anthropic/unknown'), /no such option or value/);
    await assert.rejects(agent.request(methods.agent.session.load, { sessionId: 'no-such', cwd: folder, mcpServers: [] }), /not found/);
    await assert.rejects(agent.request(methods.agent.session.new, { cwd: 'src', mcpServers: [] }), /not an absolute path/);
    await assert.rejects(agent.request(methods.agent.session.new, { cwd: join(folder, 'gone'), mcpServers: [] }), /does not exist/);
  });

  it('offers the tools of an MCP server of the client, which need approval', async () => {
    let calls = 0;
    const { env, server } = await serve({
      turns: ({ body }) => {
        const name = body.tools?.find((tool) => tool.name.endsWith('steady'))?.name;
        // A slow server joins the run after the first turn.
        if (!name) return { calls: [{ name: 'list_directory', input: { path: `turn-${server.requests.length}` } }] };
        return calls++ === 0 ? { calls: [{ name, input: {} }] } : { text: 'Done.' };
      },
    });
    const client = connect({ env, choose: () => 'Allow once' });
    await client.initialize();
    const { agent } = client.connection;
    const args = [join(import.meta.dirname, '../../../support/mcp-server.ts')];
    const mcpServers: McpServer[] = [{ name: 'test', command: process.execPath, args, env: [] }];
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers });
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'agent' });
    await client.prompt(sessionId, 'Call the tool');
    assert.equal(client.permissions.length, 1);
    assert.match(JSON.stringify(client.permissions[0]?.toolCall.content), /MCP server: `test`/);
    assert.equal(client.of('tool_call_update').at(-1)?.status, 'completed');
  });

  it('describes how to set it up', async () => {
    const help = await kedge('acp', '--help');
    assert.match(help, /kedge acp +speak the Agent Client Protocol/);
    assert.doesNotMatch(help, /kedge insights/);
    assert.match(await kedge('--help'), /kedge acp /);
  });

  it('answers a prompt whose run fails with an error', async () => {
    const { env } = await serve({ turns: [], apiKey: 'another' });
    const client = connect({ env });
    await assert.rejects(client.prompt(await client.begin(), 'Anything'), (error: RequestError) => {
      assert.deepEqual(error.data, { kind: 'auth' });
      return true;
    });
  });

  it('proposes what worked as text, and remembers it only after the command', async () => {
    const command = (text: string) => ({ calls: [{ name: 'run_command', input: { command: text } }] });
    const turns = ['node missing.js tide', 'echo tide', 'echo again'].map(command);
    const { env } = await serve({ turns: [...turns, { text: 'Done.' }] });
    const client = connect({ env, choose: () => 'Allow once' });
    const session = await client.begin('agent');
    await client.prompt(session, 'Repair the tide parser tests');
    assert.match(client.text(), /Remember this for similar tasks\? Task: Repair the tide parser tests\. Failed: `node missing\.js tide`/);
    assert.doesNotMatch(await kedge('remember'), /Task:/);
    await client.prompt(session, '/lesson keep');
    assert.match(await kedge('remember'), /Similar tasks in this folder[^\n]*\n- Task: Repair the tide parser tests/);
  });

  it('remembers an entry, and says so', async () => {
    const client = connect();
    await client.prompt(await client.begin(), '/remember Run the tests with npm test.');
    assert.match(client.text(), /Remembered for this workspace: Run the tests/);
    assert.match(await kedge('remember'), /Run the tests with npm test/);
  });
});

import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentEvent, isDurable } from '../../../../src/core/session/events.ts';
import { LOG_FORMAT } from '../../../../src/core/session/log-format.ts';
import { foldSession } from '../../../../src/core/session/reduce.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import {
  type ReceivedRequest,
  type ResponsesServer,
  type ResponsesServerOptions,
  startResponsesServer,
  type Turn,
} from '../../../support/responses-server.ts';
import { until } from '../../../support/until.ts';
import { folderOf, remove } from '../node/folder.ts';

const FILES = {
  'src/main.ts': "import { tideLevel } from './tide.ts';\nconsole.log(tideLevel());\n",
  'src/tide.ts': 'export function tideLevel() {\n  return 1;\n}\n',
};
const RENAME = 'rename tideLevel to waterLevel in src';

type Ended = { code: number | null; out: string; err: string };
type Started = { child: ChildProcessWithoutNullStreams; ended: Promise<Ended>; saw(pattern: RegExp): Promise<void> };

describe('the kedge program', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let servers: ResponsesServer[];
  let children: ChildProcessWithoutNullStreams[];
  beforeEach(async () => {
    folder = await folderOf(FILES);
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    servers = [];
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([...servers.map((server) => server.close()), remove(folder), remove(home)]);
  });

  /** With `person`, the program takes standard input for a terminal. */
  function start(args: string[], { env = {}, person = false }: { env?: Record<string, string>; person?: boolean } = {}): Started {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)));
    const preload = person ? ['--import', 'data:text/javascript,process.stdin.isTTY = true'] : [];
    const child = spawn(process.execPath, [...preload, PROGRAM, ...args], { cwd: folder, env: { ...clean, KEDGE_HOME: home, ...env } });
    children.push(child);
    const text = { out: '', err: '' };
    let look = () => {};
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text.out += more;
      look();
    });
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      text.err += more;
      look();
    });
    child.stdin.on('error', () => undefined);
    const ended = once(child, 'close').then(([code]) => ({ code, ...text }));
    const saw = (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        look = () => pattern.test(text.out + text.err) && resolve();
        look();
        void ended.then(({ out, err }) => reject(new Error(`It ended without ${pattern}:\n${out}${err}`)));
      });
    return { child, ended, saw };
  }

  function kedge(args: string[], { input = '', ...options }: { input?: string; env?: Record<string, string> } = {}): Promise<Ended> {
    const { child, ended } = start(args, options);
    child.stdin.end(input);
    return ended;
  }

  async function serve(options: ResponsesServerOptions): Promise<Record<string, string>> {
    const server = await startResponsesServer(options);
    servers.push(server);
    return { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
  }

  /** Calls a tool when it is offered, because the tools of a server that starts slowly join the run later. */
  const onceOffered = (name: string, input: unknown) => {
    let turn = 0;
    let isCalled = false;
    return ({ body }: ReceivedRequest): Turn => {
      turn++;
      if (isCalled) return { text: 'Done.' };
      isCalled = body.tools?.some((tool) => tool.name === name) ?? false;
      return { calls: [isCalled ? { name, input } : { name: 'find_files', input: { glob: `*.${turn}` } }] };
    };
  };

  const content = (path: string) => readFile(join(folder, path), 'utf8');
  const unchanged = async () => {
    for (const [path, text] of Object.entries(FILES)) assert.equal(await content(path), text);
  };
  const renamed = async () => {
    assert.equal(await content('src/tide.ts'), FILES['src/tide.ts'].replaceAll('tideLevel', 'waterLevel'));
    assert.equal(await content('src/main.ts'), FILES['src/main.ts'].replaceAll('tideLevel', 'waterLevel'));
  };

  it('uses the tools of MCP servers in a file, and ends the servers', async () => {
    const everything = join(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    const config = join(home, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: { everything: { command: process.execPath, args: [everything] } } }));
    const env = await serve({ turns: onceOffered('everything__echo', { message: 'hi' }) });
    const args = [
      'agent',
      'echo hi',
      '--mcp-config',
      config,
      '--allow',
      'mcp:everything/echo',
      '--max-turns',
      '9999',
      '--max-calls',
      '9999',
      '--json',
    ];
    const { code, out } = await kedge(args, { env });
    assert.equal(code, 0);
    assert.match(out, /Echo: hi/);
    const broken = await kedge(['agent', 'x', '--mcp-config', join(home, 'none.json')]);
    assert.match(broken.err, /The MCP servers in .*none\.json cannot be read/);
  });

  it('shows the server, the tool, its description and all arguments before a tool of an MCP server is called', async () => {
    const everything = join(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    const config = join(home, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: { everything: { command: process.execPath, args: [everything] } } }));
    const input = { message: '\u001b[2Jhidden\u202e' };
    const env = await serve({ turns: onceOffered('everything__echo', input) });
    const { child, ended, saw } = start(['agent', 'echo', '--mcp-config', config, '--max-turns', '9999', '--max-calls', '9999'], {
      env,
      person: true,
    });
    await saw(/Approve\?/);
    child.stdin.end('y\n');
    const { err } = await ended;
    assert.match(err, /MCP server: everything\nTool: echo\nDescription from the server: .+\nArguments:\n {2}\{\n/);
    assert.match(err, /"message": "⟨U\+001B⟩\[2Jhidden⟨U\+202E⟩"/);
    assert.ok(!err.includes('\u001b[2J') && !err.includes('\u202e'));
  });

  it('answers on stdout, and reports its steps on stderr', async () => {
    const { code, out, err } = await kedge(['ask', 'where is tideLevel defined?']);
    assert.equal(code, 0, err);
    assert.match(out, /src\/tide\.ts:1/);
    assert.match(err, /● Search .* {2}\d+ ms/);
    assert.ok(!out.includes('●') && !(out + err).includes('\u001b'));
  });

  it('reads the request from stdin', async () => {
    const { code, out } = await kedge(['ask', '-'], { input: 'where is tideLevel defined?\n' });
    assert.equal(code, 0);
    assert.match(out, /src\/tide\.ts:1/);
    const empty = await kedge(['ask', '-']);
    assert.deepEqual(
      [empty.code, empty.err],
      [2, 'kedge: Nothing was read from standard input. Pipe a request into kedge, or write it instead of the -.\n'],
    );
  });

  it('changes nothing if nobody can be asked, and tells the model why', async () => {
    const { code, err } = await kedge(['agent', RENAME]);
    assert.equal(code, 1);
    assert.match(err, /✗ Edit src\/main\.ts: The user could not be asked because no terminal is connected\..*--yes/);
    assert.match(
      err,
      /kedge: 2 tool calls were not approved because no terminal is connected\. To allow edits without asking, use --yes\.\n$/,
    );
    assert.doesNotMatch(err, /user rejected/);
    await unchanged();
  });

  it('edits with --yes, undoes, and refuses to undo over later changes', async () => {
    const { code, err } = await kedge(['agent', '--yes', RENAME]);
    assert.equal(code, 0, err);
    assert.match(err, /Changed 2 files: src\/main\.ts \+2 −2, src\/tide\.ts \+1 −1\. To undo: kedge undo/);
    await renamed();
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), ['src', join('src', 'main.ts'), join('src', 'tide.ts')]);
    const undone = await kedge(['undo']);
    assert.equal(undone.code, 0);
    assert.match(undone.out, /^Undone: rename tideLevel.*\n● src\/tide\.ts: restored\n● src\/main\.ts: restored\n$/);
    await unchanged();
    assert.deepEqual(await kedge(['undo']), { code: 1, out: '', err: 'kedge: This folder has no run with changes that can be undone.\n' });

    await kedge(['agent', '--yes', RENAME]);
    await writeFile(join(folder, 'src/tide.ts'), 'mine\n');
    const partly = await kedge(['undo']);
    assert.equal(partly.code, 1);
    assert.match(partly.out, /✗ src\/tide\.ts: not restored \(The same lines were changed after Kedge wrote them\.\)/);
    assert.equal(await content('src/tide.ts'), 'mine\n');
    assert.equal(await content('src/main.ts'), FILES['src/main.ts']);
  });

  it('names the run of another program that changed a file later, if that prevents an undo', async () => {
    await kedge(['agent', '--yes', RENAME]);
    const [first = ''] = (await kedge(['sessions'])).out.split(/\s/);
    await kedge(['agent', '--yes', 'rename waterLevel to seaLevel in src']);
    const refused = await kedge(['undo', first]);
    assert.equal(refused.code, 1);
    assert.match(refused.out, /✗ src\/tide\.ts: not restored \(The (?:same lines were|file was) changed/);
    const [, run = ''] =
      /by another run, “rename waterLevel to seaLevel in src”\. To undo that run first: kedge undo (\S+)\n/.exec(refused.err) ?? [];
    assert.doesNotMatch(refused.err, /An earlier run/);
    assert.equal((await kedge(['undo', run])).code, 0);
    assert.equal((await kedge(['undo', first])).code, 0);
    await unchanged();
  });

  it('refuses protected paths even with --yes', async () => {
    const { err } = await kedge(['agent', '--yes', "create .vscode/tasks.json with '{}'"]);
    assert.match(err, /✗ Create \.vscode\/tasks\.json: .*protected/);
    assert.deepEqual(await readdir(folder), ['src']);
  });

  it('deletes nothing without approval, even with --yes', async () => {
    const { err } = await kedge(['agent', '--yes', 'delete src/tide.ts']);
    assert.match(err, /✗ Delete src\/tide\.ts: .*The user could not be asked because .* --yes allows edits only/);
    await unchanged();
  });

  it('keeps a plan for later, and carries it out on request', async () => {
    const proposed = await kedge(['plan', RENAME]);
    assert.equal(proposed.code, 4, proposed.err);
    assert.match(proposed.out, /^Goal: .*\n\n1\. /);
    const id = /kedge --continue (\S+) --run-plan/.exec(proposed.err)?.[1] ?? '';
    await unchanged();
    const again = await kedge(['--continue', id]);
    assert.equal(again.code, 4);
    assert.match(again.out, /^Goal: /);
    const { code, err } = await kedge(['--continue', id, '--run-plan']);
    assert.equal(code, 0, err);
    await renamed();
    assert.equal((await kedge(['plan', '--run-plan', 'rename waterLevel to tideLevel in src'])).code, 0);
    await unchanged();
  });

  it('asks the user for the plan, and for each change with its diff', async () => {
    const plan = start(['plan', RENAME], { person: true });
    await plan.saw(/Run this plan\?/);
    plan.child.stdin.write('n\n');
    assert.equal((await plan.ended).code, 0);
    await unchanged();

    const { child, ended, saw } = start(['agent', RENAME], { person: true });
    await saw(/\+import \{ waterLevel \} from[\s\S]*Approve\?/);
    child.stdin.write('n use another name\n');
    await saw(/Edit src\/tide\.ts\n[\s\S]*Approve\?/);
    child.stdin.write('y\n');
    const { err } = await ended;
    assert.match(err, /✗ Edit src\/main\.ts: The user rejected this: use another name/);
    assert.equal(await content('src/main.ts'), FILES['src/main.ts']);
    assert.match(await content('src/tide.ts'), /waterLevel/);
  });

  it('asks once for a run on request', async () => {
    const { child, ended, saw } = start(['agent', RENAME], { person: true });
    await saw(/Approve\?/);
    child.stdin.write('r\n');
    const { err } = await ended;
    assert.equal(err.match(/Approve\?/g)?.length, 1);
    await renamed();
  });

  it('prints every event as a line of JSON, from which the session can be computed', async () => {
    const { code, out, err } = await kedge(['ask', '--json', 'explain src/tide.ts']);
    assert.equal(code, 0);
    assert.equal(err, '');
    const events = out
      .trimEnd()
      .split('\n')
      .map((line): AgentEvent => JSON.parse(line));
    assert.ok(events.some(({ type }) => type === 'text_delta'));
    const durable = events.filter(isDurable);
    assert.deepEqual(
      durable.map(({ seq }) => seq),
      durable.map((_, index) => index + 1),
    );
    const state = foldSession(durable);
    assert.equal(state.lastRun?.outcome, 'answered');
    assert.equal(state.messages.at(-1)?.role, 'assistant');
    const [session] = (await kedge(['sessions', '--json'])).out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(session.title, 'explain src/tide.ts');
    const [workspace = ''] = await readdir(join(home, 'workspaces'));
    const log = await readFile(join(home, 'workspaces', workspace, 'sessions', `${session.id}.jsonl`), 'utf8');
    const logged = durable.map((event, index) => (index === 0 ? { ...event, format: LOG_FORMAT } : event));
    assert.equal(log, logged.map((event) => `${JSON.stringify(event)}\n`).join(''));
  });

  it('uses the model server that the environment specifies', async () => {
    const env = await serve({
      apiKey: 'key-of-the-test',
      turns: [{ text: 'Looking.', calls: [{ name: 'read_file', input: { path: 'src/tide.ts' } }] }, { text: 'It returns 1.' }],
    });
    assert.deepEqual(await kedge(['ask', 'what?'], { env }).then(({ code, out }) => ({ code, out })), { code: 0, out: 'It returns 1.\n' });
    const [first, second] = servers[0]?.requests ?? [];
    assert.equal(first?.body.model, 'test');
    assert.ok(second?.raw.toString().startsWith(`${first?.raw.toString().slice(0, -2)},`));
    const wrong = await kedge(['ask', 'what?'], { env: { ...env, KEDGE_API_KEY: 'another' } });
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.err,
      /^kedge: OpenAI .* refused the API key.*\.\nTo set a new key: .* kedge keys set openai\.\nTo try again: kedge --continue \S+\n$/,
    );
    assert.ok(!wrong.err.includes('another'));
  });

  it('continues at the given address, and nowhere else', async () => {
    const there = await serve({ apiKey: 'the-right-key', turns: [{ text: 'There.' }, { text: 'There.' }] });
    const url = there.OPENAI_BASE_URL as string;
    const { KEDGE_MODEL: _, ...env } = await serve({ turns: [{ text: 'Elsewhere.' }] });
    const first = await kedge(['ask', 'go', '-m', 'openai/test', '--base-url', url], { env });
    const [, id = '', printed] = /To try again: kedge --continue (\S+) --base-url (\S+)\n$/.exec(first.err) ?? [];
    assert.equal(printed, url, first.err);
    const again = await kedge(['--continue', id], { env });
    assert.match(again.err, /refused the API key[\s\S]* --base-url /);
    const [workspace = ''] = await readdir(join(home, 'workspaces'));
    const kept = join(home, 'workspaces', workspace, 'sessions', `${id}.address.json`);
    await writeFile(kept, '{');
    const refused = await kedge(['--continue', id], { env });
    assert.equal(refused.code, 2);
    assert.match(refused.err, /nothing was sent\. Set it with --base-url/);
    const { out } = await kedge(['--continue', id, '--base-url', url], { env: { OPENAI_API_KEY: 'the-right-key' } });
    assert.equal(out, 'There.\n');
    assert.equal(servers[1]?.requests.length, 0);
  });

  it('stores an address from the environment, and uses it when the variable is gone', async () => {
    const there = await serve({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
    await kedge(['ask', 'go'], { env: there });
    assert.equal((await kedge(['--continue', 'go on'], { env: { OPENAI_API_KEY: 'k' } })).out, 'Two.\n');
  });

  it('does not store a text that is too long', async () => {
    const { code, err } = await kedge(['remember', 'x'.repeat(1_001)]);
    assert.equal(code, 2);
    assert.match(err, /^kedge: The text was not stored, because it has 1,001 characters\. An entry can have at most 1,000\./);
    assert.match((await kedge(['remember'])).out, /\(empty\)[\s\S]*\(empty\)/);
  });

  it('pauses at a limit, and continues', async () => {
    const env = await serve({ turns: [{ calls: [{ name: 'list_directory', input: {} }] }, { text: 'Done.' }] });
    const paused = await kedge(['ask', '--max-turns', '1', 'look'], { env });
    assert.equal(paused.code, 3);
    assert.match(paused.err, /This run has reached its limit of 1 turn\.\nPaused at a limit\.[\s\S]*To continue: kedge --continue \S+\n$/);
    const { code, out } = await kedge(['--continue'], { env });
    assert.deepEqual([code, out], [0, 'Done.\n']);
    const over = await kedge(['--continue'], { env });
    assert.equal(over.code, 2);
    assert.match(over.err, /Add a request/);
  });

  it('pauses at a budget of the run, and at a budget of the day, to which all runs count', async () => {
    const look = { calls: [{ name: 'list_directory', input: {} }], usage: { input: 900, output: 100 } };
    const env = await serve({ turns: [look, { text: 'Done.' }, look] });
    const paused = await kedge(['ask', '--max-tokens', '500', 'look'], { env });
    assert.equal(paused.code, 3);
    assert.match(paused.err, /500 tokens/);
    assert.equal((await kedge(['--continue'], { env })).code, 0);
    const day = await kedge(['ask', 'look again'], { env: { ...env, KEDGE_DAY_BUDGET: '{"tokens": 1000}' } });
    assert.equal(day.code, 3);
    assert.match(day.err, /today|day/);
    const wrong = await kedge(['ask', 'look'], { env: { ...env, KEDGE_DAY_BUDGET: '{"euros": 5}' } });
    assert.deepEqual([wrong.code, /^kedge: KEDGE_DAY_BUDGET must be a JSON object/.test(wrong.err)], [2, true]);
  });

  it('refuses a cost limit for a model of unknown price unless the price is given', async () => {
    const look = { calls: [{ name: 'list_directory', input: {} }], usage: { input: 900_000, output: 100 } };
    const env = await serve({ turns: [look, look, { text: 'Done.' }] });
    const refused = await kedge(['ask', '--max-usd', '0.5', 'look'], { env });
    assert.equal(refused.code, 2);
    assert.match(
      refused.err,
      /^kedge: The price of openai\/\S+ is unknown, so --max-usd cannot be enforced\. Set the price with --price IN\/OUT/,
    );
    const ofDay = await kedge(['ask', 'look'], { env: { ...env, KEDGE_DAY_BUDGET: '{"usd": 5}' } });
    assert.deepEqual([ofDay.code, /so the usd of KEDGE_DAY_BUDGET cannot be enforced/.test(ofDay.err)], [2, true]);
    assert.equal(servers[0]?.requests.length, 0);
    const limited = await kedge(['ask', '--max-usd', '0.5', '--price', '1/2', 'look'], { env });
    assert.deepEqual([limited.code, /This run has reached its limit of \$0\.50\./.test(limited.err)], [3, true]);
    assert.equal(servers[0]?.requests.length, 1);
  });

  it('adds a request to a session, with its model and mode', async () => {
    const env = await serve({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
    await kedge(['plan', 'first'], { env });
    const { KEDGE_MODEL: _, ...rest } = env;
    const { out } = await kedge(['--continue', 'the second'], { env: rest });
    assert.equal(out, 'Two.\n');
    assert.equal(servers[0]?.requests[1]?.body.input.length, 3);
    assert.ok(servers[0]?.requests[1]?.body.tools?.some(({ name }) => name === 'propose_plan'));
  });

  it('stops cleanly at Ctrl+C', async () => {
    const env = await serve({ turns: [{ text: 'And so it goes on and on '.repeat(30) }], hang: 'midway' });
    const { child, ended, saw } = start(['ask', '--json', 'talk'], { env });
    await saw(/text_delta/);
    child.kill('SIGINT');
    const { code, out, err } = await ended;
    assert.equal(code, 130, err);
    const last = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '{}');
    assert.deepEqual([last.type, last.outcome], ['run_finished', 'stopped']);
    assert.match(err, /To continue with a new request: kedge --continue \d{8}T\d{6}-\w+ .*"…"\n$/);
  });

  it('says after Ctrl+C at the question about a plan that the plan was kept', async () => {
    const { child, ended, saw } = start(['plan', 'rename tideLevel to waterLevel'], { person: true });
    await saw(/Run this plan\?.*> $/);
    child.kill('SIGINT');
    const { code, err } = await ended;
    assert.equal(code, 130);
    assert.match(err, /The plan has not been run yet\. To run it: kedge --continue \S+ --run-plan\n$/);
    assert.equal((await kedge(['--continue', '--run-plan'])).code, 0);
  });

  it('undoes the runs of a session one by one, and says if there is another one', async () => {
    await kedge(['agent', '--yes', "create one.txt with '1'"]);
    await kedge(['agent', '--yes', '--continue', "create two.txt with '2'"]);
    const first = await kedge(['undo']);
    assert.match(first.out, /two\.txt: restored\n$/);
    assert.equal(first.err, 'An earlier run also changed files. To undo that run as well: kedge undo\n');
    assert.deepEqual((await kedge(['undo'])).err, '');
  });

  it('reports that its output cannot be written', async function () {
    if (process.platform !== 'linux') this.skip();
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [PROGRAM, '--help'], { stdio: ['ignore', full.fd, 'pipe'] });
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      err += more;
    });
    const [code] = await once(child, 'close');
    await full.close();
    assert.equal(code, 1);
    assert.match(err, /^kedge: The output could not be written: .*no space left.*\n$/);
  });

  it('keeps a run open when the terminal is closed, and continues it', async () => {
    const env = await serve({ turns: [{ text: 'never' }], hang: 'before' });
    const { child, ended } = start(['ask', 'talk'], { env });
    await until('the request', () => servers[0]?.requests.length !== 0);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 143);
    const other = await serve({ turns: [{ text: 'Here I am.' }] });
    assert.deepEqual(await kedge(['--continue'], { env: other }).then(({ code, out }) => ({ code, out })), {
      code: 0,
      out: 'Here I am.\n',
    });
  });

  it('repeats a question that was open when the terminal was closed', async () => {
    const first = start(['agent', RENAME], { person: true });
    await first.saw(/Approve\?/);
    first.child.kill('SIGHUP');
    assert.equal((await first.ended).code, 129);
    await unchanged();
    const { child, ended, saw } = start(['--continue'], { person: true });
    await saw(/Edit src\/main\.ts\n[\s\S]*Approve\?/);
    child.stdin.write('r\n');
    assert.equal((await ended).code, 0);
    await renamed();
  });

  it('is not affected by a reader that exits', async () => {
    const env = await serve({ turns: [{ text: 'word '.repeat(20_000) }] });
    const { child, ended } = start(['ask', '--json', 'talk'], { env });
    child.stdout.once('data', () => child.stdout.destroy());
    const { err } = await ended;
    assert.equal(err, '');
  });

  it('reports in one sentence what is wrong and what to do', async () => {
    const wrong: [string[], number, RegExp][] = [
      [['ask'], 2, /^kedge: The request is missing\. For example: kedge ask "/],
      [['ask', ''], 2, /^kedge: The request is missing\. /],
      [['--continue', ' '], 2, /^kedge: The request is empty\. /],
      [
        ['ask', 'x', '--folder', 'none'],
        2,
        /^kedge: The folder none does not exist\. Create it, or choose another folder with --folder\.$/,
      ],
      [['ask', 'x', '--folder', 'src/tide.ts'], 2, /is a file/],
      [['ask', 'x', '-m', 'nobody/x'], 2, /Unknown model/],
      [['ask', 'x', '-m', 'openai/x'], 1, /^kedge: There is no key for OpenAI\. Set OPENAI_API_KEY/],
      [['--continue'], 2, /This folder has no sessions yet/],
      [['--continue', '20200101T000000-aaaaaaaa'], 2, /This folder has no session/],
      [['--continue', 'nosuch'], 2, /^kedge: This folder has no session nosuch/],
      [['undo', 'abc'], 1, /This folder has no run abc/],
    ];
    for (const [args, code, message] of wrong) {
      const ended = await kedge(args);
      assert.equal(ended.code, code, `${args.join(' ')}: ${ended.err}`);
      assert.match(ended.err.trimEnd(), message);
      assert.match(ended.err, /^[^\n]+\n$/);
    }
  });

  it('does so too if a file system reports its home folder as missing', async function () {
    if (!existsSync('/proc/self')) this.skip();
    const run = await kedge(['ask', 'How many files?'], { env: { KEDGE_HOME: '/proc/kedge' } });
    assert.equal(run.code, 1);
    assert.match(
      run.err,
      /^kedge: The session's log cannot be written, so the run was stopped: \S+ cannot be written: its folder cannot be /,
    );
  });

  it('says that there are no sessions', async () => {
    assert.deepEqual(await kedge(['sessions'], { env: { KEDGE_HOME: join(folder, 'empty-home') } }), {
      code: 0,
      out: '',
      err: 'This folder has no sessions yet.\n',
    });
  });

  it('reports that its home folder cannot be written, and which variable changes the folder', async () => {
    const env = { KEDGE_HOME: join(folder, 'src', 'main.ts', 'home') };
    const run = await kedge(['ask', 'hello'], { env });
    assert.equal(run.code, 1);
    assert.match(
      run.err,
      /^kedge: The session's log cannot be written, so the run was stopped: .*a part of the path is a file\. Correct the problem and try again\.\n/,
    );
    const { code, err } = await kedge(['grants', 'clear'], { env });
    assert.equal(code, 1);
    assert.match(
      err,
      /^kedge: \S+ cannot be written: a part of the path is a file\. To store Kedge’s data in another folder, set KEDGE_HOME\.\n$/,
    );
  });

  it('shows its help', async () => {
    const { code, out } = await kedge(['--help']);
    assert.equal(code, 0);
    assert.ok(out.split('\n').every((line) => line.length <= 120));
    assert.match(out, /kedge ask "where is the port set\?"/);
    assert.match((await kedge(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
    assert.match((await kedge(['models'])).out, /^offline .*\n(.*\n)*openai\//);
  });
});

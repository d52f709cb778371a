import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../../../src/hosts/cli/config/config-file.ts';
import { configured } from '../../../../src/hosts/cli/config/configured.ts';
import { configSchema, problemWith, SETTINGS } from '../../../../src/hosts/cli/config/settings.ts';
import { OPTIONS, parseCommand } from '../../../../src/hosts/cli/options/arguments.ts';
import { helpOn } from '../../../../src/hosts/cli/options/help.ts';
import { configFile } from '../../../../src/hosts/node/config-path.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { type ResponsesServer, startResponsesServer } from '../../../support/responses-server.ts';
import { folderOf, remove } from '../node/folder.ts';

const KEY = 'sk-proj-0123456789abcdefghij';

describe('the configuration file', () => {
  needsProgram();
  let folder: string;
  let servers: ResponsesServer[];
  beforeEach(async () => {
    folder = await folderOf({ 'tide.ts': 'export const draught = 3;\n', 'rules.json': '{"rules": []}' });
    servers = [];
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await remove(folder);
  });
  const home = () => join(folder, 'home');
  const file = () => join(home(), 'config.json');
  const stored = async () => JSON.parse(await readFile(file(), 'utf8'));

  async function kedge(args: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI|EDITOR|VISUAL)/.test(name)));
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: { ...clean, KEDGE_HOME: home(), ...env } });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text.out += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => (text.err += more));
    child.stdin.end();
    const [code] = await once(child, 'close');
    return { code: code as number, ...text };
  }
  async function write(config: unknown): Promise<void> {
    await mkdir(home(), { recursive: true });
    await writeFile(file(), typeof config === 'string' ? config : JSON.stringify(config));
  }

  it('is in the folder for configuration of each system', () => {
    assert.equal(configFile({}, 'linux', '/home/me'), '/home/me/.config/kedge/config.json');
    assert.equal(configFile({ XDG_CONFIG_HOME: '/etc/me' }, 'linux', '/home/me'), '/etc/me/kedge/config.json');
    assert.equal(configFile({ XDG_CONFIG_HOME: 'relative' }, 'linux', '/home/me'), '/home/me/.config/kedge/config.json');
    assert.equal(configFile({}, 'darwin', '/Users/me'), '/Users/me/Library/Application Support/kedge/config.json');
    assert.equal(configFile({ KEDGE_HOME: '/data' }, 'linux', '/home/me'), '/data/config.json');
  });

  it('is changed, listed and read by kedge config, with a schema beside it', async () => {
    assert.equal((await kedge(['config', 'set', 'mode', 'ask'])).code, 0);
    await kedge(['config', 'set', 'temperature', '0.2']);
    await kedge(['config', 'set', 'baseUrls.ollama', 'http://127.0.0.1:11434']);
    await kedge(['config', 'set', 'dayBudget.usd', '5']);
    await kedge(['config', 'set', 'policy', 'rules.json']);
    assert.deepEqual(await stored(), {
      $schema: './config.schema.json',
      ...{ mode: 'ask', temperature: 0.2, baseUrls: { ollama: 'http://127.0.0.1:11434' }, dayBudget: { usd: 5 } },
      policy: join(folder, 'rules.json'),
    });
    assert.deepEqual(JSON.parse(await readFile(join(home(), 'config.schema.json'), 'utf8')), configSchema());
    assert.deepEqual((await readdir(home())).filter((name) => name.includes('config')).sort(), ['config.json', 'config.schema.json']);
    assert.equal((await kedge(['config', 'get', 'temperature'])).out, '0.2\n');
    assert.equal((await kedge(['config', 'get', 'dayBudget'])).out, '{"usd":5}\n');
    assert.deepEqual(await kedge(['config', 'get', 'bell']), { code: 1, out: '', err: 'kedge: bell is not set.\n' });
    const { out } = await kedge(['config', 'list'], { KEDGE_MODEL: 'openai/x', OLLAMA_BASE_URL: 'http://me:secret@tides.example/v1' });
    assert.match(out, /^model +openai\/x {2}\(KEDGE_MODEL\)$/m);
    assert.match(out, /^mode +ask {2}\(file\)$/m);
    assert.match(out, /^baseUrls\.ollama +http:\/\/tides\.example\/v1 {2}\(OLLAMA_BASE_URL\)$/m);
    assert.match(out, /^dayBudget\.usd +5 {2}\(file\)$/m);
    assert.match(out, /^bell +\(not set\) Rings the bell/m);
    const rows = JSON.parse((await kedge(['config', 'list', '--json'])).out) as { name: string; source: string }[];
    assert.deepEqual(
      rows.filter(({ source }) => source === 'file').map(({ name }) => name),
      ['mode', 'baseUrls.ollama', 'temperature', 'dayBudget.usd', 'policy'],
    );
    await kedge(['config', 'unset', 'dayBudget.usd']);
    assert.equal((await stored()).dayBudget, undefined);
    assert.equal((await kedge(['config', 'path'])).out, `${file()}\n`);
  });

  it('keeps what it contains if a name or a value is not allowed, and says what is', async () => {
    await write({ mode: 'plan', maxTurns: 3 });
    const before = await readFile(file(), 'utf8');
    for (const [args, message] of [
      [['mode', 'agents'], /mode must be one of ask, plan, agent\./],
      [['temperature', 'hot'], /temperature must be a number from 0 to 2\./],
      [['maxTurns', '1.5'], /maxTurns must be a whole number of at least 1\./],
      [['maxUsd', '0'], /maxUsd must be a number greater than 0\./],
      [['bell', 'yes'], /bell must be true or false\./],
      [['dayBudget.euros', '5'], /dayBudget has no euros\. It must be an object that may contain runs, turns/],
      [['baseUrls.openai', 'tides.example'], /baseUrls\.openai must be a text, such as http:/],
      [['maxturns', '5'], /There is no setting "maxturns"\. Did you mean maxTurns\?/],
      [['tides', '5'], /There is no setting "tides"\. To list the settings, run kedge config list\./],
      [['apiKey', KEY], /There is no setting "apiKey"\. Keys are not stored in this file\. .*kedge keys set PROVIDER/],
      [['headers', '{}'], /Headers can be secret: set them in KEDGE_HEADERS/],
      [['system', `Use ${KEY}`], /The value of system looks like a key\./],
      [['baseUrls.openai', 'https://me:secret@tides.example'], /baseUrls\.openai must be a text/],
      [['baseUrls.openai', 'http://tides.example:99999'], /Nothing was changed\. The address of openai is not valid\./],
      [['baseUrls.tides', 'http://tides.example'], /There is no provider "tides"\. To list the providers, run kedge models\./],
      [['model', 'tides/large'], /Nothing was changed\. Unknown model "tides\/large"\. Write it as provider\/model/],
      [['policy', 'none.json'], /The policy file .*none\.json cannot be read\./],
      [['policy', 'tide.ts'], /tide\.ts is not a policy file\./],
      [['mcpConfig', 'tide.ts'], /The MCP servers in .*tide\.ts cannot be read/],
      [['passEnvironment', 'TIDES;LEVEL'], /Names of environment variables consist of letters/],
    ] as const) {
      const { code, err } = await kedge(['config', 'set', ...args]);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, message);
      assert.ok(!err.includes(KEY) && !err.includes('secret@'));
    }
    assert.equal(await readFile(file(), 'utf8'), before);
  });

  it('is not overwritten while it is damaged, and a run names the problem instead of ignoring it', async () => {
    for (const [text, message] of [
      [`{"maxTurns": 3, "key": "${KEY}"`, /config\.json is not valid: It is not JSON\. To correct it, run kedge config edit\./],
      ['{"maxTurn": 3}', /There is no setting "maxTurn"\. Did you mean maxTurns\?/],
      ['{"maxTurns": "3"}', /maxTurns must be a whole number of at least 1\./],
      [`{"openaiKey": "${KEY}"}`, /Keys are not stored in this file/],
    ] as const) {
      await write(text);
      for (const args of [
        ['config', 'set', 'mode', 'ask'],
        ['ask', 'Where is draught defined?'],
      ]) {
        const { code, err } = await kedge(args);
        assert.equal(code, 2);
        assert.match(err, message);
        assert.ok(!err.includes(KEY));
      }
      assert.equal((await kedge(['--version'])).code, 0);
      assert.equal(await readFile(file(), 'utf8'), text);
    }
  });

  it('applies to runs, and options and variables take precedence', async () => {
    await write({
      ...{ maxTurns: 5, maxMinutes: 2, bell: true, requirePlan: true, temperature: 1, model: 'openai/a', price: '1/2', quiet: false },
      ...{ surroundings: 'date', baseUrls: { openai: 'http://a.example/v1' }, contextTokens: 5000, dayBudget: { runs: 9 }, mode: 'plan' },
    });
    const given = parseCommand(['ask', 'x', '--max-turns', '7', '--no-bell', '--temperature=0']);
    const { command, env, mode } = configured(given, file(), { KEDGE_MODEL: 'openai/b', OPENAI_BASE_URL: '' });
    assert.deepEqual(command, {
      ...{ action: 'prompt', mode: 'ask', prompt: ['x'], folders: ['.'], json: false, yes: false, runPlan: false, budget: {} },
      ...{ limits: { turns: 7, minutes: 2 }, bell: false, requirePlan: true, temperature: 0, price: { input: 1, output: 2 } },
      surroundings: ['date'],
    });
    assert.deepEqual(env, {
      ...{ KEDGE_MODEL: 'openai/b', OPENAI_BASE_URL: '', KEDGE_CONTEXT_TOKENS: '5000', KEDGE_DAY_BUDGET: '{"runs":9}' },
    });
    assert.equal(mode, 'plan');
  });

  it('chooses the mode of a quoted request, and the answer alone is printed if it says so', async () => {
    assert.match((await kedge(['Where is draught defined?'])).err, /is not a command\. Put ask, plan or agent/);
    await write({ mode: 'ask', quiet: true });
    const { code, out, err } = await kedge(['Where is draught defined?']);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /tide\.ts:1/);
    assert.match((await kedge(['--no-quiet', 'Where is draught defined?'])).err, /Search/);
  });

  it('sends the temperature, the limit of the answer and the added instructions to the model', async () => {
    const server = await startResponsesServer({ turns: [{ text: 'Yes.' }, { text: 'Yes.' }] });
    servers.push(server);
    await write({
      model: 'openai/tide-1',
      baseUrls: { openai: server.url },
      temperature: 0.3,
      maxOutputTokens: 700,
      system: 'Answer in Dutch.',
    });
    assert.equal((await kedge(['ask', 'Is it high?'], { OPENAI_API_KEY: 'k' })).code, 0);
    await kedge(['ask', '--system', 'Answer in Danish.', '--temperature=0', 'Is it high?'], { OPENAI_API_KEY: 'k' });
    const sent = server.requests.map(
      ({ body }) => body as unknown as { temperature: number; max_output_tokens: number; instructions: string },
    );
    assert.deepEqual(
      sent.map(({ temperature, max_output_tokens }) => [temperature, max_output_tokens]),
      [
        [0.3, 700],
        [0, 700],
      ],
    );
    assert.match(sent[0]?.instructions ?? '', /\n\nAnswer in Dutch\.$/);
    assert.match(sent[1]?.instructions ?? '', /\n\nAnswer in Danish\.$/);
  });

  it('is opened in the editor, checked afterwards, and never lost', async function () {
    if (process.platform === 'win32') return this.skip();
    assert.match((await kedge(['config', 'edit'])).err, /No editor is set\. Set VISUAL or EDITOR/);
    const editor = (text: string) => ({ EDITOR: `printf '%s' '${text}' | tee` });
    assert.equal((await kedge(['config', 'edit'], editor('{"mode": "plan"}'))).code, 0);
    assert.deepEqual(readConfig(file()), { mode: 'plan' });
    const wrong = await kedge(['config', 'edit'], editor('{"mode": "plans"}'));
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /mode must be one of ask, plan, agent/);
    assert.equal(await readFile(file(), 'utf8'), '{"mode": "plans"}');
    const unusable = await kedge(['config', 'edit'], editor('{"model": "tides/large", "policy": "/none.json"}'));
    assert.match(
      unusable.err,
      /was saved, but cannot be used\. Unknown model "tides\/large".* The policy file \/none\.json cannot be read/,
    );
    assert.match((await kedge(['config', 'edit'], { EDITOR: 'false' })).err, /The editor false ended with code 1/);
  });

  it('may be a link, which is kept', async function () {
    if (process.platform === 'win32') return this.skip();
    await mkdir(home());
    await writeFile(join(folder, 'dotfile.json'), '{"mode": "ask"}');
    await symlink(join(folder, 'dotfile.json'), file());
    await kedge(['config', 'set', 'bell', 'true']);
    assert.ok((await lstat(file())).isSymbolicLink());
    assert.deepEqual(readConfig(join(folder, 'dotfile.json')), { $schema: './config.schema.json', mode: 'ask', bell: true });
  });

  it('has a table whose options exist and whose examples are allowed', () => {
    for (const [name, { option, examples = [], ...schema }] of Object.entries(SETTINGS)) {
      if (option) assert.ok(Object.hasOwn(OPTIONS, option), name);
      for (const example of examples) assert.equal(problemWith(name, example, schema), undefined, name);
    }
    for (const topic of ['config', 'keys', 'undo', 'remember', 'grants', 'models'])
      assert.match(helpOn(topic), new RegExp(`^Usage\\n {2}kedge ${topic}`));
    assert.match(helpOn('ask'), /^Kedge: a coding assistant/);
  });
});

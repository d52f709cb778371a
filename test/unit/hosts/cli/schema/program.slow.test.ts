import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsProgram, PROGRAM } from '../../../../support/program.ts';
import { type ResponsesServer, startResponsesServer, type Turn } from '../../../../support/responses-server.ts';
import { folderOf, remove } from '../../node/folder.ts';

const SCHEMA = JSON.stringify({ type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] });

describe('kedge ask --schema', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let server: ResponsesServer | undefined;
  beforeEach(async () => {
    folder = await folderOf({ 'schema.json': SCHEMA, 'port.txt': '8080\n' });
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
  });
  afterEach(async () => {
    await Promise.all([server?.close(), remove(folder), remove(home)]);
    server = undefined;
  });

  function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KEDGE|OPENAI)_/.test(name)));
    const env = { ...clean, KEDGE_HOME: home, OPENAI_API_KEY: 'sk-test-0123456789' };
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      );
      child.stdin?.end();
    });
  }

  async function runWith(turns: Turn[], ...args: string[]) {
    server = await startResponsesServer({ turns });
    return run('ask', '-m', 'openai/gpt-test', '--base-url', server.url, '--schema', 'schema.json', ...args, 'Which port?');
  }

  it('prints only the JSON, after tool calls and rejected answers', async () => {
    const read = { text: 'I read it.', calls: [{ name: 'read_file', input: { path: 'port.txt' } }] };
    const { code, out, err } = await runWith([read, { text: 'It is 8080.' }, { text: '```json\n{"port":8080}\n```' }]);
    assert.equal(out, '{"port":8080}\n', err);
    assert.equal(code, 0);
    assert.match(err, /Note to the model: Your answer was not accepted\. It is not JSON/);
    const [first] = server?.requests ?? [];
    assert.match(String(first?.body.instructions), /must be valid by this JSON Schema:\n\{"type":"object"/);
    assert.match(JSON.stringify(first?.body.text), /"json_schema"/);
    assert.equal(server?.requests.length, 3);
  });

  it('prints nothing to standard output if no answer is valid', async () => {
    const { code, out, err } = await runWith([{ text: '1' }, { text: '{}' }, { text: '{"port":"8080"}' }], '--quiet');
    assert.equal(out, '');
    assert.equal(code, 1);
    assert.match(err, /kedge: The model did not give a valid answer in 3 attempts\. It does not match the JSON Schema: #\/port: /);
  });

  it('reports an unusable schema before anything is sent', async () => {
    await writeFile(join(folder, 'schema.json'), '{"type": "strin"}');
    const { code, out, err } = await runWith([]);
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, /^kedge: The schema schema\.json cannot be used: #\/type: /);
    assert.equal(server?.requests.length, 0);
    const missing = await run('ask', '--schema', 'none.json', 'x');
    assert.match(missing.err, /^kedge: The schema none\.json cannot be read\./);
    const plan = await run('plan', '--schema', 'schema.json', 'x');
    assert.match(plan.err, /^kedge: --schema cannot be used with kedge plan/);
    assert.deepEqual([missing.code, plan.code], [2, 2]);
  });

  it('works with the offline model', async () => {
    const { code, out } = await run('ask', '--schema', 'schema.json', 'list files');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), { port: 0 });
  });
});

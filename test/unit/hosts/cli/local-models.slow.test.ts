import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocal, probeOnce } from '../../../../src/hosts/cli/local-models.ts';
import { type ListServer, startListServer } from '../../../support/list-server.ts';
import { needsProgram, PROGRAM } from '../../../support/program.ts';
import { folderOf, remove } from '../node/folder.ts';

const NATIVE = { tool_calls: [{ function: { name: 'note_word', arguments: { word: 'harbour' } } }] };
const WRITTEN = { content: '{"name": "note_word", "arguments": {"word": "harbour"}}' };

describe('a model on this computer, in the terminal', () => {
  needsProgram();
  let folder: string;
  let home: string;
  let ollama: ListServer;
  /** The model's answers, one after another. The last answer is `Here.` */
  let said: object[];
  let digest: string;
  let contextLength: number;
  beforeEach(async () => {
    folder = await folderOf({});
    home = await mkdtemp(join(tmpdir(), 'kedge-home-'));
    said = [];
    digest = 'one';
    contextLength = 32_768;
    ollama = await startListServer({
      '/api/tags': () => ({ body: { models: ['small:latest', 'other:1b'].map((model) => ({ name: model, model, digest })) } }),
      '/api/show': () => ({ body: { capabilities: ['completion'], model_info: { 'llama.context_length': contextLength } } }),
      '/api/chat': (body) => {
        if (JSON.parse(body).model === 'missing') return { status: 404, body: { error: 'model "missing" not found' } };
        const message = { role: 'assistant', content: '', ...(said.shift() ?? { content: 'Here.' }) };
        return { type: 'application/x-ndjson', body: `${JSON.stringify({ model: 'm', message, done: true, done_reason: 'stop' })}\n` };
      },
    });
  });
  afterEach(async () => {
    await ollama.close();
    await Promise.all([folder, home].map(remove));
  });

  async function kedge(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const env = { ...process.env, KEDGE_HOME: home, OLLAMA_BASE_URL: ollama.url };
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env });
    child.stdin.end();
    const text = { out: '', err: '' };
    for (const [name, stream] of [['out', child.stdout] as const, ['err', child.stderr] as const])
      stream.setEncoding('utf8').on('data', (more: string) => {
        text[name] += more;
      });
    const [code] = await once(child, 'close');
    return { code, ...text };
  }
  const chats = () => ollama.requests.filter(({ path }) => path === '/api/chat').map(({ body }) => JSON.parse(body));
  const tools = () => chats().map((body) => body.tools?.length ?? 0);

  it('is tested once, and the result is printed', async () => {
    said = [NATIVE];
    const first = await kedge('ask', 'go', '-m', 'ollama/small');
    assert.match(
      first.err,
      /^Testing how small calls tools\. This is needed only once\. Press Ctrl\+C to cancel\.\nsmall calls tools natively\.\n/,
    );
    assert.equal(first.out, 'Here.\n');
    const second = await kedge('agent', 'go', '-m', 'ollama/small');
    assert.deepEqual([second.out, second.err], ['Here.\n', '']);
    assert.equal(chats().length, 3);
    // Otherwise the server would load the model again.
    assert.deepEqual(chats()[0].options.num_ctx, chats()[1].options.num_ctx);
  });

  it('is tested again when it has changed', async () => {
    said = [NATIVE];
    await kedge('ask', 'go', '-m', 'ollama/small');
    digest = 'two';
    said = [{ content: 'No.' }, WRITTEN];
    const { out, err } = await kedge('ask', 'go', '-m', 'ollama/small');
    assert.match(err, /small writes tool calls as text, which Kedge reads\./);
    assert.equal(out, 'Here.\n');
    assert.deepEqual([tools().at(0), tools().at(-1)], [1, 0]);
    assert.match(JSON.stringify(chats().at(-1).messages), /read_file/);
  });

  it('that is unsuitable is reported before an Agent run, with a model to pull, and marked in the list', async () => {
    contextLength = 4_096;
    said = [NATIVE];
    const asked = await kedge('ask', 'go', '-m', 'ollama/small');
    assert.ok(!asked.err.includes('unsuitable'));
    const unfit =
      /This model is unsuitable for Agent mode, because its context of 4096 tokens is below 8192\. Try another model with `ollama pull \S+`\.\n/;
    assert.match((await kedge('agent', 'go', '-m', 'ollama/small')).err, unfit);
    const { out } = await kedge('models');
    assert.match(out, /\n\nTested local models:\nollama\/small at http:\/\/127\S+ +calls tools natively\n +This model is unsuitable/);
  });

  it('that cannot call tools receives no tools', async () => {
    said = [{ content: 'No.' }, { content: 'No.' }];
    const { out, err } = await kedge('agent', 'go', '-m', 'ollama/small');
    assert.match(err, /small does not call tools, so Kedge offers it no tools\.\nThis model is unsuitable for Agent mode/);
    assert.equal(out, 'Here.\n');
    assert.equal(tools().at(-1), 0);
  });

  it('that does not exist is reported by the run', async () => {
    const { code, err } = await kedge('ask', 'go', '-m', 'ollama/missing');
    assert.equal(code, 1, err);
    assert.match(err, /kedge: Ollama .* does not know the model/);
    assert.ok(!(await kedge('models')).out.includes('Tested'));
  });

  it('is not tested if no server answers', async () => {
    const nobody = await startListServer({});
    await nobody.close();
    const said: string[] = [];
    const tried = join(home, 'tried.json');
    const ref = { provider: 'ollama', model: 'small' };
    const config = { baseUrl: nobody.url };
    assert.equal(await probeOnce(tried, ref, config, (text) => said.push(text), new AbortController().signal), undefined);
    assert.deepEqual(said, []);
  });

  it('is not tested if the service is on another computer', () => {
    assert.deepEqual(
      [isLocal('ollama', {}), isLocal('ollama', { baseUrl: 'https://ollama.com' }), isLocal('openai', {})],
      [true, false, false],
    );
  });
});

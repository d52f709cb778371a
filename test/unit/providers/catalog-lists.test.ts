import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { listModels } from '../../../src/app/models/models.ts';
import { ModelError } from '../../../src/core/model/model.ts';
import type { ModelInfo, ProviderConfig } from '../../../src/providers/types.ts';
import { type ListServer, type Route, startListServer } from '../../support/list-server.ts';

const KEY = 'sk-secret-0123456789abcdef';
const never = new AbortController().signal;

describe('the live list of models', () => {
  let server: ListServer;
  afterEach(() => server?.close());

  async function list(
    provider: string,
    routes: Parameters<typeof startListServer>[0],
    path = '/v1',
    config: ProviderConfig = { apiKey: KEY },
  ): Promise<ModelInfo[]> {
    server = await startListServer(routes);
    return listModels(provider, { ...config, baseUrl: server.url + path }, never);
  }

  it('of OpenAI omits models that do not answer in text', async () => {
    const data = ['gpt-6.1-sol', 'text-embedding-4', 'gpt-6-luna', 'gpt-image-3', 'whisper-2', 'gpt-6.1-sol'].map((id) => ({ id }));
    assert.deepEqual(await list('openai', { '/v1/models': { body: { object: 'list', data } } }), [
      { id: 'gpt-6.1-sol' },
      { id: 'gpt-6-luna' },
    ]);
    assert.equal(server.requests[0]?.headers.authorization, `Bearer ${KEY}`);
  });

  it('of Anthropic has limits and abilities', async () => {
    const capabilities = { image_input: { supported: true }, thinking: { supported: false } };
    const model = {
      type: 'model',
      id: 'claude-x',
      display_name: 'Claude X',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities,
    };
    const routes = { '/v1/models': { body: { data: [model, { type: 'model', id: 'bare', display_name: null, max_tokens: null }] } } };
    assert.deepEqual(await list('anthropic', routes, ''), [
      { id: 'claude-x', label: 'Claude X', contextWindow: 1_000_000, maxOutput: 128_000, vision: true, reasoning: false },
      { id: 'bare' },
    ]);
    assert.equal(server.requests[0]?.headers['x-api-key'], KEY);
  });

  it('of Gemini includes all pages', async () => {
    let page = 0;
    const model = (name: string, more = {}) => ({ name: `models/${name}`, supportedGenerationMethods: ['generateContent'], ...more });
    const first = [model('gemini-x', { displayName: 'Gemini X', inputTokenLimit: 1_048_576, outputTokenLimit: 65_536, thinking: true })];
    const second = [model('gemini-y'), { name: 'models/embedding-1', supportedGenerationMethods: ['embedContent'] }];
    const pages = [{ models: first, nextPageToken: 'more' }, { models: second }];
    const found = await list('gemini', { '/v1/models': () => ({ body: pages[page++] }) }, '');
    assert.deepEqual(found, [
      { id: 'gemini-x', label: 'Gemini X', contextWindow: 1_048_576, maxOutput: 65_536, reasoning: true },
      { id: 'gemini-y' },
    ]);
  });

  it('of Ollama requests details of each model, and needs no key', async () => {
    const shown: Record<string, Route> = {
      'qwen3:8b': { body: { capabilities: ['completion', 'tools', 'thinking'], model_info: { 'qwen3.context_length': 40_960 } } },
      'llava:7b': { body: { capabilities: ['completion', 'vision'], model_info: {} } },
      'nomic-embed': { body: { capabilities: ['embedding'], model_info: {} } },
    };
    const names = [...Object.keys(shown), 'old'];
    const routes = {
      '/api/tags': { body: { models: names.map((name) => ({ name, model: name })) } },
      '/api/show': (body: string): Route => shown[JSON.parse(body).model] ?? { status: 500, body: { error: 'no' } },
    };
    assert.deepEqual(await list('ollama', routes, '', {}), [
      { id: 'qwen3:8b', contextWindow: 40_960, vision: false, tools: true, reasoning: true },
      { id: 'llava:7b', vision: true, tools: false, reasoning: false },
      { id: 'old' },
    ]);
  });

  it('of compatible servers uses the fields that each server sends', async () => {
    const data = [
      {
        id: 'qwen/qwen3-coder',
        name: 'Qwen3 Coder',
        context_length: 262_144,
        architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
        top_provider: { max_completion_tokens: 66_000 },
        supported_parameters: ['tools', 'temperature'],
        pricing: { prompt: '0.00000022', completion: '0.000001', input_cache_read: '0.00000005' },
      },
      { id: 'free/model', pricing: { prompt: '0', completion: '0' } },
      { id: 'auto', pricing: { prompt: '-1', completion: '-1' } },
      { id: 'llama-3', context_window: 131_072, max_completion_tokens: 32_768 },
      { id: 'devstral', max_context_length: 128_000, capabilities: { completion_chat: true, function_calling: true, vision: false } },
      { id: 'mistral-ocr', capabilities: { completion_chat: false } },
      { id: 'served', max_model_len: 32_768 },
      { id: 'local.gguf', meta: { n_ctx_train: 8192 } },
      { id: 'text-embedding-nomic' },
      { id: 'painter', architecture: { output_modalities: ['image'] } },
    ];
    assert.deepEqual(await list('openrouter', { '/v1/models': { body: { data } } }), [
      {
        id: 'qwen/qwen3-coder',
        label: 'Qwen3 Coder',
        contextWindow: 262_144,
        maxOutput: 66_000,
        vision: true,
        tools: true,
        reasoning: false,
        prices: { input: 0.22, output: 1, cached: 0.05 },
      },
      { id: 'free/model', prices: { input: 0, output: 0 } },
      { id: 'auto' },
      { id: 'llama-3', contextWindow: 131_072, maxOutput: 32_768 },
      { id: 'devstral', contextWindow: 128_000, vision: false, tools: true },
      { id: 'served', contextWindow: 32_768 },
      { id: 'local.gguf', contextWindow: 8192 },
    ]);
  });

  const refusals: [string, Route, RegExp, ModelError['kind']][] = [
    ['a bad key', { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}.` } } }, /refused the API key/, 'auth'],
    ['no credit', { status: 402, body: { error: { message: 'Insufficient balance' } } }, /credit or quota is used up/, 'no_credit'],
    ['a page', { type: 'text/html', body: '<html><title>Welcome</title></html>' }, /a web page, not an API/, 'invalid_request'],
    ['a page that is an error', { status: 404, type: 'text/html', body: '<html><title>Lost</title></html>' }, /Lost/, 'invalid_request'],
  ];
  const paths: Record<string, [list: string, base: string]> = {
    openai: ['/v1/models', '/v1'],
    groq: ['/v1/models', '/v1'],
    anthropic: ['/v1/models', ''],
    gemini: ['/v1/models', ''],
    ollama: ['/api/tags', ''],
  };
  for (const [provider, [path, base]] of Object.entries(paths)) {
    for (const [what, route, expected, kind] of refusals) {
      it(`explains a failure in one sentence: ${what} (${provider})`, async () => {
        const error = await list(provider, { [path]: route }, base).then(
          () => assert.fail('it was accepted'),
          (error: unknown) => error,
        );
        assert.ok(error instanceof ModelError, inspect(error));
        assert.match(error.message, expected);
        assert.equal(error.kind, kind);
        assert.match(error.message, /^[^\n]*\.$/);
        assert.ok(!inspect(error, { depth: 9 }).includes(KEY));
      });
    }

    it(`says that no server answers (${provider})`, async () => {
      const error = await listModels(provider, { apiKey: KEY, baseUrl: 'http://127.0.0.1:1/v1' }, never).catch((error: unknown) => error);
      assert.ok(error instanceof ModelError && error.kind === 'network', inspect(error));
      assert.match(error.message, /could not be reached/);
    });

    it(`ends when it is cancelled (${provider})`, async () => {
      server = await startListServer({ [path]: 'silence' });
      const controller = new AbortController();
      const listing = listModels(provider, { apiKey: KEY, baseUrl: server.url + base }, controller.signal);
      setTimeout(() => controller.abort(), 50);
      await assert.rejects(listing, { name: 'AbortError' });
    });
  }

  it('sends no request without a key or an address', async () => {
    await assert.rejects(listModels('groq', {}, never), /There is no key for Groq\. To add it/);
    await assert.rejects(listModels('azure', { apiKey: KEY }, never), /There is no address for Azure OpenAI/);
  });
});

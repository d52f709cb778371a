import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { type Connection, type ConnectPorts, connectFlow } from '../../../../src/hosts/vscode/models/connect-flow.ts';
import { type Ask, BACK } from '../../../../src/hosts/vscode/models/prompts.ts';
import { startListServer } from '../../../support/list-server.ts';
import { type ResponsesServer, startResponsesServer, type Turn } from '../../../support/responses-server.ts';

const KEY = 'sk-secret-0123456789abcdef';
const SAFE = 'The key is stored in VS Code’s secret storage and sent only to the service.';
const CALL: Turn = { calls: [{ name: 'note_word', input: { word: 'harbour' } }] };

/** The user's answers to the questions, in order: a choice by the beginning of its label, typed text, going back, or leaving. */
type Deed = string | typeof BACK | undefined;

type Flow = { saved: Connection[]; seen: string[]; offers: string[][]; filled: Record<string, string | undefined> };

async function connect(deeds: Deed[], ports: Partial<ConnectPorts> = {}): Promise<Flow> {
  const flow: Flow = { saved: [], seen: [], offers: [], filled: {} };
  const next = (question: string): Deed => {
    flow.seen.push(question);
    if (deeds.length === 0) assert.fail(`Nobody answers: ${question}`);
    return deeds.shift();
  };
  const ask: Ask = {
    async pick({ title, choices, typed }) {
      flow.offers.push(choices.map(({ label }) => label));
      const deed = next(title);
      if (typeof deed !== 'string') return deed;
      const choice = choices.find(({ label }) => label.startsWith(deed)) ?? typed?.(deed);
      return choice ? choice.value : assert.fail(`${deed} is not among ${choices.map(({ label }) => label).join(', ')}`);
    },
    async input({ title, prompt, value, validate, actions = [] }) {
      flow.filled[title] = value;
      flow.seen.push(prompt);
      if (actions.length > 0) flow.offers.push(actions.map(({ label }) => label));
      const deed = next(title);
      const action = typeof deed === 'string' && actions.find(({ label }) => deed !== '' && label.startsWith(deed));
      if (action) return action.value;
      const problem = typeof deed === 'string' ? validate?.(deed) : undefined;
      if (problem) flow.seen.push(problem);
      return problem ? undefined : deed;
    },
    async trouble(message, answers) {
      flow.offers.push([...answers]);
      const deed = next(message);
      return typeof deed === 'string' ? (answers.find((answer) => answer === deed) ?? assert.fail(`no ${deed}`)) : undefined;
    },
    progress: (title, work) => {
      flow.seen.push(title);
      return work(new AbortController().signal);
    },
  };
  await connectFlow({
    ask,
    env: {},
    configOf: async () => ({}),
    ollama: async () => undefined,
    save: async (connection) => void flow.saved.push(connection),
    ...ports,
  });
  assert.deepEqual(deeds, [], 'all was asked');
  assert.ok(!inspect(flow.seen).includes(KEY), 'a key is never shown');
  return flow;
}

describe('connecting a model', () => {
  let server: ResponsesServer;
  const serve = async (...turns: Turn[]) => {
    server = await startResponsesServer({ apiKey: KEY, models: ['alpha', 'beta'], turns });
  };
  afterEach(() => server?.close());
  const there = (): Deed[] => ['OpenAI', 'Use another address', server.url];

  it('asks for service, key and model, tests them, and stores everything at the end', async () => {
    await serve(CALL);
    const { saved, seen } = await connect([...there(), KEY, 'beta', 'All modes']);
    assert.deepEqual(saved, [
      {
        ref: { provider: 'openai', model: 'beta' },
        apiKey: KEY,
        baseUrl: server.url,
        calls: 'native',
        models: [{ id: 'alpha' }, { id: 'beta' }],
      },
    ]);
    assert.deepEqual(seen, [
      'Kedge: Connect a Model',
      SAFE,
      'OpenAI: key',
      'Enter the base URL of a gateway, or leave the field empty to use the service itself',
      'OpenAI: address',
      `${SAFE} Leave the field empty to use no key.`,
      'OpenAI: key',
      'Getting the models of OpenAI…',
      'OpenAI: model',
      'Testing a tool call with beta…',
      'beta: modes',
    ]);
  });

  it('can be limited to one mode', async () => {
    await serve(CALL);
    const { saved } = await connect([...there(), KEY, 'alpha', 'Plan only']);
    assert.equal(saved[0]?.mode, 'plan');
  });

  it('offers keys of the environment and the stored key, and uses none without a choice', async () => {
    await serve(CALL, CALL);
    const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: 'another' };
    const configOf = async () => ({ apiKey: 'old-key', baseUrl: server.url });
    const { saved, offers } = await connect(['OpenAI', 'Use the key found in $OPENAI_API_KEY', 'alpha', 'All modes'], { env, configOf });
    assert.equal(saved[0]?.apiKey, KEY);
    assert.deepEqual(offers[1], ['Use the key found in $OPENAI_API_KEY', 'Use no key', 'Use another address…']);
    const stored = await connect(['OpenAI', '', 'alpha', 'All modes'], {
      env,
      configOf: async () => ({ apiKey: KEY, baseUrl: server.url }),
    });
    assert.equal(stored.saved[0]?.apiKey, KEY, 'the stored key, where nothing is typed');
    assert.deepEqual((await connect(['OpenAI', undefined], { env, configOf })).saved, [], 'leaving stores nothing');
  });

  it('says where a stored key would be sent, if the address is new', async () => {
    await serve(CALL);
    const { seen } = await connect([...there(), undefined], { configOf: async () => ({ apiKey: KEY }) });
    assert.equal(seen.at(-2), `${SAFE} Leave the field empty to use the stored key at ${new URL(server.url).host}.`);
  });

  it('says that a key was refused, and asks for another', async () => {
    await serve(CALL);
    const { seen, saved } = await connect([...there(), 'sk-wrong-key', 'Enter Another Key', KEY, 'alpha', 'All modes']);
    const said = seen.find((text) => text.includes('refused'));
    assert.match(said ?? '', /^OpenAI \(127\.0\.0\.1:\d+\) refused the API key .*\.$/);
    assert.ok(!said?.includes('sk-wrong-key'));
    assert.equal(saved[0]?.apiKey, KEY);
  });

  it('says that no server answers, and asks for another address', async () => {
    await serve(CALL);
    const start = ['OpenAI', 'Use another address', 'http://127.0.0.1:1/v1', KEY];
    const { seen, saved } = await connect([...start, 'Change Address', server.url, KEY, 'alpha', 'All modes']);
    assert.ok(seen.some((text) => /could not be reached/.test(text)));
    assert.equal(saved[0]?.baseUrl, server.url);
  });

  it('says what a model cannot do, and lets the user choose another or use it anyway', async () => {
    await serve(
      { fail: { status: 404, message: 'The model alpha does not exist', code: 'model_not_found' } },
      ...Array(4).fill({ text: 'Ahoy.' }),
    );
    const { seen, saved } = await connect([
      ...there(),
      ...[KEY, 'alpha', 'Choose Another Model', 'beta', 'Choose Another Model', 'beta', 'Use Anyway', 'Ask only'],
    ]);
    assert.ok(seen.some((text) => /does not know the model/.test(text)));
    assert.ok(seen.some((text) => /did not call the tool/.test(text)));
    assert.equal(seen.filter((text) => text.startsWith('Getting the models')).length, 1, 'the list is asked for once');
    assert.equal(saved[0]?.ref.model, 'beta');
  });

  it('says that the credit is used up', async () => {
    await serve({ fail: { status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' } });
    const { seen, offers, saved } = await connect([...there(), KEY, 'alpha', undefined, undefined]);
    assert.ok(seen.some((text) => /credit or quota is used up.*add credit/.test(text)));
    assert.deepEqual(offers.at(-2), ['Choose Another Model', 'Use Anyway']);
    assert.deepEqual(saved, []);
  });

  for (const [what, list] of Object.entries({
    'is not found': { status: 404, body: { error: { message: 'Not found.' } } },
    'is a page': { type: 'text/html', body: '<html><title>Welcome</title></html>' },
    'is not a list': { body: { object: 'error' } },
    'is empty': { body: { data: [] } },
  })) {
    it(`asks for the name of a model if the list ${what}, and tests that model`, async () => {
      const bare = await startListServer({ '/v1/models': list, '/v1/chat/completions': { body: '{"choices":[]}' } });
      const baseUrl = `${bare.url}/v1`;
      const deeds = ['OpenAI-compatible', baseUrl, '', 'mine', 'Choose Another Model', 'mine', 'Use Anyway', 'All modes'];
      const { seen, saved, filled } = await connect(deeds);
      assert.ok(seen.some((text) => text.startsWith(`The server at ${baseUrl} does not list its models.`)));
      assert.equal(seen.filter((text) => text === 'Testing a tool call with mine…').length, 2);
      assert.equal(filled['OpenAI-compatible: name of the model'], 'mine', 'the name is still there');
      assert.deepEqual(saved[0], { ref: { provider: 'openai-chat', model: 'mine' }, baseUrl, models: [] });
      assert.equal(bare.requests.filter(({ path }) => path === '/v1/models').length, 1, 'the list is asked for once');
      await bare.close();
    });
  }

  it('keeps a typed address and key that do not work', async () => {
    await serve(CALL);
    const nowhere = 'http://127.0.0.1:1/v1';
    const start: Deed[] = ['OpenAI', 'Use another address', nowhere, KEY, 'Try Again', 'Try Again', undefined];
    const back: Deed[] = [BACK, 'OpenAI', 'Use another address', BACK, 'Use another address', server.url];
    const { filled, saved } = await connect([...start, ...back, KEY, 'alpha', 'All modes']);
    assert.equal(filled['OpenAI: address'], nowhere);
    assert.deepEqual([saved[0]?.apiKey, saved[0]?.baseUrl], [KEY, server.url]);
    const refused = await connect([...there(), 'sk-wrong-key', 'Enter Another Key', undefined]);
    assert.equal(refused.filled['OpenAI: key'], 'sk-wrong-key');
  });

  it('does not use the typed data of one service for another', async () => {
    await serve(CALL);
    const { filled } = await connect([...there(), KEY, BACK, BACK, 'Groq', 'Use another address', undefined]);
    assert.equal(filled['Groq: key'], '');
    assert.ok(!filled['Groq: address']?.includes(server.url));
  });

  it('tests a local model, says that it writes calls in its text, and needs no key', async () => {
    const said = ['No.', '{"name": "note_word", "arguments": {"word": "harbour"}}'];
    const ollama = await startListServer({
      '/api/tags': { body: { models: [{ name: 'small:1b', model: 'small:1b', digest: 'abc' }] } },
      '/api/show': { body: { capabilities: ['completion'], model_info: { 'llama.context_length': 32_768 } } },
      '/api/chat': () => ({
        type: 'application/x-ndjson',
        body: `${JSON.stringify({ model: 'small:1b', message: { role: 'assistant', content: said.shift() }, done: true, done_reason: 'stop' })}\n`,
      }),
    });
    const { saved } = await connect(['Ollama', ollama.url, '', 'small:1b', 'All modes']);
    const models = [{ id: 'small:1b', contextWindow: 32_768, vision: false, tools: false, reasoning: false, digest: 'abc' }];
    assert.deepEqual(saved, [{ ref: { provider: 'ollama', model: 'small:1b' }, calls: 'text', baseUrl: ollama.url, models }]);
    await ollama.close();
  });

  it('goes back step by step without losing results', async () => {
    await serve(CALL, CALL);
    const { seen, saved } = await connect([...there(), BACK, ...there(), KEY, BACK, KEY, 'alpha', BACK, 'beta', 'All modes']);
    assert.equal(saved[0]?.ref.model, 'beta');
    assert.equal(seen.filter((text) => text.startsWith('Getting the models')).length, 1, 'once, for the key is the same');
  });

  it('rejects an address that contains a secret or is invalid', async () => {
    await serve(CALL);
    for (const [address, problem] of [
      ['https://me:secret@host/v1', /Remove keys and passwords/],
      ['https://host/v1?key=secret', /Remove keys and passwords/],
      ['host/v1', /must begin with https/],
      ['file:///etc/passwd', /must begin with https/],
    ] as const) {
      const { seen } = await connect(['OpenAI', 'Use another address', address]);
      assert.match(seen.at(-1) ?? '', problem);
    }
    assert.match((await connect(['Azure', ''])).seen.at(-1) ?? '', /Enter the address/);
  });
});

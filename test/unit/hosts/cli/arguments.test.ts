import assert from 'node:assert/strict';
import { initPrompt } from '../../../../src/core/words/slash-commands.ts';
import { bareAddress } from '../../../../src/hosts/cli/options/addresses.ts';
import { parseCommand, UsageError } from '../../../../src/hosts/cli/options/arguments.ts';
import { chosenModel, missingKey, providerConfig } from '../../../../src/hosts/cli/options/environment.ts';

const parse = (line: string) => parseCommand(line.split(' ').filter(Boolean));
const plain = { folders: ['.'], json: false, yes: false, runPlan: false, limits: {}, budget: {} };

describe('the command line', () => {
  const understood: [string, object][] = [
    ['ask where is it', { action: 'prompt', mode: 'ask', prompt: ['where', 'is', 'it'] }],
    ['plan - now', { action: 'prompt', mode: 'plan', prompt: ['-', 'now'] }],
    ['agent -y --json go', { action: 'prompt', mode: 'agent', prompt: ['go'], yes: true, json: true }],
    ['--model a/b ask x', { action: 'prompt', mode: 'ask', prompt: ['x'], model: 'a/b' }],
    ['ask --folder a --folder=b x', { action: 'prompt', mode: 'ask', prompt: ['x'], folders: ['a', 'b'] }],
    ['ask --max-turns 3 x', { action: 'prompt', mode: 'ask', prompt: ['x'], limits: { turns: 3 } }],
    [
      'agent --max-calls 9 --max-minutes 0.5 --max-tokens 5000 --max-usd .25 x',
      { action: 'prompt', mode: 'agent', prompt: ['x'], limits: { callsPerRun: 9, minutes: 0.5 }, budget: { tokens: 5000, usd: 0.25 } },
    ],
    [
      'ask --max-usd 1 --price 0.5/2 x',
      { action: 'prompt', mode: 'ask', prompt: ['x'], budget: { usd: 1 }, price: { input: 0.5, output: 2 } },
    ],
    ['ask -- --help', { action: 'prompt', mode: 'ask', prompt: ['--help'] }],
    ['ask -- --continue', { action: 'prompt', mode: 'ask', prompt: ['--continue'] }],
    ['--continue', { action: 'continue', session: 'last', prompt: [] }],
    [
      '--continue 20261121T035359-11928d90 --run-plan',
      { action: 'continue', session: '20261121T035359-11928d90', prompt: [], runPlan: true },
    ],
    ['--continue nosuch', { action: 'continue', session: 'nosuch', prompt: [] }],
    ['--continue nosuch --run-plan', { action: 'continue', session: 'nosuch', prompt: [], runPlan: true }],
    ['--continue ask x', { action: 'prompt', mode: 'ask', session: 'last', prompt: ['x'] }],
    ['--continue and then', { action: 'continue', session: 'last', prompt: ['and', 'then'] }],
    ['agent --continue last go on', { action: 'prompt', mode: 'agent', session: 'last', prompt: ['go', 'on'] }],
    ['init', { action: 'prompt', mode: 'agent', prompt: [initPrompt('')], shown: 'kedge init' }],
    ['init in German', { action: 'prompt', mode: 'agent', prompt: [initPrompt('in German')], shown: 'kedge init in German' }],
    ['remember --all use make', { action: 'other', name: 'remember', words: ['use', 'make'], all: true }],
    ['remember', { action: 'other', name: 'remember', words: [], all: false }],
    ['ask --surroundings none x', { action: 'prompt', mode: 'ask', prompt: ['x'], surroundings: [] }],
    ['ask --surroundings git,date x', { action: 'prompt', mode: 'ask', prompt: ['x'], surroundings: ['date', 'git'] }],
    ['undo', { action: 'other', name: 'undo', words: [], all: false }],
    ['undo 12ab', { action: 'other', name: 'undo', words: ['12ab'], all: false }],
    ['models', { action: 'other', name: 'models', words: [], all: false }],
    ['acp --yes', { action: 'acp', yes: true }],
    ['config set mode ask', { action: 'other', name: 'config', words: ['set', 'mode', 'ask'], all: false }],
    ['-q --no-bell ask x', { action: 'prompt', mode: 'ask', prompt: ['x'], quiet: true, bell: false }],
    [
      'ask --temperature 0 --max-output-tokens 900 --system=Briefly x',
      { action: 'prompt', mode: 'ask', prompt: ['x'], temperature: 0, maxOutputTokens: 900, system: 'Briefly' },
    ],
    ['ask --help', { action: 'help', topic: 'ask' }],
    ['help config', { action: 'help', topic: 'config' }],
    ['--help', { action: 'help' }],
    ['-v', { action: 'version' }],
  ];
  for (const [line, expected] of understood)
    it(`understands kedge ${line}`, () => assert.deepEqual(parse(line), { ...plain, ...expected }));

  const refused: [string, RegExp][] = [
    ['', /^The request is missing\. Write kedge ask, kedge plan or kedge agent/],
    ['ask', /^The request is missing\. For example: kedge ask "/],
    ['fix it', /^"fix" is not a command\. Put ask, plan or agent/],
    ['ask --colour x', /^Unknown option '--colour'\. See kedge --help\.$/],
    ['ask x --model', /argument missing.*See kedge --help\.$/],
    ['ask x --model=', /^--model must be a provider and a model, such as /],
    ['ask x --max-turns 0', /^--max-turns must be a whole number of at least 1, not "0"\.$/],
    ['ask x --max-turns=many', /not "many"/],
    ['ask x --max-tokens 1.5', /^--max-tokens must be a whole number of at least 1, not "1\.5"\.$/],
    ['ask x --surroundings date,files', /^--surroundings must be none, or a list such as system,date,folders,git, not "date,files"\.$/],
    ['ask x --price 2', /^--price must be the input and output price in US dollars per million tokens, such as 0\.5\/2, not "2"\.$/],
    ['ask x --max-usd=-1', /^--max-usd must be a number greater than 0, such as 0\.5, not "-1"\.$/],
    ['ask x --temperature 3', /^--temperature must be a number from 0 to 2, not "3"\.$/],
    ['ask x --temperature=', /^--temperature must be a number from 0 to 2, not ""\.$/],
    ['ask x --max-output-tokens 0', /^--max-output-tokens must be a whole number of at least 1, not "0"\.$/],
    ['ask x --base-url ftp://a', /^--base-url must be an address such as http/],
  ];
  for (const [line, message] of refused) {
    it(`refuses kedge ${line}`, () => {
      assert.throws(
        () => parse(line),
        (error) => error instanceof UsageError && message.test(error.message) && !error.message.includes('\n'),
      );
    });
  }
});

it('a quoted request without a mode is a request, and a single word is not, because it may be a misspelled command', () => {
  assert.deepEqual(parseCommand(['where is it?']), { ...plain, action: 'prompt', prompt: ['where is it?'] });
  assert.throws(() => parseCommand(['sesions']), /is not a command/);
});

describe('an address', () => {
  it('is stored without parts that may be secret', () => {
    assert.equal(bareAddress('http://me:secret@127.0.0.1:9/v1?key=secret#secret'), 'http://127.0.0.1:9/v1');
  });
});

describe('the environment', () => {
  it('selects the model when the command line does not', () => {
    assert.deepEqual(chosenModel('openai/x', { KEDGE_MODEL: 'offline' }), { provider: 'openai', model: 'x' });
    assert.deepEqual(chosenModel(undefined, { KEDGE_MODEL: 'offline' }), { provider: 'offline', model: 'offline' });
    assert.equal(chosenModel(undefined, {}), undefined);
    assert.throws(() => chosenModel('nobody/x', {}), UsageError);
  });

  it('has a key for each provider, and KEDGE_ takes precedence', () => {
    const env = { OPENAI_API_KEY: 'a', OPENAI_BASE_URL: 'http://a', OPENAI_CHAT_API_KEY: 'c' };
    assert.deepEqual(providerConfig('openai', undefined, env), { apiKey: 'a', baseUrl: 'http://a' });
    assert.deepEqual(providerConfig('openai-chat', undefined, env), { apiKey: 'c' });
    assert.deepEqual(providerConfig('anthropic', undefined, env), {});
    const own = { ...env, KEDGE_API_KEY: 'k', KEDGE_BASE_URL: 'http://k' };
    assert.deepEqual(providerConfig('openai', undefined, own), { apiKey: 'k', baseUrl: 'http://k' });
    assert.deepEqual(providerConfig('openai', 'http://o', own), { apiKey: 'k', baseUrl: 'http://o' });
  });

  it('sets how long a server may be silent', () => {
    assert.deepEqual(providerConfig('openai', undefined, { KEDGE_SERVER_TIMEOUT: '30' }), { silenceMs: 30_000 });
    for (const wrong of ['soon', '0', '3000', '-1'])
      assert.throws(() => providerConfig('openai', undefined, { KEDGE_SERVER_TIMEOUT: wrong }), UsageError);
  });

  it('is reported with the missing variable', () => {
    const model = { provider: 'openai', model: 'x' };
    assert.match(missingKey(model, {}) ?? '', /Set OPENAI_API_KEY \(or KEDGE_API_KEY\)/);
    assert.equal(missingKey(model, { baseUrl: 'http://127.0.0.1' }), undefined);
    assert.equal(missingKey({ provider: 'offline', model: 'offline' }, {}), undefined);
  });
});

import assert from 'node:assert/strict';
import {
  CATALOG,
  catalogEntry,
  catalogModels,
  completeConfig,
  factsOf,
  missingConfig,
  modelText,
  parseModelRef,
} from '../../../src/providers/catalog.ts';
import { FACTS } from '../../../src/providers/catalog-data.ts';

const entry = (id: string) => catalogEntry(id) ?? assert.fail(`no ${id}`);

describe('the catalogue', () => {
  it('names a model by its provider, up to the first slash', () => {
    assert.deepEqual(parseModelRef('openrouter/qwen/qwen3-coder'), { provider: 'openrouter', model: 'qwen/qwen3-coder' });
    assert.deepEqual(parseModelRef('openai/gpt-6.1-sol'), { provider: 'openai', model: 'gpt-6.1-sol' });
    assert.deepEqual(parseModelRef('anthropic'), { provider: 'anthropic', model: 'claude-sonnet-5-5' });
    assert.throws(() => parseModelRef('nobody/model'), /Unknown model "nobody\/model"/);
  });

  it('writes a reference as it reads it', () => {
    for (const { id, defaultModel } of CATALOG) {
      const ref = { provider: id, model: defaultModel };
      assert.deepEqual(parseModelRef(modelText(ref)), ref);
    }
  });

  it('has every preset at a safe address, and local ones on this computer', () => {
    for (const { id, baseUrl, local } of CATALOG) {
      if (baseUrl) assert.match(baseUrl, local ? /^http:\/\/127\.0\.0\.1:\d+/ : /^https:\/\//, id);
    }
    for (const id of ['openrouter', 'groq', 'deepseek', 'mistral', 'xai', 'azure', 'lmstudio', 'vllm', 'llamacpp']) entry(id);
  });

  it('lets the service win over itself, and the user over both', () => {
    const ref = { provider: 'openai', model: 'gpt-6.1-sol' };
    assert.equal(factsOf(ref).contextWindow, 1_050_000);
    assert.equal(factsOf(ref, { contextWindow: 400_000 }).contextWindow, 400_000);
    assert.equal(factsOf(ref, { contextWindow: 400_000 }, { contextWindow: 8_000 }).contextWindow, 8_000);
    assert.equal(factsOf(ref, { contextWindow: 400_000 }).prices?.input, 2, 'what nobody else says stays');
    assert.deepEqual(factsOf({ provider: 'vllm', model: 'mine' }), {}, 'unknown is undefined');
    assert.deepEqual(factsOf({ provider: 'vllm', model: 'mine' }, undefined, { maxOutput: 5 }), { maxOutput: 5 });
  });

  it('knows facts of its own providers only, and the default models of the large ones', () => {
    for (const name of Object.keys(FACTS)) assert.doesNotThrow(() => parseModelRef(name));
    for (const id of ['openai', 'anthropic', 'gemini']) assert.ok(catalogModels(id).includes(entry(id).defaultModel), id);
  });

  it('says what a configuration lacks', () => {
    assert.equal(missingConfig(entry('groq'), {}), 'key');
    assert.equal(missingConfig(entry('groq'), { apiKey: 'k' }), undefined);
    assert.equal(missingConfig(entry('openai'), { baseUrl: 'http://gateway' }), undefined);
    assert.equal(missingConfig(entry('azure'), { apiKey: 'k' }), 'address', 'its key would go to somebody else');
    assert.equal(missingConfig(entry('openai-chat'), { apiKey: 'k' }), 'address');
    assert.equal(missingConfig(entry('lmstudio'), {}), undefined);
    assert.equal(missingConfig(entry('ollama'), {}), undefined);
  });

  it('adds the address of the preset, unless the user has one', () => {
    assert.deepEqual(completeConfig(entry('groq'), { apiKey: 'k' }), {
      apiKey: 'k',
      baseUrl: 'https://api.groq.com/openai/v1',
      provider: { id: 'groq', label: 'Groq' },
    });
    assert.equal(completeConfig(entry('groq'), { baseUrl: 'http://mine' }).baseUrl, 'http://mine');
  });
});

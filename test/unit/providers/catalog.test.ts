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
  it('parses a model reference at the first slash', () => {
    assert.deepEqual(parseModelRef('openrouter/qwen/qwen3-coder'), { provider: 'openrouter', model: 'qwen/qwen3-coder' });
    assert.deepEqual(parseModelRef('openai/gpt-6.1-sol'), { provider: 'openai', model: 'gpt-6.1-sol' });
    assert.deepEqual(parseModelRef('anthropic'), { provider: 'anthropic', model: 'claude-sonnet-5-5' });
    assert.throws(() => parseModelRef('nobody/model'), /Unknown model "nobody\/model"/);
  });

  it('writes a reference in the form that it parses', () => {
    for (const { id, defaultModel } of CATALOG) {
      const ref = { provider: id, model: defaultModel };
      assert.deepEqual(parseModelRef(modelText(ref)), ref);
    }
  });

  it('has only secure addresses, and local addresses for local servers', () => {
    for (const { id, baseUrl, local } of CATALOG) {
      if (baseUrl) assert.match(baseUrl, local ? /^http:\/\/127\.0\.0\.1:\d+/ : /^https:\/\//, id);
    }
    for (const id of ['openrouter', 'groq', 'deepseek', 'mistral', 'xai', 'azure', 'lmstudio', 'vllm', 'llamacpp']) entry(id);
  });

  it('gives the service precedence over itself, and the user over both', () => {
    const ref = { provider: 'openai', model: 'gpt-6.1-sol' };
    assert.equal(factsOf(ref).contextWindow, 1_050_000);
    assert.equal(factsOf(ref, { contextWindow: 400_000 }).contextWindow, 400_000);
    assert.equal(factsOf(ref, { contextWindow: 400_000 }, { contextWindow: 8_000 }).contextWindow, 8_000);
    assert.equal(factsOf(ref, { contextWindow: 400_000 }).prices?.input, 2, 'what nobody else says stays');
    assert.deepEqual(factsOf({ provider: 'vllm', model: 'mine' }), {}, 'unknown is undefined');
    assert.deepEqual(factsOf({ provider: 'vllm', model: 'mine' }, undefined, { maxOutput: 5 }), { maxOutput: 5 });
  });

  it('has facts about models of its own providers only, and about the default models of the large ones', () => {
    for (const name of Object.keys(FACTS)) assert.doesNotThrow(() => parseModelRef(name));
    for (const id of ['openai', 'anthropic', 'gemini']) assert.ok(catalogModels(id).includes(entry(id).defaultModel), id);
  });

  it('says what is missing in a configuration', () => {
    assert.equal(missingConfig(entry('groq'), {}), 'key');
    assert.equal(missingConfig(entry('groq'), { apiKey: 'k' }), undefined);
    assert.equal(missingConfig(entry('openai'), { baseUrl: 'http://gateway' }), undefined);
    assert.equal(missingConfig(entry('azure'), { apiKey: 'k' }), 'address', 'its key would go to somebody else');
    assert.equal(missingConfig(entry('openai-chat'), { apiKey: 'k' }), 'address');
    assert.equal(missingConfig(entry('lmstudio'), {}), undefined);
    assert.equal(missingConfig(entry('ollama'), {}), undefined);
  });

  it('adds the default address unless the user has configured one', () => {
    assert.deepEqual(completeConfig(entry('groq'), { apiKey: 'k' }), {
      apiKey: 'k',
      baseUrl: 'https://api.groq.com/openai/v1',
      provider: { id: 'groq', label: 'Groq' },
    });
    assert.equal(completeConfig(entry('groq'), { baseUrl: 'http://mine' }).baseUrl, 'http://mine');
  });
});

import assert from 'node:assert/strict';
import { type Probe, probeModel, suitability } from '../../../src/app/models/probe.ts';
import { ModelError, type ModelEvent } from '../../../src/core/model/model.ts';
import { call, hang, type ScriptedTurn, say, scriptedAdapter, turn } from '../../../src/providers/scripted/index.ts';

const NATIVE = turn(call('note_word', { word: 'harbour' }, 'c'));
const WRITTEN = turn(say('<tool_call>\n{"name": "note_word", "arguments": {"word": "harbour"}}\n</tool_call>'));

function refuse(error: Error): ScriptedTurn {
  // biome-ignore lint/correctness/useYield: it fails before it yields anything
  return async function* (): AsyncGenerator<ModelEvent> {
    throw error;
  };
}

async function probe(script: ScriptedTurn[], { signal = new AbortController().signal, timeoutMs = 10_000 } = {}) {
  const adapter = scriptedAdapter(script);
  const result = await probeModel(adapter, 'small:1b', signal, timeoutMs);
  return { result, requests: adapter.requests };
}

describe('the test of a model', () => {
  const refused = new ModelError('invalid_request', 'small:1b does not support tools');
  const cases: [title: string, script: ScriptedTurn[], expected: Probe][] = [
    ['a native call', [NATIVE], { calls: 'native', follows: true }],
    ['a native call with another word', [turn(call('note_word', { word: 'tree' }, 'c'))], { calls: 'native', follows: false }],
    ['a written call', [turn(say('I cannot.')), WRITTEN], { calls: 'text', follows: true }],
    ['a written call where tools are refused', [refuse(refused), WRITTEN], { calls: 'text', follows: true }],
    ['the word only', [turn(say('Harbour.')), turn(say('harbour'))], { calls: 'none', follows: true }],
    ['talk', [turn(say('Once upon a time there was a harbour by the sea.')), turn(say('Hello!'))], { calls: 'none', follows: false }],
  ];
  for (const [title, script, expected] of cases) it(title, async () => assert.deepEqual((await probe(script)).result, expected));

  it('first uses native calls, then calls in text', async () => {
    const { requests } = await probe([turn(say('No.')), WRITTEN]);
    assert.deepEqual(
      requests.map(({ tools }) => tools.length),
      [1, 0],
    );
  });

  it('has no result when the time is over', async () => {
    assert.equal((await probe([hang()], { timeoutMs: 20 })).result, undefined);
  });

  it('can be stopped', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    await assert.rejects(probe([hang()], { signal: controller.signal }), { name: 'AbortError' });
  });

  it('throws errors that say nothing about the model', async () => {
    await assert.rejects(probe([refuse(new ModelError('network', 'Nobody there.'))]), /Nobody there/);
  });
});

describe('the suitability', () => {
  const good: Probe = { calls: 'native', follows: true };

  it('of a suitable model', () => {
    assert.deepEqual(suitability({ contextWindow: 32_768, probe: good }), { agent: true, tools: true });
    assert.deepEqual(suitability({}), { agent: true, tools: true });
  });

  it('of a model with a small context', () => {
    const { agent, reason, pull } = suitability({ contextWindow: 4096, probe: good });
    assert.equal(agent, false);
    assert.equal(pull, 'ollama pull qwen3:8b');
    assert.match(reason ?? '', /context of 4096 tokens .*`ollama pull qwen3:8b`/);
  });

  it('of a model that does not follow instructions, or cannot call tools', () => {
    assert.match(suitability({ probe: { calls: 'text', follows: false } }).reason ?? '', /did not follow/);
    const none = suitability({ probe: { calls: 'none', follows: true } });
    assert.deepEqual([none.agent, none.tools], [false, false]);
    assert.match(none.reason ?? '', /Ask mode without tools/);
  });

  it('suggests a model that fits into the memory', () => {
    const pullAt = (memoryGb: number) => suitability({ contextWindow: 2048, memoryGb }).pull;
    assert.deepEqual([4, 8, 12, 64].map(pullAt), [
      'ollama pull qwen3:4b',
      'ollama pull qwen3:4b',
      'ollama pull qwen3:8b',
      'ollama pull qwen3-coder:30b',
    ]);
  });
});

import assert from 'node:assert/strict';
import { isBetween, isCount, isFacts, isOneOf, isTexts, isThresholds } from '../../../../src/hosts/vscode/settings/settings-values.ts';

describe('the valid values of settings', () => {
  const prices = { input: 1, output: 0, long: { input: 2, output: 3, cached: 0.5, above: 200_000 } };
  const nobody = [undefined, null, 'x', 1, true, [], ['x']];

  it('facts of a model: each is validated, and none is required', () => {
    const facts = { label: 'L', contextWindow: 1, maxOutput: 2, vision: true, tools: false, reasoning: true, calls: 'text', prices };
    for (const right of [{}, facts, { label: undefined }, { another: 'name' }]) assert.ok(isFacts(right), JSON.stringify(right));
    const wrong = [
      ...nobody,
      { label: 1 },
      { contextWindow: 'much' },
      { contextWindow: 0 },
      { maxOutput: 1.5 },
      { vision: 'yes' },
      { calls: 'sometimes' },
      { label: null },
      { prices: { input: 1 } },
      { prices: { input: 1, output: -1 } },
      { prices: { ...prices, cached: '1' } },
      { prices: { ...prices, long: { input: 1, output: 1 } } },
    ];
    for (const each of wrong) assert.ok(!isFacts(each), JSON.stringify(each));
  });

  it('thresholds: percent', () => {
    for (const right of [{}, { moderatePercent: 0 }, { moderatePercent: 100, criticalPercent: 2.5 }]) assert.ok(isThresholds(right));
    for (const wrong of [...nobody, { moderatePercent: 101 }, { criticalPercent: -1 }, { criticalPercent: '5' }])
      assert.ok(!isThresholds(wrong));
  });

  it('headers: strings by name', () => {
    assert.ok(isTexts({}) && isTexts({ 'x-key': 'k' }));
    for (const wrong of [...nobody, { 'x-key': 1 }, { 'x-key': null }]) assert.ok(!isTexts(wrong));
  });

  it('numbers and strings', () => {
    assert.deepEqual([0, 2, -0.1, 2.1, Number.NaN, Infinity, '1'].map(isBetween(0, 2)), [true, true, false, false, false, false, false]);
    assert.deepEqual([1, 0, -1, 1.5, Number.NaN, Infinity, '1'].map(isCount), [true, false, false, false, false, false, false]);
    assert.deepEqual(['low', 'minimal', undefined].map(isOneOf('low', 'high')), [true, false, false]);
  });
});

import assert from 'node:assert/strict';
import { usdOf } from '../../../src/app/run/cost.ts';
import type { Cost, Usage } from '../../../src/core/model/messages.ts';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import { dollars } from '../../../src/core/words/amounts.ts';
import { factsOf } from '../../../src/providers/catalog.ts';
import { say, turn } from '../../../src/providers/scripted/index.ts';
import type { Prices } from '../../../src/providers/types.ts';
import { assistantOn, eventsOf } from '../../support/harness.ts';

const usage = (tokens: Usage): ModelEvent => ({ type: 'usage', usage: tokens });
const TODAY = new Date('2026-11-21T12:00:00Z');
const PRICES: Prices = { input: 2, output: 10, cached: 0.1 };
const SURCHARGED: Prices = { input: 2, output: 10, cached: 0.5, cacheWrite: 3 };

describe('the price of an answer', () => {
  const cases: [what: string, usd: number | undefined, usage: Usage, prices?: Prices | undefined, day?: string][] = [
    ['counts cached input apart', 0.00265, { input: 5500, output: 20, cached: 4500 }],
    ['counts reasoning as output, once', 0.012, { input: 1000, output: 1000, reasoning: 900 }],
    ['is unknown without prices', undefined, { input: 1, output: 1 }, undefined],
    ['is unknown without input', undefined, { output: 1 }],
    ['is unknown without output', undefined, { input: 1 }],
    ['is nothing where nothing is asked', 0, { input: 9, output: 9 }, { input: 0, output: 0 }],
    ['takes cached input for input where it has no price', 0.002, { input: 1000, output: 0, cached: 500 }, { input: 2, output: 10 }],
    ['asks a surcharge for what was written to the cache', 0.0145, { input: 6000, output: 0, cached: 1000, cacheWrite: 4000 }, SURCHARGED],
    ['takes that for input where it has no price', 0.008, { input: 4000, output: 0, cacheWrite: 4000 }],
    ['never has more written than there was', 0.0001, { input: 1000, output: 0, cached: 1000, cacheWrite: 900 }],
    ['never has more cached than there was', 0.0001, { input: 1000, output: 0, cached: 5000 }],
  ];
  for (const [what, expected, used, ...more] of cases) {
    it(what, () => {
      const usd = usdOf(used, more.length > 0 ? more[0] : PRICES, TODAY);
      if (expected === undefined) assert.equal(usd, undefined);
      else assert.ok(Math.abs((usd ?? Number.NaN) - expected) < 1e-9, `${usd} for ${expected}`);
    });
  }

  it('is higher for a long input', () => {
    const { prices } = factsOf({ provider: 'openai', model: 'gpt-6.1-sol' });
    assert.equal(usdOf({ input: 272_000, output: 0 }, prices, TODAY), 0.544);
    assert.equal(usdOf({ input: 300_000, output: 0 }, prices, TODAY), 1.2);
  });

  it('is a quarter higher for input that Anthropic caches for five minutes', () => {
    const { prices } = factsOf({ provider: 'anthropic', model: 'claude-sonnet-5-5' });
    assert.equal(usdOf({ input: 1_000_000, output: 0, cacheWrite: 1_000_000 }, prices, TODAY), 2.5);
  });

  it('changes on a given day', () => {
    const { prices } = factsOf({ provider: 'gemini', model: 'gemini-4-argon' });
    assert.equal(usdOf({ input: 1_000_000, output: 0 }, prices, new Date('2026-11-30T23:00:00Z')), 2);
    assert.equal(usdOf({ input: 1_000_000, output: 0 }, prices, new Date('2026-12-01T00:00:00Z')), 4);
  });
});

describe('the cost of a run and its session', () => {
  const MILLION = 1_000_000;
  const costs = (events: Parameters<typeof eventsOf>[0]): (Cost | undefined)[] =>
    eventsOf(events, 'run_finished').flatMap(({ cost, sessionCost }) => [cost, sessionCost]);

  it('is added up over turns and runs, also after a reload', async () => {
    const script = [
      turn(say('One.'), usage({ input: MILLION, output: 0 })),
      turn(say('Two.'), usage({ input: 0, output: MILLION })),
      turn(say('Three.'), usage({ input: MILLION, output: 0, cached: MILLION })),
    ];
    await using kedge = await assistantOn({}, script, { facts: () => ({ prices: PRICES }) });
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    assert.deepEqual(costs(kedge.events), [{ usd: 2 }, { usd: 2 }, { usd: 10 }, { usd: 12 }]);
    const again = await kedge.reload();
    await again.session.prompt({ text: 'three', mode: 'ask' });
    assert.deepEqual(costs(again.events), [{ usd: 0.1 }, { usd: 12.1 }]);
    assert.deepEqual(again.session.state.usage, { input: 2 * MILLION, output: MILLION, cached: MILLION });
  });

  it('names the number of answers without a price, and is empty if no answer has one', async () => {
    const script = [turn(say('One.')), turn(say('Two.'), usage({ input: MILLION, output: 0 }))];
    await using kedge = await assistantOn({}, script, { facts: () => ({ prices: PRICES }) });
    await kedge.session.prompt({ text: 'one', mode: 'ask' });
    await kedge.session.prompt({ text: 'two', mode: 'ask' });
    assert.deepEqual(costs(kedge.events), [undefined, undefined, { usd: 2 }, { usd: 2, unpriced: 1 }]);
  });

  it('is written with a useful number of digits', () => {
    const written = [0, 0.00042, 0.0123, 0.456, 12.3].map((usd) => dollars({ usd }));
    assert.deepEqual(written, ['$0.00', '$0.00042', '$0.012', '$0.46', '$12.30']);
    assert.equal(dollars({ usd: 1, unpriced: 2 }), '≥ $1.00');
  });
});

import assert from 'node:assert/strict';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type HarnessOptions, lastOf, resultTexts } from '../../support/harness.ts';

const go = { text: 'go', mode: 'ask' } as const;
const FILES = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.txt`, 'x\n']));
/** A server can send anything, so the events of these tests need not have their declared type. */
const given = (event: unknown) => event as ModelEvent;
const part = (fields: object) => given({ type: 'part', part: fields });
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('invalid token counts of a server do not defeat a budget', () => {
  const COUNTS: Record<string, object> = {
    negative: { input: -1_000, output: -100 },
    'zero tokens of a request': { input: 0, output: 0 },
    absent: {},
    texts: { input: '1000', output: 'x' },
    fractions: { input: 0.1, output: 0.1 },
    endless: { input: Number.POSITIVE_INFINITY, output: Number.NaN },
    lists: { input: [], output: {} },
    null: { input: null, output: null },
    'more from a cache than there was': { input: 1_000, output: 1, cached: 1e9, cacheWrite: -1e9 },
  };
  const BUDGETS: Record<string, HarnessOptions> = {
    tokens: { budgets: () => ({ run: { tokens: 10_000 }, day: {} }) },
    'tokens of the day': { budgets: () => ({ run: {}, day: { tokens: 10_000 } }) },
    money: { budgets: () => ({ run: { usd: 0.01 }, day: {} }), facts: () => ({ prices: { input: 1, output: 2 } }) },
  };
  for (const [counts, usage] of Object.entries(COUNTS)) {
    for (const [budget, options] of Object.entries(BUDGETS)) {
      it(`${counts}, with a budget of ${budget}`, async () => {
        const turns = Object.keys(FILES).map((path, index): ModelEvent[] => [
          part({ type: 'tool_call', id: `c${index}`, name: 'read_file', input: { path } }),
          given({ type: 'usage', usage }),
          { type: 'stop', reason: 'tool_use' },
        ]);
        await using kedge = await assistantOn(FILES, turns, options);
        await kedge.session.prompt(go);
        const { limit } = lastOf(kedge.events, 'budget_reached');
        assert.match(limit, /tokens$|usd$/);
        const [used] = [...kedge.session.state.runs.values()].map((run) => run.usage);
        for (const count of Object.values(used ?? {})) assert.ok(Number.isSafeInteger(count) && count >= 0, JSON.stringify(used));
        const reread = await kedge.reload();
        assert.equal(reread.session.damage, undefined);
        assert.deepEqual(reread.session.state.runs, kedge.session.state.runs);
      });
    }
  }
});

describe('an answer in an invalid form is rejected before it is logged', () => {
  const FORMLESS: Record<string, ModelEvent> = {
    'a call whose name is a number': part({ type: 'tool_call', id: 'c', name: 5, input: {} }),
    'a call without a name': part({ type: 'tool_call', id: 'c', input: {} }),
    'a call whose id is an object': part({ type: 'tool_call', id: {}, name: 'read_file', input: {} }),
    'text that is a number': part({ type: 'text', text: 5 }),
    'thoughts that are a list': part({ type: 'reasoning', text: [] }),
    'tokens of a service that are nested without an end': part({ type: 'reasoning', text: '', replay: nested(5_000) }),
    'a piece of text that is null': given({ type: 'text_delta', text: null }),
    'a piece of a call whose name is a number': given({ type: 'tool_input_delta', name: 5, text: '' }),
  };
  for (const [title, event] of Object.entries(FORMLESS)) {
    it(title, async () => {
      await using kedge = await assistantOn({}, [[event, { type: 'stop', reason: 'tool_use' }], turn(say('Done.'))]);
      await kedge.session.prompt(go);
      const { outcome, error } = lastOf(kedge.events, 'run_finished');
      assert.equal(outcome, 'failed');
      assert.equal(error?.kind, 'bad_stream');
      assert.match(error?.message ?? '', /Try again, or choose another model\.$/);
      const reread = await kedge.reload();
      assert.equal(reread.session.damage, undefined);
      await reread.session.prompt(go);
      assert.equal(lastOf(reread.events, 'run_finished').outcome, 'answered');
    });
  }

  it('reports a call with too deeply nested arguments to the model, which continues', async () => {
    for (const levels of [1_500, 100_000]) {
      await using kedge = await assistantOn({}, [turn(call('read_file', { path: nested(levels) })), turn(say('Done.'))]);
      await kedge.session.prompt(go);
      assert.deepEqual(resultTexts(kedge.session), ['ERROR The arguments are nested too deeply. Send them again in a flatter form.']);
      assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
      assert.equal(eventsOf(kedge.events, 'tool_started').length, 0);
      assert.equal((await kedge.reload()).session.damage, undefined);
    }
  });
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Budgets } from '../../../src/app/run/day-budget.ts';
import type { ModelEvent } from '../../../src/core/model/model.ts';
import type { RunBudget } from '../../../src/core/session/limits.ts';
import { reachedText } from '../../../src/core/words/budget-text.ts';
import { call, type ScriptedTurn, say, turn } from '../../../src/providers/scripted/index.ts';
import type { ModelFacts } from '../../../src/providers/types.ts';
import { assistantOn, eventsOf, type Harness, type HarnessOptions, lastOf } from '../../support/harness.ts';

const files = { 'a.txt': 'a' };
const usage = { type: 'usage', usage: { input: 900, output: 100 } } as const;
/** A turn that uses 1,000 tokens. If the prices are known, it costs a cent. */
const costly = (path: string): ScriptedTurn => turn(call('read_file', { path }), usage);
const done = turn(say('Done.'), usage);
const five = [...['a', 'b', 'c', 'd'].map((name) => costly(`${name}.txt`)), done];
const priced = (): ModelFacts => ({ prices: { input: 10, output: 10 } });

type All = Budgets & { run: RunBudget };
const budgets = (change: Partial<All>) => (): All => ({ day: {}, run: {}, ...change });

function on(script: ScriptedTurn[], change: Partial<All>, options: HarnessOptions = {}): Promise<Harness> {
  return assistantOn(files, script, { budgets: budgets(change), ...options });
}

const reached = ({ events }: Harness) => eventsOf(events, 'budget_reached').map(({ limit, max }) => `${limit} ${max}`);
const outcome = ({ session }: Harness) => session.state.lastRun?.outcome ?? session.state.lastRun?.pause;

describe('the budget of a run', () => {
  it('in tokens pauses the run with a summary, and the run continues with the same amount again', async () => {
    await using kedge = await on(five, { run: { tokens: 2_000 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual([kedge.adapter.requests.length, reached(kedge), outcome(kedge)], [2, ['tokens 2000'], 'limit']);
    assert.match(lastOf(kedge.events, 'run_paused').summary, /^So far 2 tool calls/);
    await kedge.session.resume();
    assert.deepEqual([kedge.adapter.requests.length, reached(kedge)], [4, ['tokens 2000', 'tokens 4000']]);
    await kedge.session.resume();
    assert.equal(outcome(kedge), 'answered');
  });

  it('in money counts known costs, and reports unknown ones', async () => {
    let known = true;
    await using kedge = await on(five, { run: { usd: 0.03 } }, { facts: () => (known ? priced() : {}) });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual([kedge.adapter.requests.length, reached(kedge)], [3, ['usd 0.03']]);
    assert.equal(lastOf(kedge.events, 'budget_reached').unpriced, undefined);
    known = false;
    await kedge.session.resume();
    assert.deepEqual([kedge.adapter.requests.length, reached(kedge)], [3, ['usd 0.03', 'price 0.03']]);
    await kedge.session.resume();
    assert.equal(outcome(kedge), 'answered');
    assert.equal(
      reachedText({ limit: 'usd', max: 2.5, unpriced: 2 }),
      'This run has reached its limit of $2.50. The cost of 2 answers is unknown, so the actual cost may differ.',
    );
  });

  for (const [what, change] of [
    ['a run', { run: { usd: 0.03 } }],
    ['a day', { day: { usd: 0.03 } }],
  ] as const)
    it(`in money of ${what} asks once before anything is sent to a model with an unknown price`, async () => {
      await using kedge = await on(five, change);
      await kedge.session.prompt({ text: 'go', mode: 'ask' });
      assert.deepEqual([kedge.adapter.requests.length, reached(kedge), outcome(kedge)], [0, ['price 0.03'], 'limit']);
      assert.match(reachedText(lastOf(kedge.events, 'budget_reached')), /^The price of this model is unknown, so the limit of \$0\.030 /);
      const again = await kedge.reload();
      await again.session.resume();
      assert.deepEqual([kedge.adapter.requests.length, reached(again), outcome(again)], [5, [], 'answered']);
    });

  it('in money ignores free models', async () => {
    for (const provider of ['offline', 'ollama', 'lmstudio', 'vllm', 'llamacpp']) {
      await using kedge = await on(five, { run: { usd: 0.03 }, day: { usd: 0.03 } });
      await kedge.session.prompt({ text: 'go', mode: 'ask', model: { provider, model: 'm' } });
      assert.deepEqual([reached(kedge), outcome(kedge)], [[], 'answered'], provider);
      assert.equal(lastOf(kedge.events, 'run_finished').cost, undefined);
      const [answer] = kedge.session.state.messages.filter(({ role }) => role === 'assistant');
      assert.equal(answer?.role === 'assistant' && answer.usd, 0);
    }
  });

  it('reports at the limit how many answers have an unknown cost', async () => {
    const script = [turn(call('read_file', { path: 'b.txt' })), costly('a.txt'), done];
    await using kedge = await on(script, { run: { usd: 0.01 } }, { facts: priced });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    const { limit, unpriced } = lastOf(kedge.events, 'budget_reached');
    assert.deepEqual([limit, unpriced], ['usd', 1]);
  });

  it('is kept after a reload', async () => {
    await using kedge = await on(five, { run: { tokens: 3_000 } });
    kedge.session.subscribe(({ type, seq }) => {
      if (type === 'tool_finished' && seq > 8) kedge.assistant.close();
    });
    await kedge.session.prompt({ text: 'go', mode: 'ask' }).catch(() => undefined);
    const again = await kedge.reload();
    assert.equal(again.session.state.lastRun?.used.tokens, 2_000);
    await again.session.resume();
    assert.deepEqual([kedge.adapter.requests.length, reached(again)], [3, ['tokens 3000']]);
  });

  it('raises only the limit that was reached', async () => {
    await using kedge = await on(five, { run: { tokens: 4_000 } }, { limits: { turns: 2 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    await kedge.session.resume();
    await kedge.session.resume();
    assert.deepEqual(reached(kedge), ['turns 2', 'turns 4', 'tokens 4000']);
  });
});

describe('the budget of a day', () => {
  const again = async (kedge: Harness, times: number) => {
    for (let run = 0; run < times; run++) await kedge.session.prompt({ text: 'go', mode: 'ask' });
  };

  for (const [kind, day, runs, requests] of [
    ['runs', { runs: 2 }, 3, 2],
    ['turns', { turns: 2 }, 3, 2],
    ['tokens', { tokens: 1_500 }, 3, 2],
    ['usd', { usd: 0.015 }, 3, 2],
  ] as const) {
    it(`in ${kind} counts all runs, and pauses the next run`, async () => {
      await using kedge = await on([done, done, done], { day }, { facts: priced });
      await again(kedge, runs);
      assert.deepEqual([kedge.adapter.requests.length, outcome(kedge)], [requests, 'limit']);
      assert.equal(lastOf(kedge.events, 'budget_reached').limit, `day.${kind}`);
    });
  }

  it('in calls executes the calls within the limit', async () => {
    const three = turn(...['1', '2', '3'].map((id) => call('read_file', { path: 'a.txt' }, id)));
    await using kedge = await on([three, done], { day: { calls: 2 } });
    await kedge.session.prompt({ text: 'go', mode: 'ask' });
    assert.deepEqual([kedge.session.state.results.size, reached(kedge)], [2, ['day.calls 2']]);
    await kedge.session.resume({ raise: true });
    assert.equal(outcome(kedge), 'answered');
  });

  it('in minutes counts work, not waiting', async () => {
    let time = new Date(2026, 10, 21, 12).getTime();
    const slow = (): ModelEvent[] => {
      time += 60_000;
      return [...say('Done.'), usage, { type: 'stop', reason: 'end_turn' }];
    };
    await using kedge = await on([slow, slow, slow], { day: { minutes: 2 } }, { now: () => time });
    await again(kedge, 2);
    time += 60 * 60_000;
    await again(kedge, 1);
    assert.deepEqual([kedge.adapter.requests.length, reached(kedge)], [2, ['day.minutes 2']]);
  });

  it('is raised only after a confirmation, for today, and in all windows', async () => {
    let time = new Date(2026, 10, 21, 12).getTime();
    await using kedge = await on([done, done, done, done], { day: { runs: 1 } }, { now: () => time });
    await again(kedge, 2);
    await kedge.session.resume();
    assert.deepEqual([reached(kedge), outcome(kedge)], [['day.runs 1', 'day.runs 1'], 'limit']);
    await kedge.session.resume({ raise: true });
    assert.equal(outcome(kedge), 'answered');
    const window = await kedge.reload();
    await again(window, 1);
    assert.deepEqual([reached(window), kedge.adapter.requests.length], [['day.runs 1'], 2]);
    time += 24 * 60 * 60_000;
    await again(window, 1);
    assert.equal(kedge.adapter.requests.length, 3);
    await again(window, 1);
    assert.equal(outcome(window), 'limit');
  });

  it('counts stopped and failed runs', async () => {
    await using kedge = await on([done], { day: { runs: 2 } });
    kedge.session.subscribe(({ type }) => {
      if (type === 'turn_started') void kedge.session.stop();
    });
    await again(kedge, 3);
    assert.deepEqual([eventsOf(kedge.events, 'turn_started').length, outcome(kedge)], [2, 'limit']);
  });
});

describe('consecutive runs', () => {
  it('do not start more often per minute than the limit allows', async () => {
    let time = new Date(2026, 10, 21, 12).getTime();
    await using kedge = await on([done, done, done, done], { runsPerMinute: 2 }, { now: () => time });
    const go = () => kedge.session.prompt({ text: 'go', mode: 'ask' });
    await go();
    await go();
    await go();
    assert.deepEqual([reached(kedge), outcome(kedge)], [['runsPerMinute 2'], 'limit']);
    // By resuming the run, the user confirms that it may continue.
    await kedge.session.resume();
    assert.equal(outcome(kedge), 'answered');
    time += 61_000;
    await go();
    assert.equal(outcome(kedge), 'answered');
  });

  it('do not start before the cool-down has passed', async () => {
    let time = new Date(2026, 10, 21, 12).getTime();
    await using kedge = await on([done, done, done], { cooldownSeconds: 30 }, { now: () => time });
    const go = () => kedge.session.prompt({ text: 'go', mode: 'ask' });
    await go();
    time += 29_000;
    await go();
    assert.deepEqual([reached(kedge), outcome(kedge)], [['cooldown 30'], 'limit']);
    time += 2_000;
    await kedge.session.resume();
    assert.equal(outcome(kedge), 'answered');
  });
});

describe('a ledger that cannot be written', () => {
  for (const [what, day, ends] of [
    ['stops no run where nothing is limited', {}, 'answered'],
    ['ends the run where a day is', { usd: 5 }, 'failed'],
  ] as const) {
    it(what, async () => {
      await using kedge = await on([done], { day, runsPerMinute: 30 }, { facts: priced });
      await writeFile(join(kedge.storage, 'ledger'), 'no directory');
      await kedge.session.prompt({ text: 'go', mode: 'ask' });
      assert.equal(outcome(kedge), ends);
    });
  }
});

import assert from 'node:assert/strict';
import { usdOf } from '../../../src/app/run/cost.ts';
import type { Budgets } from '../../../src/app/run/day-budget.ts';
import type { ModelAdapter, ModelErrorKind, ModelEvent } from '../../../src/core/model/model.ts';
import { isDurable } from '../../../src/core/session/events.ts';
import type { RunBudget } from '../../../src/core/session/limits.ts';
import { foldSession } from '../../../src/core/session/reduce.ts';
import { call, hang, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, eventsOf, type HarnessOptions, lastOf } from '../../support/harness.ts';

type Delta = Extract<ModelEvent, { type: 'text_delta' | 'reasoning_delta' | 'tool_input_delta' }>;

/** This number is above all limits of these tests. */
const NEVER = 1_000_000;

/** Yields the same event forever without letting a timer run. It ends only when the consumer stops. */
function endless(event: ModelEvent, onEvent: () => void = () => undefined) {
  const made = { count: 0 };
  const script = async function* (): AsyncGenerator<ModelEvent> {
    for (; made.count < NEVER; made.count++) {
      onEvent();
      yield event;
    }
  };
  return { script, made };
}

const DELTAS: Delta[] = [
  { type: 'text_delta', text: 'word ' },
  { type: 'reasoning_delta', text: 'hmmm ' },
  { type: 'tool_input_delta', name: 'create_file', text: 'abcde' },
];
const budgets =
  (run: RunBudget, day: Budgets['day'] = {}) =>
  () => ({ run, day });
const go = { text: 'go', mode: 'ask' } as const;
/** The estimated tokens of the request without the answer: instructions, tools and the prompt. */
const REQUEST = 4_000;

describe('the limits of a run stop an endless answer', () => {
  for (const delta of DELTAS) {
    it(`of tokens, which are estimated as long as the service counts none: ${delta.type}`, async () => {
      const { script, made } = endless(delta);
      await using kedge = await assistantOn({}, [script, turn(say('Done.'))], { budgets: budgets({ tokens: 10_000 }) });
      await kedge.session.prompt(go);
      assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'tokens');
      assert.equal(lastOf(kedge.events, 'run_paused').reason, 'limit');
      const streamed = (made.count * delta.text.length) / 4;
      assert.ok(streamed < 12_000 && streamed > 10_000 - REQUEST, String(streamed));
      // The estimated use counts after the pause and the reload, too, even when nothing was received.
      assert.ok((kedge.session.state.lastRun?.used.tokens ?? 0) >= 10_000);
      assert.deepEqual(foldSession(kedge.events.filter(isDurable)).lastRun?.used.tokens, kedge.session.state.lastRun?.used.tokens);
      await kedge.session.resume();
      assert.equal(lastOf(kedge.events, 'run_finished').outcome, 'answered');
      // The model is told to continue only when it had begun its answer.
      const roles = kedge.adapter.requests[1]?.messages.map(({ role }) => role);
      assert.deepEqual(roles, delta.type === 'text_delta' ? ['user', 'assistant', 'user'] : ['user']);
    });

    it(`of minutes: ${delta.type}`, async () => {
      let time = 0;
      const { script } = endless(delta, () => {
        time += 60;
      });
      await using kedge = await assistantOn({}, [script, turn(say('Done.'))], { limits: { minutes: 1 }, now: () => time });
      await kedge.session.prompt(go);
      assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'minutes');
      assert.ok(time < 2 * 60_000, String(time));
    });
  }

  it('of minutes, while nothing is received', async () => {
    await using kedge = await assistantOn({}, [hang(say('Half a '))], { limits: { minutes: 0.01 } });
    await kedge.session.prompt(go);
    assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'minutes');
    assert.equal(lastOf(kedge.events, 'run_paused').reason, 'limit');
  });

  it('of money', async () => {
    const { script, made } = endless({ type: 'text_delta', text: 'word ' });
    const prices = { input: 1, output: 10 };
    await using kedge = await assistantOn({}, [script], { budgets: budgets({ usd: 0.1 }), facts: () => ({ prices }) });
    await kedge.session.prompt(go);
    assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'usd');
    const usd = usdOf({ input: 0, output: (made.count * 5) / 4 }, prices, new Date()) ?? 0;
    assert.ok(usd < 0.12 && usd > 0.08, String(usd));
  });

  for (const kind of ['tokens', 'usd', 'minutes'] as const) {
    it(`of the day: ${kind}`, async () => {
      let time = Date.UTC(2026, 0, 5, 12);
      const { script } = endless({ type: 'text_delta', text: 'word ' }, () => {
        time += 10;
      });
      await using kedge = await assistantOn({}, [script], {
        budgets: budgets({}, { [kind]: kind === 'tokens' ? 20_000 : 1 }),
        facts: () => ({ prices: { input: 1, output: 50 } }),
        now: () => time,
      });
      await kedge.session.prompt(go);
      assert.equal(lastOf(kedge.events, 'budget_reached').limit, `day.${kind}`);
    });
  }

  it('and keep the text so far, which the model is told to continue', async () => {
    const { script } = endless({ type: 'text_delta', text: 'word ' });
    await using kedge = await assistantOn({}, [script, turn(say('and the rest.'))], { budgets: budgets({ tokens: 10_000 }) });
    await kedge.session.prompt(go);
    const half = kedge.session.state.messages.at(-1);
    assert.ok(half?.role === 'assistant' && half.stop === 'aborted');
    assert.match(half.content.map((part) => (part.type === 'text' ? part.text : '?')).join(''), /^(word )+$/);
    const again = await kedge.reload();
    assert.equal(again.session.state.lastRun?.pause, 'limit');
    await again.session.resume();
    assert.equal(lastOf(again.events, 'run_finished').outcome, 'answered');
    assert.deepEqual(
      kedge.adapter.requests[1]?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
  });

  it('estimates the use of an answer without token counts, for the run, after a reload and for the day', async () => {
    const budget = budgets({ tokens: 6_000 }, { tokens: 1_000_000 });
    const long = () => turn(say('word '.repeat(2_000)), call('list_directory', {}));
    await using kedge = await assistantOn({}, Array.from({ length: 9 }, long), { budgets: budget });
    await kedge.session.prompt(go);
    assert.equal(lastOf(kedge.events, 'budget_reached').limit, 'tokens');
    assert.ok(kedge.adapter.requests.length < 4, String(kedge.adapter.requests.length));
    const used = kedge.session.state.lastRun?.used.tokens ?? 0;
    assert.ok(used >= 6_000, String(used));
    assert.equal(foldSession(kedge.session.events).lastRun?.used.tokens, used);
    assert.deepEqual(kedge.session.state.lastRun?.usage, {});
  });

  it('do not estimate when the service counts tokens', async () => {
    const usage = { type: 'usage', usage: { input: 10, output: 5 } } as const;
    await using kedge = await assistantOn({}, [turn(say('word '.repeat(9_000)), usage)], {});
    await kedge.session.prompt(go);
    assert.equal(kedge.session.state.lastRun?.used.tokens, 15);
    assert.ok(eventsOf(kedge.events, 'message_added').every((event) => !('estimated' in event)));
  });
});

const MAX_ANSWER = 2_000_000;

describe('an endless answer is cut off even without a limit', () => {
  const PART: ModelEvent = { type: 'part', part: { type: 'tool_call', id: 'same', name: 'read_file', input: {} } };
  const cases: [string, ModelEvent][] = [
    ...DELTAS.map((delta): [string, ModelEvent] => [delta.type, { ...delta, text: delta.text.repeat(100) }]),
    ['empty deltas', { type: 'tool_input_delta', text: '' }],
    ['calls without an end', PART],
    ['text without deltas', { type: 'part', part: { type: 'text', text: 'word '.repeat(100) } }],
  ];
  for (const [name, event] of cases) {
    it(name, async () => {
      const { script, made } = endless(event);
      await using kedge = await assistantOn({}, [script], unlimited);
      await kedge.session.prompt(go);
      const { outcome, error } = lastOf(kedge.events, 'run_finished');
      assert.equal(outcome, 'failed');
      assert.match(error?.message ?? '', /(longer than 2 million characters|more than 1,000 tool calls), so it was cut off/);
      assert.ok(made.count <= MAX_ANSWER / 60, String(made.count));
      // The session can continue, because the part of the answer that is kept fits into a request.
      assert.ok(JSON.stringify(kedge.session.state.messages).length < 200_000);
    });
  }

  it('and its source is ended', async () => {
    let ended = false;
    const adapter: ModelAdapter = {
      async *stream() {
        try {
          for (let count = 0; count < 10_000; count++) yield { type: 'text_delta', text: 'x'.repeat(10_000) };
        } finally {
          ended = true;
        }
      },
    };
    await using kedge = await assistantOn({}, [], { ...unlimited, adapter });
    await kedge.session.prompt(go);
    assert.equal(lastOf(kedge.events, 'run_finished').error?.kind, 'bad_stream' satisfies ModelErrorKind);
    assert.equal(ended, true);
  });
});

const unlimited: HarnessOptions = { limits: { minutes: 1_000 } };

import assert from 'node:assert/strict';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import type { Mode } from '../../../src/core/session/events.ts';
import { call, say, turn } from '../../../src/providers/scripted/index.ts';
import { assistantOn, lastOf } from '../../support/harness.ts';
import { tokensOfTools } from '../../support/tokens.ts';

/** Returns the fixed part of a request in the OpenAI wire format. */
function tokensOf({ system, tools }: ModelRequest): number {
  return countTokens(system) + tokensOfTools(tools);
}

describe('the fixed part of a request', () => {
  const remembered = { read: async () => '', add: async () => {}, answered: async () => [], answer: async () => {} };
  const propose = turn(call('propose_plan', { goal: 'g', steps: [{ title: 't', files: ['a.txt'] }] }));

  async function sizeIn(mode: Mode): Promise<number> {
    await using kedge = await assistantOn({}, [turn(say('Done.'))], { remembered });
    await kedge.session.prompt({ text: 'go', mode });
    return tokensOf(kedge.adapter.requests[0] as ModelRequest);
  }

  async function sizeOfPlanRun(): Promise<number> {
    await using kedge = await assistantOn({}, [propose, turn(say('Done.'))], { remembered });
    await kedge.session.prompt({ text: 'go', mode: 'plan' });
    await kedge.session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    return tokensOf(kedge.adapter.requests[1] as ModelRequest);
  }

  for (const [what, limit, size] of [
    ['Ask', 600, () => sizeIn('ask')],
    ['Plan', 950, () => sizeIn('plan')],
    ['Agent', 1_150, () => sizeIn('agent')],
    ['Agent with a plan', 1_100, sizeOfPlanRun],
  ] as const) {
    it(`in ${what} mode has at most ${limit} tokens`, async () => {
      const tokens = await size();
      const advice = 'Every request pays for them: shorten the system prompt, the descriptions of tools or their schemas';
      assert.ok(
        tokens <= limit,
        `${tokens} tokens, and the budget is ${limit}. ${advice}, or raise the budget in this test if it is worth it.`,
      );
    });
  }
});

/** Every service accepts a compacted history, whichever models wrote it and whichever model reads it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSent, type Message } from '../../src/core/model/messages.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { isDurable } from '../../src/core/session/events.ts';
import { reduce, sentMessages } from '../../src/core/session/reduce.ts';
import { emptySession } from '../../src/core/session/session-state.ts';
import { toBody as toAnthropic } from '../../src/providers/anthropic/convert.ts';
import { toParameters } from '../../src/providers/gemini/convert.ts';
import { toRequest } from '../../src/providers/ollama/convert.ts';
import { toBody as toResponses } from '../../src/providers/openai/convert.ts';
import { toBody as toChat } from '../../src/providers/openai-chat/convert.ts';
import { randomLog } from '../support/random-logs.ts';
import { RULES } from '../support/wire-rules.ts';
import { WIRES } from '../support/wires.ts';

const BODIES: Record<string, (request: ModelRequest) => object> = {
  'openai-responses': (request) => toResponses(request),
  'openai-chat': (request) => toChat(request),
  'anthropic-messages': (request) => toAnthropic(request),
  gemini: (request) => toParameters(request),
  'ollama-chat': (request) => toRequest(request, {}),
};

const logs = fc
  .array(fc.nat(9_999), { minLength: 200, maxLength: 600, size: 'max' })
  .map((choices) => randomLog(choices).filter(isDurable));
/** The model that wrote each answer: a model of the wire that reads it, or another model. */
const writers = fc.array(fc.constantFrom(...Object.values(WIRES).map(({ provider }) => provider)), { minLength: 1, maxLength: 5 });

function accepts(wire: string, messages: readonly Message[]): boolean {
  const body = BODIES[wire]?.({ model: 'm', system: 'Be brief.', tools: [], messages });
  try {
    RULES[wire]?.(JSON.parse(JSON.stringify(body)));
    return true;
  } catch {
    return false;
  }
}

describe('a compacted history', () => {
  for (const wire of Object.keys(WIRES))
    it(`follows the rules of ${wire} if the complete history does`, () => {
      let checked = 0;
      fc.assert(
        fc.property(logs, writers, (events, providers) => {
          const state = emptySession();
          let answers = 0;
          for (const event of events) {
            if (event.type === 'message_added' && event.message.role === 'assistant') {
              const from = { provider: providers[answers++ % providers.length] as string, model: 'm' };
              reduce(state, { ...event, message: { ...event.message, from } });
            } else reduce(state, event);
            const asks = sentMessages(state).at(-1)?.role !== 'assistant' && state.open.length === 0;
            if (!asks || !state.compaction || !accepts(wire, state.messages.filter(isSent))) continue;
            checked++;
            assert.ok(accepts(wire, sentMessages(state)), JSON.stringify(sentMessages(state)));
          }
        }),
      );
      assert.ok(checked > 20, `${checked} histories`);
    });
});

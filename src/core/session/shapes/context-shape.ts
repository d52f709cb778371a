/** The shapes of the events about the context window. */

import type { Tokens } from '../../context/tokens.ts';
import type { ContextUse } from '../../context/window.ts';
import { usage } from '../../model/message-shape.ts';
import { type FieldChecks, integer, number, object, oneOf, optional, string } from '../../shape.ts';
import type { EventBody } from '../events.ts';

const amount = optional(number);
const tokens = optional(integer(1, Number.MAX_SAFE_INTEGER));
/** An index in the conversation, or a number of characters. */
export const place = integer(0, Number.MAX_SAFE_INTEGER);

export const contextUse = object<ContextUse>({
  tokens: object<Partial<Tokens>>({
    instructions: amount,
    tools: amount,
    rules: amount,
    summary: amount,
    prompts: amount,
    attachments: amount,
    answers: amount,
    results: amount,
  }),
  ratio: number,
  window: amount,
  limit: amount,
});

export const compaction: FieldChecks<Omit<Extract<EventBody, { type: 'context_compacted' }>, 'type'>> = {
  reason: oneOf({ window: true, overflow: true, user: true }),
  by: oneOf({ model: true, rules: true }),
  keepFrom: place,
  shortenBefore: place,
  resultChars: place,
  promptChars: place,
  rulesChars: place,
  carried: string,
  summary: string,
  before: number,
  after: number,
  context: contextUse,
  window: tokens,
  usage: optional(usage),
  usd: amount,
  estimated: amount,
  estimatedUsd: amount,
};

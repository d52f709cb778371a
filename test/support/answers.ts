import type { AssistantMessage, ModelRef } from '../../src/core/model/messages.ts';

/** Returns a builder for assistant messages, by this model unless another model is given. */
export const answersOf =
  (own: ModelRef) =>
  (content: AssistantMessage['content'], from = own): AssistantMessage => ({ role: 'assistant', content, from, stop: 'end_turn' });

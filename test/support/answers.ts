import type { AssistantMessage, ModelRef } from '../../src/core/model/messages.ts';

/** Makes whole answers: of this model, where no other is named. */
export const answersOf =
  (own: ModelRef) =>
  (content: AssistantMessage['content'], from = own): AssistantMessage => ({ role: 'assistant', content, from, stop: 'end_turn' });

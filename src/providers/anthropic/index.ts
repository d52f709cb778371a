import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { AssistantMessage, Usage } from '../../core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { refusedField, sdkError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { createClient } from './client.ts';
import { OPTIONAL, PROVIDER, toBody } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

/** How often one answer may be continued. The service can pause an answer; the model continues when the answer is sent back. */
const MAX_PAUSES = 20;

/** Anthropic's Messages API. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const server = serverOf('Anthropic', config);
  /** The optional request fields that the server rejected, by model. */
  const refused = new Map<string, string[]>();
  let client: BaseAnthropic | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Anthropic', config);
    client ??= createClient(config, server);
    for (;;) {
      const without = refused.get(request.model) ?? [];
      const body = toBody(request, without);
      try {
        // `messages.create` would do the same but print warnings about models to the console.
        return await client.post<AsyncIterable<unknown>>('/v1/messages', { body, signal, stream: true });
      } catch (error) {
        const field = refusedField(error, OPTIONAL, body);
        if (!field) throw error;
        refused.set(request.model, [...without, field]);
      }
    }
  }

  function stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const answer: AssistantMessage = { role: 'assistant', content: [], from: { provider: PROVIDER, model: request.model }, stop: 'other' };
    let before: Usage = {};
    let pauses = 0;
    return exchange(
      signal,
      (either) => open({ ...request, messages: pauses === 0 ? request.messages : [...request.messages, answer] }, either),
      () => toModelEvents(server, before, pauses < MAX_PAUSES),
      (error) => sdkError(server, error),
      ({ paused, parts, usage }) => {
        answer.content.push(...parts);
        before = usage;
        pauses++;
        return paused;
      },
    );
  }
  return { stream, silenceMs: silenceOf(config, false) };
}

import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { AssistantMessage, Usage } from '../../core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../core/model/model.ts';
import { silenceOf } from '../connection.ts';
import { refusedField, sdkError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { formOf, JSON_CONTENT, RequestBodies } from '../request-body.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ProviderConfig } from '../types.ts';
import { createClient } from './client.ts';
import { FORMAT, OPTIONAL, PROVIDER, toBody, toMessage } from './convert.ts';
import { toModelEvents } from './stream.ts';

export { listModels } from './list.ts';

/** How often one answer may be continued. The service can pause an answer; the model continues when the answer is sent back. */
const MAX_PAUSES = 20;
const NOTHING: readonly string[] = [];

/** Creates the adapter for Anthropic's Messages API. */
export function createAdapter(config: ProviderConfig): ModelAdapter {
  const server = serverOf('Anthropic', config);
  /** The optional request fields that the server rejected, by model. */
  const refused = new Map<string, readonly string[]>();
  const bodies = new RequestBodies();
  let client: BaseAnthropic | undefined;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    checkConfig('Anthropic', config);
    client ??= createClient(config, server);
    for (;;) {
      const without = refused.get(request.model) ?? NOTHING;
      const head = () => toBody({ ...request, messages: [] }, without);
      const body = bodies.of(request, without, () => formOf(head(), (message) => toMessage(message, request.model)));
      try {
        // `messages.create` would do the same but print warnings about models to the console.
        return await client.post<AsyncIterable<unknown>>('/v1/messages', { body, headers: JSON_CONTENT, signal, stream: true });
      } catch (error) {
        const { output_config } = head();
        const field = refusedField(error, OPTIONAL, { ...head(), ...(output_config?.format && { [FORMAT]: output_config.format }) });
        if (!field) throw error;
        refused.set(request.model, [...without, field]);
      }
    }
  }

  function stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    let answer: AssistantMessage = { role: 'assistant', content: [], from: { provider: PROVIDER, model: request.model }, stop: 'other' };
    let before: Usage = {};
    let pauses = 0;
    return exchange(
      signal,
      (either) => open({ ...request, messages: pauses === 0 ? request.messages : [...request.messages, answer] }, either),
      () => toModelEvents(server, before, pauses < MAX_PAUSES),
      (error) => sdkError(server, error),
      ({ paused, parts, usage }) => {
        answer = { ...answer, content: [...answer.content, ...parts] };
        before = usage;
        pauses++;
        return paused;
      },
    );
  }
  return { stream, silenceMs: silenceOf(config, false) };
}

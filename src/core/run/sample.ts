/** Answers a request that an MCP server sends to the user's model during a call. It counts towards the limits of the run. */
import type { Message } from '../model/messages.ts';
import { ModelError } from '../model/model.ts';
import { useOfAnswer } from '../session/limits.ts';
import { LimitReached } from './budget.ts';
import type { ThinkPorts } from './ports.ts';
import { Received } from './received-answer.ts';
import { receive, useIn } from './think.ts';
import type { Sample, SampleRequest } from './tool.ts';

/** The request contains only what the server sends: nothing of the conversation, and no tools. @throws Error if the model does not answer */
export async function sample({ system, messages, maxTokens }: SampleRequest, ports: ThinkPorts, signal: AbortSignal): Promise<Sample> {
  const { meter, model, adapter, price, request: own } = ports;
  const reached = meter.reached('turn');
  if (reached) throw new LimitReached(reached);
  const sent = messages.map(({ role, text }): Message => {
    const content = [{ type: 'text' as const, text }];
    return role === 'user' ? { role, content } : { role, content, from: model, stop: 'end_turn' };
  });
  const { contextWindow, maxOutputTokens = maxTokens } = own;
  const request = {
    model: model.model,
    system,
    messages: sent,
    tools: [],
    maxOutputTokens: Math.min(maxTokens, maxOutputTokens),
    ...(contextWindow !== undefined && { contextWindow }),
  };
  const received = new Received(request, adapter.isFree);
  const ended = meter.receiving(() => received.use(price));
  try {
    await receive(ports, request, received, signal, (event) => received.add(event));
  } finally {
    ended();
    const { usage, usd, estimate } = useIn(received, price);
    meter.spend({ turns: 1, ...useOfAnswer(usage, usd, estimate) });
  }
  const text = received.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (!text.trim()) throw new ModelError('empty_answer', 'The model’s answer was empty.');
  return { text, isCut: received.stop === 'max_tokens' };
}

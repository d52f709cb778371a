/** Lets a server use the user's model during a call ("sampling"). The user approves each request, and sees everything that is sent. */
import type { CreateMessageRequestParams, CreateMessageResult } from '@modelcontextprotocol/sdk/types.js';
import type { ModelUse } from '../../core/run/tool.ts';
import { visible } from '../tools.ts';
import type { Ask } from '../types.ts';

/** A longer request could not be read before it is approved. */
const MAX_TEXT = 10_000;
const MAX_TOKENS = 8_192;

const ALLOW = 'Send it once';
const DENY = 'Do not send it';
const NEVER = 'Never for this server';

export type Sampling = {
  ask: Ask | undefined;
  model: ModelUse | undefined;
  /** Is aborted when the server no longer needs the answer. */
  cancelled?: AbortSignal;
  /** Whether the user has refused all requests of the server. */
  isRefused(): boolean;
  refuse(): void;
};

/** @throws Error if the request is refused or cannot be answered; the server gets its message */
export async function sampled(
  server: string,
  { messages, systemPrompt = '', maxTokens }: CreateMessageRequestParams,
  { ask, model, cancelled, isRefused, refuse }: Sampling,
): Promise<CreateMessageResult> {
  if (!ask || !model) throw new Error('No user can approve this request now.');
  if (isRefused()) throw new Error('The user has refused all requests of this server to the model.');
  const texts = messages.map(({ role, content }) => ({ role, text: visible(textOf(content)) }));
  const system = visible(systemPrompt);
  const shown = [...(system ? [`system: ${system}`] : []), ...texts.map(({ role, text }) => `${role}: ${text}`)].join('\n\n');
  if (shown.length > MAX_TEXT) throw new Error(`The request is too long. At most ${MAX_TEXT} characters can be approved.`);
  const tokens = Math.max(1, Math.min(MAX_TOKENS, Math.floor(maxTokens)));
  const text = `The MCP server ${server} wants to send this to ${model.name}. You pay for it, the answer has at most ${tokens} tokens, and the server gets it.\n\n${shown}`;
  // After a reload, a call can run again. It must not find an approval of another text.
  const answer = await ask({ id: `sampling-${crypto.randomUUID()}`, text, options: [ALLOW, DENY, NEVER].map((label) => ({ label })) });
  const chosen = 'option' in answer ? answer.option : undefined;
  if (chosen === NEVER) refuse();
  if (chosen !== ALLOW) throw new Error('The user has refused this request to the model.');
  const { text: said, isCut } = await model.sample({ system, messages: texts, maxTokens: tokens }, cancelled);
  return { model: model.name, role: 'assistant', content: { type: 'text', text: said }, stopReason: isCut ? 'maxTokens' : 'endTurn' };
}

function textOf(content: CreateMessageRequestParams['messages'][number]['content']): string {
  return [content]
    .flat()
    .map((block) => {
      if (block.type !== 'text') throw new Error('Only text can be sent to the model.');
      return block.text;
    })
    .join('\n');
}

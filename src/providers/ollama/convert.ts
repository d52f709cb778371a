import type { ChatRequest, Message as WireMessage } from 'ollama/browser';
import { type AssistantMessage, type ImagePart, type Message, textOf } from '../../core/model/messages.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { type FramedResult, framed, framedNote } from '../../core/model/notes.ts';
import { echoInput, markedText, wireId } from '../tool-calls.ts';

export const PROVIDER = 'ollama';

/** The facts about a model and the computer it runs on that a request depends on. */
export type ModelFacts = {
  contextLength?: number;
  thinks?: boolean;
  /** The total memory of the computer that runs the server, in bytes. */
  memoryBytes?: number;
};

export function contextLengthOf(modelDetails: { model_info?: unknown }): number | undefined {
  const [, length] = Object.entries(modelDetails.model_info ?? {}).find(([name]) => name.endsWith('.context_length')) ?? [];
  return typeof length === 'number' ? length : undefined;
}

/**
 * The context size, in tokens, assumed for models that do not report a size. Without an explicit size, Ollama uses 4,096 tokens and
 * truncates silently.
 */
const USUAL_CONTEXT = 16_384;
const GB = 2 ** 30;

/**
 * Chooses a context size in tokens by the computer's total memory, because the context needs memory in addition to the model. Free memory
 * is not used: a changed size would make the server reload the model.
 */
export function contextSize({ contextLength = USUAL_CONTEXT, memoryBytes = 16 * GB }: ModelFacts): number {
  const room = memoryBytes < 8 * GB ? 8_192 : memoryBytes < 16 * GB ? 16_384 : memoryBytes < 48 * GB ? 32_768 : 65_536;
  return Math.min(contextLength, room);
}

/** `messages` come last and everything before them stays the same during a run, so each request extends the previous one byte for byte. */
export function toRequest(request: ModelRequest, facts: ModelFacts): ChatRequest & { stream: true } {
  const { model, system, maxOutputTokens, reasoningEffort, temperature, answerSchema } = request;
  // The server applies a format to everything that the model writes, so with a format the model could not call a tool.
  const tools = answerSchema && request.answersNow ? [] : request.tools;
  const thinks = facts.thinks && reasoningEffort !== undefined;
  return {
    model,
    stream: true,
    options: {
      num_ctx: request.contextWindow ?? contextSize(facts),
      ...(maxOutputTokens === undefined ? {} : { num_predict: maxOutputTokens }),
      ...(temperature === undefined ? {} : { temperature }),
    },
    ...(answerSchema && tools.length === 0 ? { format: answerSchema } : {}),
    ...(thinks ? { think: toThink(model, reasoningEffort) } : {}),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            function: { name, description, parameters: inputSchema as { type?: string } },
          })),
        }),
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...request.messages.flatMap((message) => toMessages(message, model)),
    ],
  };
}

/** Only gpt-oss supports effort levels; for other models, thinking is on or off. */
function toThink(model: string, effort: NonNullable<ModelRequest['reasoningEffort']>): ChatRequest['think'] {
  if (model.includes('gpt-oss')) return effort === 'minimal' ? 'low' : effort;
  return effort !== 'minimal';
}

export function toMessages(neutral: Message, model: string): WireMessage[] {
  const message = framed(neutral);
  if (message.role === 'tool') return toResults(message.content);
  if (message.role === 'assistant') return toAssistant(message, message.from.provider === PROVIDER && message.from.model === model);
  const images = message.content.filter((part) => part.type === 'image').map(({ data }) => data);
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [{ role: 'user', content: text.join('\n'), ...(images.length > 0 ? { images } : {}) }];
}

function toAssistant(message: AssistantMessage, own: boolean): WireMessage[] {
  const calls = message.content
    .filter((part) => part.type === 'tool_call')
    .map((call) => ({ id: wireId(call.id), function: { name: call.name, arguments: echoInput(call) } }));
  const content = textOf(message);
  if (content === '' && calls.length === 0) return [];
  // Chat templates expect the reasoning that led to a tool call and ignore all other reasoning.
  const thinking = own && calls.length > 0 ? message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('') : '';
  return [{ role: 'assistant', content, ...(thinking ? { thinking } : {}), ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

function toResults(results: readonly FramedResult[]): WireMessage[] {
  const images = results.flatMap((result) => result.content.filter((part): part is ImagePart => part.type === 'image'));
  const messages = results.map((result) => {
    const wire = { role: 'tool', content: markedText(result), tool_name: result.name, tool_call_id: wireId(result.callId) };
    return wire as WireMessage;
  });
  if (images.length === 0) return messages;
  return [...messages, { role: 'user', content: framedNote('The images of these tool results:'), images: images.map(({ data }) => data) }];
}

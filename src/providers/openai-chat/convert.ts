import type {
  ChatCompletionContentPart,
  ChatCompletionContentPartImage,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';
import type { AssistantMessage, ImagePart, Message, TextPart } from '../../core/model/messages.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { type FramedResult, framed, framedNote } from '../../core/model/notes.ts';
import { strictFormat } from '../answer-schema.ts';
import { echoInput, markedText, wireId } from '../tool-calls.ts';

export const PROVIDER = 'openai-chat';

/** The content of `part.replay`: reasoning that some servers expect to be sent back unchanged with the calls it led to. */
export type Token = { content?: string; details?: unknown[] };

/** The differences between the requests that servers accept. */
export type Dialect = {
  /** The provider that owns this conversation format. Replay data is only sent back to the provider it came from. */
  provider?: string;
  /** Whether the server is OpenAI, which supports fields that other servers reject. */
  openai?: boolean;
  /** Whether the server is Mistral, which requires call ids of nine letters and digits. */
  mistral?: boolean;
  /** Optional fields that the server has rejected. */
  without?: readonly string[];
};

export function dialectOf(baseUrl: string | undefined): Dialect {
  const host = baseUrl ? new URL(baseUrl).hostname : 'api.openai.com';
  return { openai: /(^|\.)openai\.(com|azure\.com)$/.test(host), mistral: /(^|\.)mistral\.ai$/.test(host) };
}

/** `messages` come last and everything before them stays the same during a run, so each request extends the previous one byte for byte. */
export function toBody(request: ModelRequest, dialect: Dialect = {}): ChatCompletionCreateParamsStreaming {
  const { model, system, tools, cacheKey, maxOutputTokens, reasoningEffort, temperature, answerSchema } = request;
  // Most servers cannot constrain an answer and offer tools at the same time. Some local servers would then never call a tool.
  const isConstrained = answerSchema !== undefined && (dialect.openai || request.answersNow || tools.length === 0);
  // OpenAI's newer models reject `max_tokens`, which most other servers expect.
  const limit = dialect.openai || dialect.without?.includes('max_tokens') ? 'max_completion_tokens' : 'max_tokens';
  const optional = {
    stream_options: { include_usage: true },
    ...(cacheKey !== undefined && dialect.openai ? { prompt_cache_key: cacheKey } : {}),
    ...(maxOutputTokens === undefined ? {} : { [limit]: maxOutputTokens }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(isConstrained ? { response_format: { type: 'json_schema', json_schema: strictFormat(answerSchema) } } : {}),
    ...(isConstrained && request.answersNow && !dialect.openai && tools.length > 0 ? { tool_choice: 'none' } : {}),
  };
  return {
    model,
    stream: true,
    ...Object.fromEntries(Object.entries(optional).filter(([name]) => !dialect.without?.includes(name))),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            function: { name, description, parameters: inputSchema },
          })),
        }),
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...request.messages.flatMap((message) => toMessages(message, model, dialect)),
    ],
  };
}

export function toMessages(neutral: Message, model: string, dialect: Dialect = {}): ChatCompletionMessageParam[] {
  const message = framed(neutral);
  if (message.role === 'user') return [{ role: 'user', content: toContent(message.content) }];
  if (message.role === 'tool') return toResults(message.content, dialect);
  const { provider = PROVIDER } = dialect;
  return toAssistant(message, message.from.provider === provider && message.from.model === model, dialect);
}

function toAssistant(message: AssistantMessage, own: boolean, dialect: Dialect): ChatCompletionMessageParam[] {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = message.content
    .filter((part) => part.type === 'tool_call')
    .map((call) => ({
      id: callId(call.id, dialect),
      type: 'function' as const,
      function: { name: call.name, arguments: JSON.stringify(echoInput(call)) },
    }));
  if (text === '' && calls.length === 0) return [];
  const tokens = own ? message.content.map((part) => (part.type === 'reasoning' ? ((part.replay ?? {}) as Token) : {})) : [];
  const content = tokens.map((token) => token.content ?? '').join('');
  const details = tokens.flatMap((token) => token.details ?? []);
  return [
    {
      role: 'assistant',
      content: text || null,
      ...(content && calls.length > 0 ? { reasoning_content: content } : {}),
      ...(details.length > 0 ? { reasoning_details: details } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    } as ChatCompletionMessageParam,
  ];
}

/** The API only accepts text in results, so images follow in a user message. */
function toResults(results: readonly FramedResult[], dialect: Dialect): ChatCompletionMessageParam[] {
  const messages = results.map((result) => ({
    role: 'tool' as const,
    tool_call_id: callId(result.callId, dialect),
    content: markedText(result),
  }));
  const images = results.flatMap((result) => result.content.filter((part) => part.type === 'image').map(toImage));
  if (images.length === 0) return messages;
  return [...messages, { role: 'user', content: [{ type: 'text', text: framedNote('The images of these tool results:') }, ...images] }];
}

function toContent(parts: readonly (TextPart | ImagePart)[]): string | ChatCompletionContentPart[] {
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join('\n');
  return parts.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : toImage(part)));
}

function toImage(part: ImagePart): ChatCompletionContentPartImage {
  return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}

function callId(id: string, { mistral }: Dialect): string {
  if (!mistral) return wireId(id);
  return /^[a-zA-Z0-9]{9}$/.test(id)
    ? id
    : wireId(`${id}!`)
        .slice(-9)
        .replace(/[^a-zA-Z0-9]/g, '0');
}

import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { type AssistantMessage, type ImagePart, type Message, resultText, type TextPart } from '../../core/model/messages.ts';
import type { ModelRequest, ToolSpec } from '../../core/model/model.ts';
import { type FramedResult, framed } from '../../core/model/notes.ts';
import { closed } from '../answer-schema.ts';
import { echoInput, wireId } from '../tool-calls.ts';

export const PROVIDER = 'anthropic';

/** The content of `part.replay`: the signature of a thinking block, or a whole block that has no text or an unknown type. */
export type Token = { signature?: string; block?: Record<string, unknown> };

/** The output limit, in tokens, if the request has none. The API requires a limit, and every current model supports this value. */
const MAX_TOKENS = 32_000;

const EFFORTS = { minimal: 'low', low: 'low', medium: 'medium', high: 'high' } as const;

/** The field of `output_config` that constrains the answer. Services name it in this way when they reject it. */
export const FORMAT = 'output_config.format';

/** Request fields that gateways and older models may reject. */
export const OPTIONAL = ['cache_control', 'thinking', FORMAT, 'output_config'];

/**
 * `messages` come last and everything before them stays the same during a run, so each request extends the previous one byte for byte and
 * the prompt cache can be reused. For the same purpose, `cache_control` is a field of the request and not of a block: the service applies
 * it to the last block.
 */
export function toBody(request: ModelRequest, without: readonly string[] = []): MessageCreateParamsStreaming {
  const { model, system, tools, maxOutputTokens, reasoningEffort, answerSchema } = request;
  const format = answerSchema && !without.includes(FORMAT) ? { type: 'json_schema' as const, schema: closed(answerSchema) } : undefined;
  const output_config = {
    ...(reasoningEffort !== undefined && { effort: EFFORTS[reasoningEffort] }),
    ...(format && { format }),
  };
  const optional: Partial<MessageCreateParamsStreaming> = {
    cache_control: { type: 'ephemeral' },
    ...(reasoningEffort === undefined ? {} : { thinking: { type: 'adaptive', display: 'summarized' } }),
    ...(Object.keys(output_config).length > 0 && { output_config }),
  };
  return {
    model,
    stream: true,
    max_tokens: maxOutputTokens ?? MAX_TOKENS,
    ...Object.fromEntries(Object.entries(optional).filter(([name]) => !without.includes(name))),
    ...(system === '' ? {} : { system }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    messages: request.messages.flatMap((message) => toMessage(message, model)),
  };
}

function toTool({ name, description, inputSchema }: ToolSpec): Tool {
  return { name, description, input_schema: { ...inputSchema, type: 'object' } };
}

/** Returns an empty list if no content remains: the API rejects empty messages, and merges adjacent messages of the same role. */
export function toMessage(neutral: Message, model: string): MessageParam[] {
  const message = framed(neutral);
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const content: ContentBlockParam[] =
    message.role === 'assistant'
      ? toBlocks(message, message.from.provider === PROVIDER && message.from.model === model)
      : message.role === 'tool'
        ? message.content.map(toResult)
        : toInput(message.content);
  return content.length === 0 ? [] : [{ role, content }];
}

function toBlocks(message: AssistantMessage, own: boolean): ContentBlockParam[] {
  return message.content.flatMap((part): ContentBlockParam[] => {
    if (part.type === 'tool_call') return [{ type: 'tool_use', id: wireId(part.id), name: part.name, input: echoInput(part) }];
    if (part.type === 'text') return toInput([part]);
    const { signature, block } = own ? ((part.replay ?? {}) as Token) : {};
    if (block) return [block as unknown as ContentBlockParam];
    return signature ? [{ type: 'thinking', thinking: part.text, signature }] : [];
  });
}

function toResult(result: FramedResult): ToolResultBlockParam {
  // The API only accepts text in a failed result.
  const content = toInput(result.isError ? [{ type: 'text', text: resultText(result) }] : result.content);
  return {
    type: 'tool_result',
    tool_use_id: wireId(result.callId),
    ...(content.length === 0 ? {} : { content }),
    ...(result.isError ? { is_error: true } : {}),
  };
}

/** Omits blank text, because the API rejects it. */
function toInput(parts: readonly (TextPart | ImagePart)[]): (TextBlockParam | ImageBlockParam)[] {
  return parts.flatMap((part): (TextBlockParam | ImageBlockParam)[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    const media_type = part.mediaType as 'image/png';
    return [{ type: 'image', source: { type: 'base64', media_type, data: part.data } }];
  });
}

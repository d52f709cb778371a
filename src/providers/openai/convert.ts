import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputItem,
  ResponseInputText,
} from 'openai/resources/responses/responses';
import type { AssistantMessage, ImagePart, Message, TextPart } from '../../core/model/messages.ts';
import type { ModelRequest, ToolSpec } from '../../core/model/model.ts';
import { type FramedResult, framed } from '../../core/model/notes.ts';
import { strictFormat } from '../answer-schema.ts';
import { echoInput, markedText, wireId } from '../tool-calls.ts';

export const PROVIDER = 'openai';

/** The content of `part.replay`: a complete item (reasoning or an unknown type), or the phase of a message. */
export type Token = { item?: Record<string, unknown>; phase?: EasyInputMessage['phase'] };

/** The features that the server rejected for the model or account. */
export type Omit = { encrypted?: boolean; summary?: boolean; temperature?: boolean; format?: boolean };

/** `input` comes last and everything before it stays the same during a run, so each request extends the previous one byte for byte. */
export function toBody(request: ModelRequest, omit: Omit = {}): ResponseCreateParamsStreaming {
  const { model, system, tools, cacheKey, maxOutputTokens, reasoningEffort, temperature, answerSchema } = request;
  return {
    model,
    stream: true,
    store: false,
    ...(omit.encrypted ? {} : { include: ['reasoning.encrypted_content' as const] }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(reasoningEffort === undefined
      ? {}
      : { reasoning: { effort: reasoningEffort, ...(omit.summary ? {} : { summary: 'auto' as const }) } }),
    ...(temperature === undefined || omit.temperature ? {} : { temperature }),
    ...(answerSchema === undefined || omit.format ? {} : { text: { format: { type: 'json_schema', ...strictFormat(answerSchema) } } }),
    ...(system === '' ? {} : { instructions: system }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    input: request.messages.flatMap((message) => toItems(message, model)),
  };
}

function toTool({ name, description, inputSchema }: ToolSpec): FunctionTool {
  return { type: 'function', name, description, parameters: inputSchema, strict: false };
}

/** The items depend only on the message and the model, so they do not change when later messages are added. */
export function toItems(neutral: Message, model: string): ResponseInputItem[] {
  const message = framed(neutral);
  if (message.role === 'user') return [{ type: 'message', role: 'user', content: message.content.map(toInput) }];
  if (message.role === 'tool') return message.content.map(toOutput);
  return toAssistantItems(message, message.from.provider === PROVIDER && message.from.model === model);
}

function toAssistantItems(message: AssistantMessage, own: boolean): ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  for (const part of message.content) {
    const token: Token = own && part.type !== 'tool_call' ? ((part.replay ?? {}) as Token) : {};
    if (part.type === 'tool_call') {
      items.push({ type: 'function_call', call_id: wireId(part.id), name: part.name, arguments: JSON.stringify(echoInput(part)) });
    } else if (token.item) {
      items.push(token.item as unknown as ResponseInputItem);
    } else if (part.type === 'text' && part.text !== '') {
      items.push({ type: 'message', role: 'assistant', content: part.text, ...(token.phase ? { phase: token.phase } : {}) });
    }
  }
  // The service rejects reasoning that is not followed by another item, which happens if the user stopped the model while it was reasoning.
  while (items.at(-1)?.type === 'reasoning') items.pop();
  return items;
}

function toOutput(result: FramedResult): ResponseInputItem {
  const image = result.content.some((part) => part.type === 'image');
  const marked: (TextPart | ImagePart)[] = result.isError ? [{ type: 'text', text: 'Error:' }, ...result.content] : result.content;
  return {
    type: 'function_call_output',
    call_id: wireId(result.callId),
    output: image ? marked.map((part): ResponseFunctionCallOutputItem => toInput(part)) : markedText(result),
  };
}

function toInput(part: TextPart | ImagePart): ResponseInputText | { type: 'input_image'; image_url: string; detail: 'auto' } {
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}`, detail: 'auto' };
}

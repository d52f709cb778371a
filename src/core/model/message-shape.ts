/** The shapes of messages, for validating logs. */

import { anyOf, arrayOf, boolean, constant, json, number, object, oneOf, optional, string } from '../shape.ts';
import type {
  AssistantMessage,
  Cost,
  ImagePart,
  MentionKind,
  MentionRef,
  ModelRef,
  NotePart,
  NoteSource,
  ReasoningPart,
  StopReason,
  TextPart,
  ToolCall,
  ToolResult,
  Usage,
  UserMessage,
} from './messages.ts';

const text = optional(string);
const amount = optional(number);

export const model = object<ModelRef>({ provider: string, model: string });
export const usage = object<Usage>({ input: amount, output: amount, cached: amount, cacheWrite: amount, reasoning: amount });
export const cost = object<Cost>({ usd: number, unpriced: amount });

const textPart = object<TextPart>({ type: constant('text'), text: string, replay: json });
const reasoningPart = object<ReasoningPart>({ type: constant('reasoning'), text: string, replay: json });
const imagePart = object<ImagePart>({ type: constant('image'), mediaType: string, data: string });
const toolCall = object<ToolCall>({
  type: constant('tool_call'),
  id: string,
  name: string,
  input: json,
  malformed: text,
  problem: text,
  replay: json,
});
export const mentionRef = object<MentionRef>({
  kind: oneOf<MentionKind>({
    file: true,
    folder: true,
    selection: true,
    symbol: true,
    problems: true,
    changes: true,
    terminal: true,
    url: true,
    session: true,
    resource: true,
    collection: true,
    attachment: true,
  }),
  path: text,
  lines: optional(object<NonNullable<MentionRef['lines']>>({ from: number, to: number })),
  name: text,
  server: text,
  secret: optional(constant(true)),
});
const notePart = object<NotePart>({
  type: constant('note'),
  about: oneOf<NotePart['about']>({
    undo: true,
    cut_off: true,
    empty: true,
    plan: true,
    plan_change: true,
    check: true,
    repeated: true,
    image: true,
    compacted: true,
    rules: true,
    memory: true,
    surroundings: true,
    servers: true,
    skills: true,
    hook: true,
    mention: true,
  }),
  text: string,
  source: optional(object<NoteSource>({ paths: arrayOf(string), digest: string, remark: text })),
  ref: optional(mentionRef),
  hook: text,
});
/** The parts of a user message, and of a tool result. */
export const userContent = arrayOf(anyOf(textPart, imagePart, notePart));
export const toolResult = object<ToolResult>({
  type: constant('tool_result'),
  callId: string,
  name: string,
  content: userContent,
  isError: optional(boolean),
});
const stop = oneOf<StopReason>({ end_turn: true, tool_use: true, max_tokens: true, refusal: true, aborted: true, other: true });
export const userMessage = object<UserMessage>({ role: constant('user'), content: userContent });
/** A part of a model's answer. */
export const answerPart = anyOf(textPart, toolCall, reasoningPart);
export const assistantMessage = object<AssistantMessage>({
  role: constant('assistant'),
  content: arrayOf(answerPart),
  from: model,
  stop,
  usage: optional(usage),
  usd: amount,
});

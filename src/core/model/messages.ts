/**
 * What a model and Kedge say to each other, in no vendor's words.
 * A provider converts these to its wire and back; nothing else of a vendor gets past its folder.
 */

/** An opaque vendor token (signature, item id) that only the model that made it can read again. */
export type Replay = { replay?: unknown };

export type TextPart = { type: 'text'; text: string } & Replay;
export type ReasoningPart = { type: 'reasoning'; text: string } & Replay;
/** `data` is base64 without a `data:` prefix. */
export type ImagePart = { type: 'image'; mediaType: string; data: string };
/** Words of Kedge itself to the model; see notes.ts. */
export type NotePart = {
  type: 'note';
  about: 'undo' | 'cut_off' | 'empty' | 'plan' | 'plan_change' | 'check' | 'repeated' | 'image';
  text: string;
};

/**
 * `input` is the parsed JSON; where the model sent something that does not parse, `input` is absent and `malformed` holds the text.
 * A malformed call is never executed. `problem` is what the model is told in its place, where it is not that this is no JSON.
 */
export type ToolCall = { type: 'tool_call'; id: string; name: string; input?: unknown; malformed?: string; problem?: string } & Replay;
export type ToolResult = {
  type: 'tool_result';
  callId: string;
  name: string;
  content: (TextPart | ImagePart | NotePart)[];
  isError?: boolean;
};

export type ModelRef = { provider: string; model: string };

/** Tokens of one answer. Unknown is undefined, never 0. `input` counts what was read from a cache and written to it, `output` counts reasoning tokens. */
export type Usage = { input?: number; output?: number; cached?: number; cacheWrite?: number; reasoning?: number };

/** US dollars of the answers whose price is known; `unpriced` is how many others there are, so that the sum is a lower bound. */
export type Cost = { usd: number; unpriced?: number };

/** `aborted` is Kedge's own: the user stopped the answer half-way. */
export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal' | 'aborted' | 'other';

export type UserMessage = { role: 'user'; content: (TextPart | ImagePart | NotePart)[] };
export type AssistantMessage = {
  role: 'assistant';
  content: (TextPart | ReasoningPart | ToolCall)[];
  from: ModelRef;
  stop: StopReason;
  usage?: Usage;
  /** US dollars, at the prices of the day. */
  usd?: number;
};
export type ToolMessage = { role: 'tool'; content: ToolResult[] };
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** What its author said, without what Kedge added. */
export function textOf(message: Message): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function resultText(result: ToolResult): string {
  return result.content.map(resultPart).join('\n');
}

function resultPart(part: ToolResult['content'][number]): string {
  if (part.type === 'note') return `[Kedge: ${part.text}]`;
  return part.type === 'text' ? part.text : `[image ${part.mediaType}]`;
}

export function callsOf(message: Message | undefined): ToolCall[] {
  return message?.role === 'assistant' ? message.content.filter((part) => part.type === 'tool_call') : [];
}

/** Whether the model ended its turn without a word and without a call: what it thought is no answer. */
export function isEmptyAnswer(message: Message | undefined): boolean {
  if (message?.role !== 'assistant' || !['end_turn', 'tool_use', 'other'].includes(message.stop)) return false;
  return callsOf(message).length === 0 && textOf(message).trim() === '';
}

/** Whether an answer ended before it said anything: only its use is kept of it. */
export function endedUnsaid(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.stop === 'aborted' && message.content.length === 0;
}

/** Whether an answer ended in the middle of what it said, and can be continued. */
export function brokeOffInside(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.stop === 'aborted' && message.content.length > 0;
}

export function user(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

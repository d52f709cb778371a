/**
 * The messages between a model and Kedge, independent of any provider. Providers convert them to and from their wire formats. Code that is
 * specific to a vendor stays in the folder of its provider.
 */

/** An opaque token of the vendor (signature, item id), which only the model that issued it can use. */
export type Replay = { replay?: unknown };

export type TextPart = { type: 'text'; text: string } & Replay;
export type ReasoningPart = { type: 'reasoning'; text: string } & Replay;
/** `data` is base64 without a `data:` prefix. */
export type ImagePart = { type: 'image'; mediaType: string; data: string };
export type MentionKind =
  | 'file'
  | 'folder'
  | 'selection'
  | 'symbol'
  | 'problems'
  | 'changes'
  | 'terminal'
  | 'url'
  | 'session'
  | 'resource'
  | 'collection'
  | 'attachment';
/**
 * A mention: something that a user named in a message. `path` is a path in the workspace, the address of a `url`, the id of a `session`,
 * the URI of a `resource` of the MCP server `server`, or the name of a `collection` of documents. `lines` counts from 1 and includes both ends. `name` is the name of a symbol, an
 * attachment or a resource, or the title of a session. `secret` is set if the user confirmed that a file which may contain keys is sent.
 */
export type MentionRef = {
  kind: MentionKind;
  path?: string;
  lines?: { from: number; to: number };
  name?: string;
  server?: string;
  secret?: true;
};
/**
 * A message from Kedge itself to the model; see notes.ts. For a `mention`, `text` is the content of what `ref` names, when the message was
 * sent.
 */
export type NotePart = {
  type: 'note';
  about:
    | 'undo'
    | 'cut_off'
    | 'empty'
    | 'plan'
    | 'plan_change'
    | 'check'
    | 'repeated'
    | 'image'
    | 'compacted'
    | 'rules'
    | 'memory'
    | 'surroundings'
    | 'servers'
    | 'skills'
    | 'hook'
    | 'mention';
  text: string;
  /** The field is set for rules and memory. */
  source?: NoteSource;
  ref?: MentionRef;
  /** The name of the hook whose output `text` is. */
  hook?: string;
};

/**
 * The source of a note about rules or memory. `paths` are the files, and the first of them identifies the note: a later note with the same
 * first path replaces it. `digest` is a hash of the content. It is empty if the file no longer exists. `remark` says what is missing, such as `cut
 * off`.
 */
export type NoteSource = { paths: string[]; digest: string; remark?: string };

/**
 * `input` is the parsed JSON. When the model sent invalid JSON, `input` is missing and `malformed` contains the text. A malformed call is
 * never executed. `problem` replaces the usual message to the model that the arguments are not valid JSON.
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

/**
 * Token counts of one answer. An unknown count is undefined, never 0. `input` includes tokens read from and written to the prompt cache,
 * and `output` includes reasoning tokens.
 */
export type Usage = { input?: number; output?: number; cached?: number; cacheWrite?: number; reasoning?: number };

/** The sum in US dollars of all answers with a known price. `unpriced` counts the other answers, which make the sum a lower bound. */
export type Cost = { usd: number; unpriced?: number };

/** `aborted` is set by Kedge, not by a provider: the answer was cut off before it was complete. */
export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal' | 'aborted' | 'other';

export type UserMessage = { role: 'user'; content: (TextPart | ImagePart | NotePart)[] };
export type AssistantMessage = {
  role: 'assistant';
  content: (TextPart | ReasoningPart | ToolCall)[];
  from: ModelRef;
  stop: StopReason;
  usage?: Usage;
  /** The cost in US dollars, at the prices when the answer was received. */
  usd?: number;
};
export type ToolMessage = { role: 'tool'; content: ToolResult[] };
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** Returns the text of a message without the notes that Kedge added. */
export function textOf(message: Message): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The beginning of the result of a call that the user rejected. The user's words follow after a colon. */
export const REJECTED = 'The user rejected this';

/** Returns the text of a tool result. Rules that were added to the result are not included. */
export function resultText(result: ToolResult): string {
  return result.content
    .filter((part) => part.type !== 'note' || part.about !== 'rules')
    .map(resultPart)
    .join('\n');
}

function resultPart(part: ToolResult['content'][number]): string {
  if (part.type === 'note') return `[Kedge: ${part.text}]`;
  return part.type === 'text' ? part.text : `[image ${part.mediaType}]`;
}

/** The result of a call during which the program ended. */
export const INTERRUPTED = 'This call was interrupted and may have taken effect. Check its effect before you continue.';

/** Returns the result of a call that has none, because the run or the program ended before. */
export function orphanResult(call: ToolCall, mayHaveHappened: boolean): ToolResult {
  const text = mayHaveHappened
    ? INTERRUPTED
    : 'Not executed: the run was stopped before this call. Call the tool again if you still need it.';
  return { type: 'tool_result', callId: call.id, name: call.name, content: [{ type: 'text', text }], isError: true };
}

/** Only the names of tools of MCP servers contain two consecutive underscores. */
export function isOfServer(call: ToolCall | undefined): boolean {
  return call?.name.includes('__') === true;
}

export function callsOf(message: Message | undefined): ToolCall[] {
  return message?.role === 'assistant' ? message.content.filter((part) => part.type === 'tool_call') : [];
}

/** Returns true if the model ended its turn without text and without a tool call. Reasoning alone is not an answer. */
export function isEmptyAnswer(message: Message | undefined): boolean {
  if (message?.role !== 'assistant' || !['end_turn', 'tool_use', 'other'].includes(message.stop)) return false;
  return !message.content.some((part) => part.type === 'tool_call' || (part.type === 'text' && part.text.trim() !== ''));
}

/** Returns true if a message is sent to a model. Empty messages are not sent, because providers reject them. */
export function isSent(message: Message): boolean {
  return message.content.length > 0 && !isEmptyAnswer(message);
}

/** Returns true if an answer was cut off before it contained anything, so that only its usage is recorded. */
export function endedUnsaid(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.stop === 'aborted' && message.content.length === 0;
}

/** Returns true if an answer was cut off after it contained some text, so that the model can continue it. */
export function brokeOffInside(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.stop === 'aborted' && message.content.length > 0;
}

export function user(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

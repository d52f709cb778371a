import type { Message, ReasoningPart, StopReason, TextPart, ToolCall, Usage } from './messages.ts';

/** A JSON Schema object in its wire format. */
export type JsonSchema = Record<string, unknown>;

export type ToolSpec = { name: string; description: string; inputSchema: JsonSchema };

/**
 * One request to a model. Two requests of the same run differ only by messages at the end, so that the prompt cache of the provider is hit.
 * Adapters must preserve that property in their wire format.
 */
export type ModelRequest = {
  model: string;
  system: string;
  messages: readonly Message[];
  tools: readonly ToolSpec[];
  /** The same for a whole session. Providers route equal keys to the same prompt cache. */
  cacheKey?: string;
  maxOutputTokens?: number;
  reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high';
  /** Providers without this parameter leave it out. */
  temperature?: number;
  /** For servers that allocate as much memory as they are asked to. */
  contextWindow?: number;
};

/**
 * The request failed temporarily and is sent again in `waitMs` milliseconds, as attempt number `attempt` of at most `tries`. With `silent`,
 * it has not failed yet, but will if nothing is received within `waitMs`.
 */
export type ModelWaiting = {
  type: 'model_waiting';
  attempt: number;
  tries: number;
  reason: ModelErrorKind;
  waitMs: number;
  silent?: true;
};

/**
 * The events that an adapter yields. Deltas are for display; a finished `part` is authoritative, and parts come in order. `stop` comes last
 * and exactly once. A failure throws ModelError; a stream that ends without `stop` is a failure.
 */
export type ModelEvent =
  | { type: 'text_delta'; text: string }
  | { type: 'reasoning_delta'; text: string }
  | { type: 'tool_input_delta'; name?: string; text: string }
  | ModelWaiting
  | { type: 'part'; part: TextPart | ReasoningPart | ToolCall }
  | { type: 'usage'; usage: Usage }
  | { type: 'stop'; reason: Exclude<StopReason, 'aborted'> };

export interface ModelAdapter {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** How long the server may send nothing before the request fails, in milliseconds. */
  readonly silenceMs?: number;
  /** The tokens cost nothing, so they do not count towards a budget. */
  readonly isFree?: boolean;
  /** Ends the current wait, if there is one, and sends the request again. A wrapper of an adapter must forward this. */
  retryNow?(): void;
}

export type ModelErrorKind =
  | 'auth'
  | 'unknown_model'
  | 'no_credit'
  | 'rate_limit'
  | 'overloaded'
  | 'context_overflow'
  | 'invalid_request'
  | 'network'
  | 'timeout'
  | 'empty_answer'
  | 'bad_stream';

export type ModelErrorOptions = { retryAfterMs?: number; tries?: number; cause?: unknown };

/** `message` is one sentence that says what happened and what to do. It never contains a key. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly retryAfterMs: number | undefined;
  /** How many attempts are useful for this failure, when that differs from the default. */
  readonly tries: number | undefined;

  constructor(kind: ModelErrorKind, message: string, options: ModelErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.tries = options.tries;
  }
}

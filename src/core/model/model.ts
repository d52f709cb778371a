import type { Message, ReasoningPart, StopReason, TextPart, ToolCall, Usage } from './messages.ts';

/** A JSON Schema object, as it goes over the wire. */
export type JsonSchema = Record<string, unknown>;

export type ToolSpec = { name: string; description: string; inputSchema: JsonSchema };

/**
 * One question to a model. Two requests of the same run differ only by messages at the end,
 * so that a provider's prompt cache can hit: an adapter must keep that property on its wire.
 */
export type ModelRequest = {
  model: string;
  system: string;
  messages: readonly Message[];
  tools: readonly ToolSpec[];
  /** Stable for a session; providers route equal keys to the same prompt cache. */
  cacheKey?: string;
  maxOutputTokens?: number;
  reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high';
  /** Some wires have none, and leave it out. */
  temperature?: number;
  /** For servers that make room for as much as they are told to. */
  contextWindow?: number;
};

/**
 * The request failed in a way that passes: in `waitMs` it is sent again, as the `attempt`th of at most `tries`. `silent`: it did not fail yet,
 * but will in `waitMs` if nothing comes until then.
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
 * What an adapter yields. Deltas are for display; a finished `part` is the truth and comes in order.
 * `stop` comes last and once. A failure throws ModelError; a stream that just ends is a failure.
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
  /** How long its server may send nothing before a request is given up. */
  readonly silenceMs?: number;
  /** Its tokens cost nothing, so that they count towards no budget. */
  readonly isFree?: boolean;
  /** Ends the wait that it is in, if it is in one, and sends the request again. What wraps an adapter hands this on. */
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
  /** How often a request that fails so is worth sending, where that is not as usual. */
  readonly tries: number | undefined;

  constructor(kind: ModelErrorKind, message: string, options: ModelErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.tries = options.tries;
  }
}

import type { Message, ReasoningPart, StopReason, TextPart, ToolCall, Usage } from './messages.ts';

/** A JSON Schema object in its wire format. */
export type JsonSchema = Record<string, unknown>;

export type ToolSpec = { name: string; description: string; inputSchema: JsonSchema };

/**
 * One request to a model. A later request of the same run differs only by additional messages at the end, so that the prompt cache of the
 * provider is hit. Adapters must keep their wire format equally stable.
 */
export type ModelRequest = {
  model: string;
  system: string;
  messages: readonly Message[];
  tools: readonly ToolSpec[];
  /** The key is constant during a session. Providers route requests with the same key to the same prompt cache. */
  cacheKey?: string;
  maxOutputTokens?: number;
  reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high';
  /** Providers that do not support a temperature ignore it. */
  temperature?: number;
  /** The size in tokens, for servers such as Ollama that allocate memory for the requested context window. */
  contextWindow?: number;
  /**
   * The answer must be valid against this schema. Services that support it constrain the answer; the others ignore it, so the caller must check
   * the answer.
   */
  answerSchema?: JsonSchema;
  /** The model must answer now and not call a tool. Servers that can constrain an answer only without tools then constrain it. */
  answersNow?: true;
};

/**
 * The request failed temporarily and is sent again in `waitMs` milliseconds, as attempt number `attempt` of at most `tries`. With `silent`,
 * the request has not failed yet, but it fails if nothing is received within `waitMs`.
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
  /** Whether the tokens cost nothing. Free tokens do not count towards a budget. */
  readonly isFree?: boolean;
  /** Ends the current wait, if there is one, and sends the request again. An adapter that wraps another one must forward this call. */
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

/** `window` and `requested` are the numbers of tokens that a `context_overflow` error names: of the context window, and of the request. */
export type ModelErrorOptions = { retryAfterMs?: number; tries?: number; window?: number; requested?: number; cause?: unknown };

/** `message` is one sentence that says what happened and what to do. It never contains a key. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly retryAfterMs: number | undefined;
  /** The maximum number of attempts for this failure, if it differs from the default. */
  readonly tries: number | undefined;
  readonly window: number | undefined;
  readonly requested: number | undefined;

  constructor(kind: ModelErrorKind, message: string, options: ModelErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.tries = options.tries;
    this.window = options.window;
    this.requested = options.requested;
  }
}

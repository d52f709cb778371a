import { GrowingText } from '../../core/growing-text.ts';
import type { AssistantMessage, ToolCall, Usage } from '../../core/model/messages.ts';
import type { ModelEvent } from '../../core/model/model.ts';
import { failureError, failureOf, modelError } from '../errors.ts';
import { expectBounds, type Reader } from '../exchange.ts';
import type { Server } from '../server.ts';
import { parseArguments, parseInput } from '../tool-calls.ts';
import type { Token } from './convert.ts';

type Block = {
  type?: string;
  text?: string | null;
  thinking?: string | null;
  signature?: string | null;
  id?: string;
  name?: string;
  input?: unknown;
};
type WireUsage = {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
};
type WireEvent = {
  type?: string;
  index?: number;
  content_block?: Block | null;
  delta?: {
    type?: string;
    text?: string | null;
    thinking?: string | null;
    signature?: string | null;
    partial_json?: string | null;
    stop_reason?: string | null;
  } | null;
  message?: { id?: string; content?: Block[] | null; stop_reason?: string | null; usage?: WireUsage | null } | null;
  usage?: WireUsage | null;
};

/** A content block that has not ended. `json` collects streamed arguments. It stays empty if `block.input` was complete at the start. */
type Open = { block: Block; text: GrowingText; signature: string; json: GrowingText };

function openBlock(block: Block): Open {
  const text = new GrowingText(block.text || block.thinking || '');
  return { block, text, signature: block.signature ?? '', json: new GrowingText() };
}

const STOPS: Record<string, (ModelEvent & { type: 'stop' })['reason']> = {
  end_turn: 'end_turn',
  stop_sequence: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  refusal: 'refusal',
};

/** The result of one response. If the service paused the answer, the model continues when `parts` are sent back. */
export type End = { paused: boolean; parts: AssistantMessage['content']; usage: Usage };

/** @param before the usage of the earlier responses of the same answer */
export function* toModelEvents(server: Server, before: Usage = {}, mayPause = false): Reader<WireEvent, End> {
  const open = new Map<number, Open>();
  const parts: End['parts'] = [];
  const counted: Counted = {};
  let message: WireEvent['message'];
  let hasContent = false;
  let reason: string | undefined;
  let hasToolCall = false;
  /** A tool call with invalid JSON. The stop reason shows whether the model wrote it that way or the output limit cut it off. */
  let malformedCall: ToolCall | undefined;

  const emitPart = (part: End['parts'][number]): ModelEvent => {
    parts.push(part);
    return { type: 'part', part };
  };

  function* flushMalformedCall(): Generator<ModelEvent> {
    if (malformedCall && STOPS[reason ?? ''] !== 'max_tokens') {
      hasToolCall = true;
      yield emitPart(malformedCall);
    }
    malformedCall = undefined;
  }

  function* start(index: number, block: Block): Generator<ModelEvent> {
    hasContent = true;
    expectBounds(server, 0, open.size);
    open.set(index, openBlock(block));
    if (block.text) yield { type: 'text_delta', text: block.text };
    if (block.thinking) yield { type: 'reasoning_delta', text: block.thinking };
  }

  function* finish(index: number): Generator<ModelEvent> {
    const state = open.get(index);
    if (!state) return;
    open.delete(index);
    yield* flushMalformedCall();
    const { block, signature } = state;
    const text = state.text.take();
    const json = state.json.take();
    switch (block.type) {
      case 'text':
        if (text) yield emitPart({ type: 'text', text });
        break;
      case 'thinking':
        if (text || signature) yield emitPart({ type: 'reasoning', text, ...(signature ? { replay: { signature } as Token } : {}) });
        break;
      case 'tool_use': {
        const input = json === '' ? { input: block.input || {} } : parseArguments(json);
        const call: ToolCall = { type: 'tool_call', id: block.id || `call_${index}`, name: block.name ?? '', ...input };
        if (call.malformed !== undefined) {
          malformedCall = call;
          break;
        }
        hasToolCall = true;
        yield emitPart(call);
        break;
      }
      default: {
        const { input = block.input } = json === '' ? {} : parseInput(json);
        const replay = { block: input === undefined ? block : { ...block, input } } as Token;
        if (block.type) yield emitPart({ type: 'reasoning', text: '', replay });
      }
    }
  }

  try {
    for (let event = yield; event; event = yield) {
      const index = event.index ?? 0;
      switch (event.type) {
        case 'message_start':
          // A gateway may reconnect and restart the request; the two answers cannot be combined.
          if (hasContent && event.message?.id && message?.id && event.message.id !== message.id) {
            throw modelError(server, 'bad_stream', 'another answer began before the first one ended');
          }
          message = event.message;
          reason = message?.stop_reason ?? reason;
          count(counted, message?.usage);
          break;
        case 'content_block_start':
          yield* finish(index);
          yield* start(index, event.content_block ?? {});
          break;
        case 'content_block_delta': {
          hasContent = true;
          const state = open.get(index) ?? openBlock(blockOfDelta(event.delta?.type));
          open.set(index, state);
          const { text, thinking, signature, partial_json } = event.delta ?? {};
          state.text.add((text ?? '') + (thinking ?? ''));
          state.signature += signature ?? '';
          expectBounds(server, state.signature.length, open.size);
          state.json.add(partial_json ?? '');
          if (text) yield { type: 'text_delta', text };
          if (thinking) yield { type: 'reasoning_delta', text: thinking };
          const { name } = state.block;
          if (partial_json) yield { type: 'tool_input_delta', ...(name ? { name } : {}), text: partial_json };
          break;
        }
        case 'content_block_stop':
          yield* finish(index);
          break;
        case 'message_delta':
          count(counted, event.usage);
          reason = event.delta?.stop_reason ?? reason;
          break;
        case 'message_stop': {
          // Content normally arrives block by block; some servers send all of it in `message_start`.
          if (!hasContent) for (const [at, block] of message?.content?.entries() ?? []) yield* start(at, block);
          for (const openIndex of [...open.keys()]) yield* finish(openIndex);
          yield* flushMalformedCall();
          const usage = sum(before, total(counted));
          if (reason === 'pause_turn' && mayPause) return { paused: true, parts, usage };
          if (Object.keys(usage).length > 0) yield { type: 'usage', usage };
          const stop = STOPS[reason ?? ''] ?? 'other';
          yield { type: 'stop', reason: hasToolCall && (stop === 'end_turn' || stop === 'other') ? 'tool_use' : stop };
          return { paused: false, parts, usage };
        }
        case 'error':
          throw failureError(server, failureOf(event));
      }
    }
    throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
  } catch (error) {
    // The user has already seen the streamed text, so it is kept when the answer is interrupted. An incomplete tool call is dropped.
    for (const { block, text: partialText } of open.values()) {
      const text = partialText.take();
      if (text && block.type === 'text') yield emitPart({ type: 'text', text });
      if (text && block.type === 'thinking') yield emitPart({ type: 'reasoning', text });
    }
    throw error;
  }
}

/** A proxy may lose the start of a block, so the block's type is derived from the delta. A tool call without a name is dropped. */
function blockOfDelta(delta: string | undefined): Block {
  return { type: delta === 'text_delta' ? 'text' : delta === 'thinking_delta' ? 'thinking' : undefined };
}

type Counted = Usage & { uncached?: number };

/**
 * Adds the counts of an event. Counts are cumulative, and an unknown count is 0, null or missing, so the largest value counts. Only input
 * counts can decrease, when the service compacts the context.
 */
function count(counted: Counted, usage: WireUsage | null | undefined): void {
  const most = (before: number | undefined, now: number | null | undefined) =>
    typeof now === 'number' ? Math.max(before ?? 0, now) : before;
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage ?? {};
  const input = input_tokens ? (before: number | undefined, now: number | null | undefined) => now ?? before : most;
  counted.uncached = input(counted.uncached, input_tokens);
  counted.cacheWrite = input(counted.cacheWrite, cache_creation_input_tokens);
  counted.cached = input(counted.cached, cache_read_input_tokens);
  counted.output = most(counted.output, usage?.output_tokens);
  counted.reasoning = most(counted.reasoning, usage?.output_tokens_details?.thinking_tokens);
}

function total({ uncached, cacheWrite, cached, output, reasoning }: Counted): Usage {
  return {
    ...(uncached === undefined ? {} : { input: uncached + (cacheWrite ?? 0) + (cached ?? 0) }),
    ...(output === undefined ? {} : { output }),
    ...(cached === undefined ? {} : { cached }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function sum(a: Usage, b: Usage): Usage {
  const keys = Object.keys({ ...a, ...b }) as (keyof Usage)[];
  return Object.fromEntries(keys.map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]));
}

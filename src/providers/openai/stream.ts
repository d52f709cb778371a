import { GrowingText } from '../../core/growing-text.ts';
import type { ReasoningPart, ToolCall, Usage } from '../../core/model/messages.ts';
import type { ModelEvent } from '../../core/model/model.ts';
import { failureError, failureOf, modelError } from '../errors.ts';
import { expectBounds, type Reader } from '../exchange.ts';
import type { Server } from '../server.ts';
import { parseArguments } from '../tool-calls.ts';
import type { Token } from './convert.ts';

/** The fields of an item that are read. All are optional because compatible servers and proxies omit some. */
type Item = {
  type?: string;
  id?: string;
  status?: string;
  phase?: Token['phase'];
  content?: { type?: string; text?: string; refusal?: string }[] | null;
  summary?: { text?: string }[] | null;
  encrypted_content?: string | null;
  call_id?: string;
  name?: string;
  /** A string, or an object from some compatible servers. */
  arguments?: unknown;
};
type WireUsage = {
  input_tokens?: number;
  output_tokens?: number;
  input_tokens_details?: { cached_tokens?: number } | null;
  output_tokens_details?: { reasoning_tokens?: number } | null;
};
type WireEvent = {
  type?: string;
  output_index?: number;
  content_index?: number;
  summary_index?: number;
  item?: Item;
  delta?: unknown;
  text?: unknown;
  refusal?: unknown;
  part?: { type?: string; text?: unknown; refusal?: unknown } | null;
  arguments?: unknown;
  error?: unknown;
  response?: {
    status?: string;
    output?: Item[] | null;
    error?: unknown;
    incomplete_details?: { reason?: string } | null;
    usage?: WireUsage | null;
  };
};

/** The content received for an unfinished item. Items are identified by `output_index`, because their ids may change between events. */
type Open = {
  item: Item;
  text: GrowingText;
  refusal: GrowingText;
  thought: GrowingText;
  input: GrowingText | undefined;
  /** The `content_index` of the last text received. */
  lastContentIndex: number;
};

const openItem = (item: Item): Open => ({
  item,
  text: new GrowingText(),
  refusal: new GrowingText(),
  thought: new GrowingText(),
  input: undefined,
  lastContentIndex: -1,
});

export function* toModelEvents(server: Server): Reader<WireEvent> {
  const open = new Map<number, Open>();
  const finished = new Map<number, string>();
  const finishedItems = new Set<string>();
  let finishedLength = 0;
  const callIds = new Set<string>();
  let last = -1;
  let hasToolCall = false;
  let refused = false;
  /** A tool call with invalid JSON. The closing event shows whether the model wrote it that way or the output limit cut it off. */
  let malformedCall: ToolCall | undefined;

  const at = (event: WireEvent): Open => {
    last = event.output_index ?? Math.max(0, last);
    const existing = open.get(last);
    if (existing) return existing;
    const state = openItem({});
    open.set(last, state);
    return state;
  };

  /** Emits text that arrived without deltas, from events that repeat a complete part. */
  function* repeated(event: WireEvent, type: 'text' | 'refusal', words: unknown): Generator<ModelEvent> {
    const state = at(event);
    const index = event.content_index ?? 0;
    if (typeof words !== 'string' || words === '' || state.lastContentIndex >= index) return;
    state.lastContentIndex = index;
    state[type].add(words);
    yield { type: 'text_delta', text: words };
  }

  /** Returns true if the item was already finished. Indexes cannot show it, because some servers give all items the same index. */
  const isFinished = (item: Item) => callIds.has(item.call_id ?? '') || finishedItems.has(JSON.stringify(item));

  function* flushMalformedCall(cut: boolean): Generator<ModelEvent> {
    if (malformedCall && !cut) {
      hasToolCall = true;
      yield { type: 'part', part: malformedCall };
    }
    malformedCall = undefined;
  }

  function* finish(index: number, item: Item, state: Open | undefined): Generator<ModelEvent> {
    // Some servers send the closing event of an item twice.
    const text = JSON.stringify(item);
    if (finished.get(index) === text) return;
    finished.set(index, text);
    finishedItems.add(text);
    finishedLength += text.length;
    open.delete(index);
    yield* flushMalformedCall(false);
    const thought = state?.thought.text;
    if (thought && item.type !== 'reasoning') yield { type: 'part', part: { type: 'reasoning', text: thought } };
    const content = item.content ?? [];
    if (item.type === 'message') {
      refused ||= Boolean(state?.refusal.length) || content.some((part) => part.type === 'refusal');
      const text = content.map((part) => part.text ?? part.refusal ?? '').join('') || (state ? state.text.text + state.refusal.text : '');
      const replay: Token = { phase: item.phase };
      if (text) yield { type: 'part', part: { type: 'text', text, ...(item.phase ? { replay } : {}) } };
    } else if (item.type === 'function_call') {
      // A call that was cut off is dropped. A call that is repeated with another status was already reported.
      if (item.status === 'incomplete' || callIds.has(item.call_id ?? '')) return;
      const id = item.call_id || item.id || `call_${index}`;
      callIds.add(id);
      malformedCall = { type: 'tool_call', id, name: item.name ?? '', ...inputOf(item.arguments || state?.input?.text) };
      if (malformedCall.malformed === undefined) yield* flushMalformedCall(false);
    } else if (item.type === 'reasoning') {
      yield* reasoning(item, thought);
    } else if (item.type !== undefined) {
      yield { type: 'part', part: { type: 'reasoning', text: '', replay: { item } as Token } };
    }
  }

  /** The user has already seen the streamed text, so it is kept when the answer is interrupted. An incomplete tool call is dropped. */
  function* leftovers(): Generator<ModelEvent> {
    for (const [, { text, refusal, thought }] of [...open].sort(([a], [b]) => a - b)) {
      if (thought.length > 0) yield { type: 'part', part: { type: 'reasoning', text: thought.text } };
      if (text.length + refusal.length > 0) yield { type: 'part', part: { type: 'text', text: text.text + refusal.text } };
    }
  }

  try {
    for (let event = yield; event; event = yield) {
      const delta = typeof event.delta === 'string' ? event.delta : '';
      expectBounds(server, finishedLength, open.size);
      switch (event.type) {
        case 'response.output_item.added':
          last = event.output_index ?? last + 1;
          open.set(last, openItem(event.item ?? {}));
          break;
        case 'response.output_text.delta':
        case 'response.refusal.delta': {
          const state = at(event);
          const kind = event.type === 'response.refusal.delta' ? 'refusal' : 'text';
          state[kind].add(delta);
          state.lastContentIndex = event.content_index ?? 0;
          yield { type: 'text_delta', text: delta };
          break;
        }
        case 'response.reasoning_summary_part.added':
          if (event.summary_index) yield { type: 'reasoning_delta', text: '\n\n' };
          break;
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta': {
          const state = at(event);
          state.thought.add(delta);
          yield { type: 'reasoning_delta', text: delta };
          break;
        }
        case 'response.function_call_arguments.delta': {
          const state = at(event);
          state.input ??= new GrowingText();
          state.input.add(delta);
          yield { type: 'tool_input_delta', ...(state.item.name ? { name: state.item.name } : {}), text: delta };
          break;
        }
        case 'response.output_text.done':
          yield* repeated(event, 'text', event.text);
          break;
        case 'response.refusal.done':
          yield* repeated(event, 'refusal', event.refusal);
          break;
        case 'response.content_part.done':
          if (event.part?.type === 'output_text') yield* repeated(event, 'text', event.part.text);
          if (event.part?.type === 'refusal') yield* repeated(event, 'refusal', event.part.refusal);
          break;
        case 'response.function_call_arguments.done': {
          const state = at(event);
          if (typeof event.arguments === 'string' && !state.input?.length) state.input = new GrowingText(event.arguments);
          break;
        }
        case 'response.output_item.done': {
          const state = at(event);
          yield* finish(last, event.item?.type ? event.item : rebuilt({ ...state, item: { ...state.item, ...event.item } }), state);
          break;
        }
        case 'response.completed':
        case 'response.done':
        case 'response.incomplete': {
          const { output, usage, incomplete_details, status, error } = event.response ?? {};
          if (status === 'failed' || status === 'cancelled')
            throw failureError(server, failureOf(error ?? `the response has the status "${status}"`));
          const isComplete = event.type !== 'response.incomplete' && status !== 'incomplete';
          // Items are normally finished before the closing event, but some servers send no events for items.
          for (const [index, item] of output && output.length > finished.size ? output.entries() : []) {
            if (!finished.has(index) && !isFinished(item)) yield* finish(index, item, open.get(index));
          }
          for (const [index, state] of isComplete ? [...open].sort(([a], [b]) => a - b) : []) yield* finish(index, rebuilt(state), state);
          yield* flushMalformedCall(!isComplete);
          if (!isComplete) yield* leftovers();
          if (usage) yield { type: 'usage', usage: toUsage(usage) };
          if (isComplete) yield { type: 'stop', reason: hasToolCall ? 'tool_use' : refused ? 'refusal' : 'end_turn' };
          else yield { type: 'stop', reason: STOPS[incomplete_details?.reason ?? ''] ?? 'other' };
          return;
        }
        case 'response.failed':
          throw failureError(server, failureOf(event.response?.error ?? 'the response failed'));
        case 'error':
          throw failureError(server, failureOf(event));
        case undefined:
          if (event.error) throw failureError(server, failureOf(event));
      }
    }
    throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
  } catch (error) {
    yield* leftovers();
    throw error;
  }
}

function inputOf(wireArguments: unknown): ReturnType<typeof parseArguments> {
  return typeof wireArguments === 'object' && wireArguments
    ? { input: wireArguments }
    : parseArguments(typeof wireArguments === 'string' ? wireArguments : '');
}

const STOPS: Record<string, 'max_tokens' | 'refusal'> = { max_output_tokens: 'max_tokens', content_filter: 'refusal' };

/** Emits one part for each section of a reasoning summary. The replay data belongs to the whole item and is attached to the first part. */
function* reasoning({ id, summary, content, encrypted_content }: Item, thought = ''): Generator<ModelEvent> {
  const texts = [...(summary ?? []), ...(content ?? [])].map((section) => section.text ?? '').filter((text) => text !== '');
  // The service stores nothing, so an item can only be sent back if its encrypted content was received.
  const replay: Token | undefined = encrypted_content
    ? { item: { type: 'reasoning', id, summary: summary ?? [], encrypted_content } }
    : undefined;
  if (texts.length === 0 && (replay || thought)) texts.push(thought);
  for (const [index, text] of texts.entries()) {
    const part: ReasoningPart = { type: 'reasoning', text, ...(replay && index === 0 ? { replay } : {}) };
    yield { type: 'part', part };
  }
}

/** Creates an item from its deltas, for servers that neither finish items nor repeat them at the end. */
function rebuilt({ item, text, refusal, thought, input }: Open): Item {
  if (input !== undefined) return { ...item, type: 'function_call', arguments: input.text };
  if (text.length + refusal.length > 0) return { ...item, type: 'message' };
  return thought.length > 0 ? { ...item, type: 'reasoning' } : item;
}

function toUsage(usage: WireUsage): Usage {
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cached: usage.input_tokens_details?.cached_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens,
  };
}

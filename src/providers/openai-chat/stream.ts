import { GrowingText } from '../../core/growing-text.ts';
import type { ToolCall, Usage } from '../../core/model/messages.ts';
import type { ModelEvent } from '../../core/model/model.ts';
import { failureError, failureOf, modelError } from '../errors.ts';
import { expectBounds, type Reader } from '../exchange.ts';
import type { Server } from '../server.ts';
import { parseArguments, parseInput } from '../tool-calls.ts';
import { Arguments } from './arguments.ts';
import type { Token } from './convert.ts';

type Detail = Record<string, unknown>;
type WireCall = { index?: number | string | null; id?: string | null; function?: { name?: string | null; arguments?: unknown } | null };
/** Some servers send content as a list of parts that includes the reasoning. */
type WirePart = { type?: string; text?: string; thinking?: string | { text?: string }[] };
type Delta = {
  content?: string | WirePart[] | null;
  refusal?: string | null;
  reasoning?: unknown;
  reasoning_content?: unknown;
  reasoning_details?: Detail[] | null;
  tool_calls?: (WireCall | null)[] | WireCall | null;
  /** The older form of `tool_calls`, for models that make only one call at a time. */
  function_call?: WireCall['function'];
};
type WireUsage = {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
  completion_tokens_details?: { reasoning_tokens?: number } | null;
};
type Chunk = {
  object?: string;
  choices?:
    | {
        index?: number;
        delta?: Delta | null;
        message?: Delta | null;
        finish_reason?: string | null;
        usage?: WireUsage | null;
        error?: unknown;
      }[]
    | null;
  usage?: WireUsage | null;
  x_groq?: { usage?: WireUsage | null; error?: unknown } | null;
  error?: unknown;
};

const NOTHING: readonly never[] = [];
const NO_DELTA: Delta = {};

type Open = { id: string; name: string; input: Arguments };

const STOPS: Record<string, (ModelEvent & { type: 'stop' })['reason']> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  // Values used by Mistral and Zhipu, and by proxies that pass on a value of another API.
  model_length: 'max_tokens',
  sensitive: 'refusal',
  max_tokens: 'max_tokens',
  end_turn: 'end_turn',
  tool_use: 'tool_use',
};

export function* toModelEvents(server: Server): Reader<Chunk> {
  const words = { type: 'text' as 'text' | 'reasoning', text: new GrowingText(), mustReplay: false };
  const calls: Open[] = [];
  const byIndex = new Map<number, Open>();
  const details = new Details();
  let usage: Usage | undefined;
  let reason: string | undefined;
  let refused = false;
  /** Whether the last chunk contained only usage. It marks a complete answer from servers that never send a finish reason. */
  let isClosed = false;

  /** Text and reasoning have no end marker in this API: one ends where the other begins. */
  function* flush(next: 'text' | 'reasoning' = words.type): Generator<ModelEvent> {
    const { type, mustReplay } = words;
    const text = words.text.take();
    words.type = next;
    const replay: Token = { content: text };
    if (text) yield { type: 'part', part: { type, text, ...(mustReplay ? { replay } : {}) } };
  }

  /** Finds the call that a fragment belongs to. Servers may omit the index, and may omit, repeat or change the id for the same index. */
  const callOf = ({ index, id, function: functionCall }: WireCall, position: number | undefined): Open => {
    const name = functionCall?.name || '';
    const place = typeof index === 'string' && index !== '' ? Number(index) : (index ?? position);
    const indexed = typeof place === 'number';
    const at = indexed ? byIndex.get(place) : undefined;
    const same = calls.find((call) => id && call.id === id);
    const before = at ?? (indexed ? undefined : (same ?? calls.at(-1)));
    // A reused index starts a new call if the previous one is complete. Some servers create a new id for every fragment.
    const again = !indexed || (before?.id === '' && Boolean(functionCall?.arguments));
    const another = Boolean(id && before?.id && before.id !== id && name);
    const isNew = !before || (id ? another && (!indexed || isNext(before, name)) : again && isNext(before, name));
    const call: Open = isNew ? { id: '', name: '', input: new Arguments() } : before;
    if (isNew) calls.push(call);
    byIndex.set(indexed ? place : calls.indexOf(call), call);
    call.id ||= id || '';
    // A name may arrive in pieces, or complete with every fragment.
    if (call.input.isEmpty && !call.name.endsWith(name)) call.name = name.startsWith(call.name) ? name : call.name + name;
    return call;
  };

  function* finish(): Generator<ModelEvent> {
    yield* flush();
    if (details.list.length > 0) yield { type: 'part', part: { type: 'reasoning', text: '', replay: { details: details.list } as Token } };
    const stop = refused ? 'refusal' : (STOPS[reason?.toLowerCase() ?? ''] ?? 'other');
    let hasToolCall = false;
    for (const [index, { id, name, input: callArguments }] of calls.entries()) {
      const input = callArguments.text;
      const repeated = calls.some((other, at) => at < index && other.id === id);
      const part: ToolCall = {
        type: 'tool_call',
        id: id ? `${id}${repeated ? `_${index}` : ''}` : `call_${index}`,
        name,
        ...parseArguments(withoutRepetition(input)),
      };
      // The call was cut off by the output limit, so it is dropped.
      if (stop === 'max_tokens' && (part.malformed !== undefined || input === '')) continue;
      hasToolCall = true;
      yield { type: 'part', part };
    }
    if (usage) yield { type: 'usage', usage };
    yield { type: 'stop', reason: hasToolCall && (stop === 'end_turn' || stop === 'other') ? 'tool_use' : stop };
  }

  try {
    for (let chunk = yield; chunk; chunk = yield) {
      const failure = chunk.error || chunk.x_groq?.error || (chunk.object === 'error' && chunk);
      if (failure) throw failureError(server, failureOf(failure));
      const choice = chunk.choices?.find((each) => !each?.index);
      usage = toUsage(chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage) ?? usage;
      isClosed = chunk.choices?.length === 0 && Boolean(chunk.usage);
      if (choice?.error) throw failureError(server, failureOf(choice.error));
      // After deltas, a complete message only repeats their content.
      const delta = choice?.delta ?? (words.text.length === 0 && calls.length === 0 ? choice?.message : undefined) ?? NO_DELTA;
      // Servers may send the same reasoning in two or all three of these fields.
      const thought = textOf(delta.reasoning_content) || textOf(delta.reasoning) || thoughtIn(delta.reasoning_details);
      if (thought) {
        if (words.type !== 'reasoning') yield* flush('reasoning');
        words.text.add(thought);
        words.mustReplay = Boolean(delta.reasoning_content);
        yield { type: 'reasoning_delta', text: thought };
      }
      for (const { type, text } of toParts(delta)) {
        if (words.type !== type) yield* flush(type);
        words.text.add(text);
        words.mustReplay = false;
        yield { type: type === 'text' ? 'text_delta' : 'reasoning_delta', text };
      }
      refused ||= Boolean(delta.refusal);
      if (delta.reasoning_details) for (const detail of delta.reasoning_details) details.add(detail);
      expectBounds(server, details.size, calls.length);
      const fragments = fragmentsOf(delta);
      for (const [position, fragment] of fragments.entries()) {
        if (!fragment) continue;
        // Without indexes, several fragments in one chunk are distinguished by their order.
        const call = callOf(fragment, fragments.length > 1 ? position : undefined);
        const wireArguments = fragment.function?.arguments ?? '';
        const text = typeof wireArguments === 'string' ? wireArguments : JSON.stringify(wireArguments);
        call.input.add(text);
        yield { type: 'tool_input_delta', ...(call.name ? { name: call.name } : {}), text };
      }
      reason ??= choice?.finish_reason || undefined;
    }
    if (isClosed && (words.text.length > 0 || calls.length > 0)) reason ??= 'stop';
    if (reason === undefined) throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
    if (reason === 'error') throw modelError(server, 'bad_stream', 'the server reported an error');
  } catch (error) {
    // The user has already seen the streamed text, so it is kept when the answer is interrupted. An incomplete tool call is dropped.
    yield* flush();
    throw error;
  }
  yield* finish();
}

/**
 * Returns true if a fragment with this name starts a new call. It continues the previous call if that call is incomplete and has the same
 * name.
 */
function isNext(before: Open, name: string): boolean {
  return name !== '' && (name !== before.name || (!before.input.isEmpty && before.input.isWhole));
}

/** Removes a repetition, because some servers repeat the complete arguments after sending them in pieces. */
function withoutRepetition(input: string): string {
  const half = input.slice(0, input.length / 2);
  return half !== '' && half + half === input && parseInput(half).malformed === undefined ? half : input;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function fragmentsOf({ tool_calls, function_call }: Delta): readonly (WireCall | null)[] {
  if (!tool_calls) return function_call ? [{ function: function_call }] : NOTHING;
  return Array.isArray(tool_calls) ? tool_calls : [tool_calls];
}

function toParts({ content, refusal }: Delta): readonly { type: 'text' | 'reasoning'; text: string }[] {
  // The most frequent case comes first, for speed.
  if (typeof content === 'string' && !refusal) return content ? [{ type: 'text', text: content }] : NOTHING;
  const parts = typeof content === 'string' ? [{ text: content }] : [...(content ?? [])];
  if (refusal) parts.push({ text: refusal });
  return parts.flatMap(({ text, thinking }: WirePart) => {
    const thought = Array.isArray(thinking) ? thinking.map((part) => part.text ?? '').join('') : thinking;
    const partText = thought ?? text;
    return partText ? [{ type: thought === undefined ? 'text' : 'reasoning', text: partText }] : [];
  });
}

/** Returns the reasoning in `reasoning_details`, because some servers send it only in this field. */
function thoughtIn(details: Detail[] | null | undefined): string {
  if (!details) return '';
  return details.map(({ text, summary }) => [text, summary].find((value) => typeof value === 'string') ?? '').join('');
}

/** Collects reasoning details, which arrive in fragments identified by index. The server expects them back complete. */
class Details {
  readonly list: Detail[] = [];
  readonly #byIndex = new Map<string, Detail>();
  /** The approximate size of `list`, in characters. */
  size = 0;

  add(detail: Detail): void {
    const key = detail.index === undefined ? undefined : JSON.stringify([detail.type, detail.index]);
    const existing = key === undefined ? undefined : this.#byIndex.get(key);
    for (const value of Object.values(detail)) this.size += typeof value === 'string' ? value.length : 10;
    if (existing) merge(existing, detail);
    if (existing) return;
    const copy = { ...detail };
    this.list.push(copy);
    if (key !== undefined) this.#byIndex.set(key, copy);
  }
}

function merge(target: Detail, detail: Detail): void {
  for (const [name, value] of Object.entries(detail)) {
    const grows = ['text', 'summary', 'data'].includes(name) && typeof target[name] === 'string';
    if (grows) target[name] = `${target[name]}${value ?? ''}`;
    else if (value !== null && value !== undefined) target[name] = value;
  }
}

function toUsage(usage: WireUsage | null | undefined): Usage | undefined {
  if (!usage) return undefined;
  const { prompt_tokens: prompt = 0, completion_tokens: completionTokens, total_tokens: all } = usage;
  const thought = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  // xAI reports reasoning tokens in addition to completion tokens; all others include them.
  const beside = completionTokens !== undefined && all === prompt + completionTokens + thought;
  return {
    input: usage.prompt_tokens,
    output: beside ? completionTokens + thought : completionTokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
}

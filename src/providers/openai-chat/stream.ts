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
/** Some servers send content as parts, with the thinking among them. */
type WirePart = { type?: string; text?: string; thinking?: string | { text?: string }[] };
type Delta = {
  content?: string | WirePart[] | null;
  refusal?: string | null;
  reasoning?: unknown;
  reasoning_content?: unknown;
  reasoning_details?: Detail[] | null;
  tool_calls?: (WireCall | null)[] | WireCall | null;
  /** Of servers from before there were several calls at once. */
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
  // Of Mistral and Zhipu, and of proxies that leave a word of their own wire as it was.
  model_length: 'max_tokens',
  sensitive: 'refusal',
  max_tokens: 'max_tokens',
  end_turn: 'end_turn',
  tool_use: 'tool_use',
};

export function* toModelEvents(server: Server): Reader<Chunk> {
  const words = { type: 'text' as 'text' | 'reasoning', text: new GrowingText(), wanted: false };
  const calls: Open[] = [];
  const byIndex = new Map<number, Open>();
  const details = new Details();
  let usage: Usage | undefined;
  let reason: string | undefined;
  let refused = false;
  /** Some servers never say why an answer ended: its usage, sent alone, is the last thing that comes of a whole one. */
  let isClosed = false;

  /** Text and reasoning have no end of their own on this wire: one ends where the other begins. */
  function* flush(next: 'text' | 'reasoning' = words.type): Generator<ModelEvent> {
    const { type, wanted } = words;
    const text = words.text.take();
    words.type = next;
    const replay: Token = { content: text };
    if (text) yield { type: 'part', part: { type, text, ...(wanted ? { replay } : {}) } };
  }

  /** The call that a fragment belongs to. Indexes may be missing, and ids missing, empty, repeated, or new at the same index. */
  const callOf = ({ index, id, function: made }: WireCall, position: number | undefined): Open => {
    const name = made?.name || '';
    const place = typeof index === 'string' && index !== '' ? Number(index) : (index ?? position);
    const indexed = typeof place === 'number';
    const at = indexed ? byIndex.get(place) : undefined;
    const same = calls.find((call) => id && call.id === id);
    const before = at ?? (indexed ? undefined : (same ?? calls.at(-1)));
    // An index that is used again is another call where the one before it is whole: some servers make up an id for every piece.
    const again = !indexed || (before?.id === '' && Boolean(made?.arguments));
    const another = Boolean(id && before?.id && before.id !== id && name);
    const isNew = !before || (id ? another && (!indexed || isNext(before, name)) : again && isNext(before, name));
    const call: Open = isNew ? { id: '', name: '', input: new Arguments() } : before;
    if (isNew) calls.push(call);
    byIndex.set(indexed ? place : calls.indexOf(call), call);
    call.id ||= id || '';
    // A name may come in pieces, or whole with every piece.
    if (call.input.isEmpty && !call.name.endsWith(name)) call.name = name.startsWith(call.name) ? name : call.name + name;
    return call;
  };

  function* finish(): Generator<ModelEvent> {
    yield* flush();
    if (details.list.length > 0) yield { type: 'part', part: { type: 'reasoning', text: '', replay: { details: details.list } as Token } };
    const stop = refused ? 'refusal' : (STOPS[reason?.toLowerCase() ?? ''] ?? 'other');
    let called = false;
    for (const [index, { id, name, input: made }] of calls.entries()) {
      const input = made.text;
      const repeated = calls.some((other, at) => at < index && other.id === id);
      const part: ToolCall = {
        type: 'tool_call',
        id: id ? `${id}${repeated ? `_${index}` : ''}` : `call_${index}`,
        name,
        ...parseArguments(once(input)),
      };
      // Cut off by the limit: there is no such call.
      if (stop === 'max_tokens' && (part.malformed !== undefined || input === '')) continue;
      called = true;
      yield { type: 'part', part };
    }
    if (usage) yield { type: 'usage', usage };
    yield { type: 'stop', reason: called && (stop === 'end_turn' || stop === 'other') ? 'tool_use' : stop };
  }

  try {
    for (let chunk = yield; chunk; chunk = yield) {
      const failure = chunk.error || chunk.x_groq?.error || (chunk.object === 'error' && chunk);
      if (failure) throw failureError(server, failureOf(failure));
      const choice = chunk.choices?.find((each) => !each?.index);
      usage = toUsage(chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage) ?? usage;
      isClosed = chunk.choices?.length === 0 && Boolean(chunk.usage);
      if (choice?.error) throw failureError(server, failureOf(choice.error));
      // Behind deltas a whole message says the same once more.
      const delta = choice?.delta ?? (words.text.length === 0 && calls.length === 0 ? choice?.message : undefined) ?? NO_DELTA;
      // The same thought may come under both names, and a third time in the details.
      const thought = textOf(delta.reasoning_content) || textOf(delta.reasoning) || thoughtIn(delta.reasoning_details);
      if (thought) {
        if (words.type !== 'reasoning') yield* flush('reasoning');
        words.text.add(thought);
        words.wanted = Boolean(delta.reasoning_content);
        yield { type: 'reasoning_delta', text: thought };
      }
      for (const { type, text } of toParts(delta)) {
        if (words.type !== type) yield* flush(type);
        words.text.add(text);
        words.wanted = false;
        yield { type: type === 'text' ? 'text_delta' : 'reasoning_delta', text };
      }
      refused ||= Boolean(delta.refusal);
      if (delta.reasoning_details) for (const detail of delta.reasoning_details) details.add(detail);
      expectBounds(server, details.size, calls.length);
      const fragments = fragmentsOf(delta);
      for (const [position, fragment] of fragments.entries()) {
        if (!fragment) continue;
        // Without indexes, several at once are told apart by their order.
        const call = callOf(fragment, fragments.length > 1 ? position : undefined);
        const made = fragment.function?.arguments ?? '';
        const text = typeof made === 'string' ? made : JSON.stringify(made);
        call.input.add(text);
        yield { type: 'tool_input_delta', ...(call.name ? { name: call.name } : {}), text };
      }
      reason ??= choice?.finish_reason || undefined;
    }
    if (isClosed && (words.text.length > 0 || calls.length > 0)) reason ??= 'stop';
    if (reason === undefined) throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
    if (reason === 'error') throw modelError(server, 'bad_stream', 'it says that it failed');
  } catch (error) {
    // The words of an answer that breaks off were shown: they are handed over. Half a call is not.
    yield* flush();
    throw error;
  }
  yield* finish();
}

/** Without index and id a fragment goes on with the call before it, unless that one is whole already or has another name. */
function isNext(before: Open, name: string): boolean {
  return name !== '' && (name !== before.name || (!before.input.isEmpty && before.input.isWhole));
}

/** Some servers repeat the whole of the arguments behind their pieces. */
function once(input: string): string {
  const half = input.slice(0, input.length / 2);
  return half !== '' && half + half === input && parseInput(half).malformed === undefined ? half : input;
}

const textOf = (said: unknown) => (typeof said === 'string' ? said : '');

function fragmentsOf({ tool_calls, function_call }: Delta): readonly (WireCall | null)[] {
  if (!tool_calls) return function_call ? [{ function: function_call }] : NOTHING;
  return Array.isArray(tool_calls) ? tool_calls : [tool_calls];
}

function toParts({ content, refusal }: Delta): readonly { type: 'text' | 'reasoning'; text: string }[] {
  // What happens most, first.
  if (typeof content === 'string' && !refusal) return content ? [{ type: 'text', text: content }] : NOTHING;
  const parts = typeof content === 'string' ? [{ text: content }] : [...(content ?? [])];
  if (refusal) parts.push({ text: refusal });
  return parts.flatMap(({ text, thinking }: WirePart) => {
    const thought = Array.isArray(thinking) ? thinking.map((part) => part.text ?? '').join('') : thinking;
    const said = thought ?? text;
    return said ? [{ type: thought === undefined ? 'text' : 'reasoning', text: said }] : [];
  });
}

/** Some servers tell the thoughts nowhere else. */
function thoughtIn(details: Detail[] | null | undefined): string {
  if (!details) return '';
  return details.map(({ text, summary }) => [text, summary].find((said) => typeof said === 'string') ?? '').join('');
}

/** Details come in fragments, told apart by their index; the server wants them back whole. */
class Details {
  readonly list: Detail[] = [];
  readonly #byIndex = new Map<string, Detail>();
  /** How much they hold, about. */
  size = 0;

  add(detail: Detail): void {
    const key = detail.index === undefined ? undefined : JSON.stringify([detail.type, detail.index]);
    const known = key === undefined ? undefined : this.#byIndex.get(key);
    for (const value of Object.values(detail)) this.size += typeof value === 'string' ? value.length : 10;
    if (known) merge(known, detail);
    if (known) return;
    const copy = { ...detail };
    this.list.push(copy);
    if (key !== undefined) this.#byIndex.set(key, copy);
  }
}

function merge(known: Detail, detail: Detail): void {
  for (const [name, value] of Object.entries(detail)) {
    const grows = ['text', 'summary', 'data'].includes(name) && typeof known[name] === 'string';
    if (grows) known[name] = `${known[name]}${value ?? ''}`;
    else if (value !== null && value !== undefined) known[name] = value;
  }
}

function toUsage(usage: WireUsage | null | undefined): Usage | undefined {
  if (!usage) return undefined;
  const { prompt_tokens: prompt = 0, completion_tokens: said, total_tokens: all } = usage;
  const thought = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  // xAI counts thoughts beside what was said, all others among it.
  const beside = said !== undefined && all === prompt + said + thought;
  return {
    input: usage.prompt_tokens,
    output: beside ? said + thought : said,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
}

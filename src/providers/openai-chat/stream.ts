import type { ToolCall, Usage } from '../../core/messages.ts';
import type { ModelEvent } from '../../core/model.ts';
import { failureError, failureOf, modelError, parseInput, type Server } from '../http.ts';
import type { Token } from './convert.ts';

type Detail = Record<string, unknown>;
type WireCall = { index?: number | null; id?: string | null; function?: { name?: string | null; arguments?: unknown } | null };
/** Some servers send content as parts, with the thinking among them. */
type WirePart = { type?: string; text?: string; thinking?: string | { text?: string }[] };
type Delta = {
  content?: string | WirePart[] | null;
  refusal?: string | null;
  reasoning?: string | null;
  reasoning_content?: string | null;
  reasoning_details?: Detail[] | null;
  tool_calls?: WireCall[] | null;
};
type WireUsage = {
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
  completion_tokens_details?: { reasoning_tokens?: number } | null;
};
type Chunk = {
  choices?: { delta?: Delta | null; message?: Delta | null; finish_reason?: string | null }[] | null;
  usage?: WireUsage | null;
  x_groq?: { usage?: WireUsage | null } | null;
  error?: unknown;
};

type Open = { id: string; name: string; input: string };

const NOTHING: readonly ModelEvent[] = [];

const STOPS: Record<string, (ModelEvent & { type: 'stop' })['reason']> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

export async function* toModelEvents(events: AsyncIterable<unknown>, server: Server): AsyncGenerator<ModelEvent> {
  const words = { type: 'text' as 'text' | 'reasoning', text: '', wanted: false };
  const calls: Open[] = [];
  const byIndex = new Map<number, Open>();
  const details: Detail[] = [];
  let usage: Usage | undefined;
  let reason: string | undefined;
  let refused = false;

  /** Text and reasoning have no end of their own on this wire: one ends where the other begins. */
  function* flush(): Generator<ModelEvent> {
    const { type, text, wanted } = words;
    words.text = '';
    const replay: Token = { content: text };
    if (text) yield { type: 'part', part: { type, text, ...(wanted ? { replay } : {}) } };
  }

  /** A list, since this is what happens most: `yield*` in an asynchronous generator waits for each event several times. */
  const say = (type: 'text' | 'reasoning', text: string | null | undefined, wanted = false): readonly ModelEvent[] => {
    if (!text) return NOTHING;
    const before = type === words.type ? NOTHING : [...flush()];
    words.type = type;
    words.text += text;
    words.wanted = wanted;
    return [...before, { type: type === 'text' ? 'text_delta' : 'reasoning_delta', text }];
  };

  /** The call that a fragment belongs to. Indexes may be missing, and ids missing, empty, repeated, or new at the same index. */
  const callOf = ({ index, id, function: made }: WireCall): Open => {
    const name = made?.name || '';
    const at = typeof index === 'number' ? byIndex.get(index) : undefined;
    const same = calls.find((call) => id && call.id === id);
    const before = at ?? (typeof index === 'number' ? undefined : (same ?? calls.at(-1)));
    const isNew = !before || (id ? before.id !== '' && before.id !== id && name !== '' : typeof index !== 'number' && isNext(before, name));
    const call: Open = isNew ? { id: '', name: '', input: '' } : before;
    if (isNew) calls.push(call);
    if (typeof index === 'number') byIndex.set(index, call);
    call.id ||= id || '';
    call.name ||= name;
    return call;
  };

  function* finish(): Generator<ModelEvent> {
    yield* flush();
    if (details.length > 0) yield { type: 'part', part: { type: 'reasoning', text: '', replay: { details } as Token } };
    const cut = reason === 'length';
    let called = false;
    for (const [index, { id, name, input }] of calls.entries()) {
      const part: ToolCall = { type: 'tool_call', id: id || `call_${index}`, name, ...parseInput(input) };
      // Cut off by the limit: there is no such call.
      if (cut && (part.malformed !== undefined || input === '')) continue;
      called = true;
      yield { type: 'part', part };
    }
    if (usage) yield { type: 'usage', usage };
    const stop = refused ? 'refusal' : (STOPS[reason ?? ''] ?? 'other');
    yield { type: 'stop', reason: called && (stop === 'end_turn' || stop === 'other') ? 'tool_use' : stop };
  }

  try {
    for await (const chunk of events as AsyncIterable<Chunk>) {
      if (chunk.error) throw failureError(server, failureOf(chunk.error));
      usage = toUsage(chunk.usage ?? chunk.x_groq?.usage) ?? usage;
      const choice = chunk.choices?.[0];
      const delta = choice?.delta ?? choice?.message ?? {};
      // The same thought may come under both names, and a third time in the details.
      const thought = delta.reasoning_content || delta.reasoning;
      for (const event of say('reasoning', thought, Boolean(delta.reasoning_content))) yield event;
      for (const part of toParts(delta.content)) for (const event of say(part.type, part.text)) yield event;
      for (const event of say('text', delta.refusal)) yield event;
      refused ||= Boolean(delta.refusal);
      for (const detail of delta.reasoning_details ?? []) merge(details, detail);
      for (const fragment of delta.tool_calls ?? []) {
        const call = callOf(fragment);
        const made = fragment.function?.arguments ?? '';
        const text = typeof made === 'string' ? made : JSON.stringify(made);
        call.input += text;
        yield { type: 'tool_input_delta', ...(call.name ? { name: call.name } : {}), text };
      }
      reason ??= choice?.finish_reason || undefined;
    }
    if (reason === undefined) throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
  } catch (error) {
    // The words of an answer that breaks off were shown: they are handed over. Half a call is not.
    yield* flush();
    throw error;
  }
  yield* finish();
}

/** Without index and id a fragment goes on with the call before it, unless that one is whole already or has another name. */
function isNext(before: Open, name: string): boolean {
  return name !== '' && (name !== before.name || (before.input !== '' && parseInput(before.input).malformed === undefined));
}

function toParts(content: Delta['content']): { type: 'text' | 'reasoning'; text: string }[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).map(({ text, thinking }) => {
    if (thinking === undefined) return { type: 'text', text: text ?? '' };
    return { type: 'reasoning', text: typeof thinking === 'string' ? thinking : thinking.map((part) => part.text ?? '').join('') };
  });
}

/** Details come in fragments, told apart by their index; the server wants them back whole. */
function merge(details: Detail[], detail: Detail): void {
  const known = details.find((other) => other.index !== undefined && other.index === detail.index && other.type === detail.type);
  if (!known) {
    details.push({ ...detail });
    return;
  }
  for (const [name, value] of Object.entries(detail)) {
    const grows = ['text', 'summary', 'data'].includes(name) && typeof known[name] === 'string';
    if (grows) known[name] = `${known[name]}${value ?? ''}`;
    else if (value !== null && value !== undefined) known[name] = value;
  }
}

function toUsage(usage: WireUsage | null | undefined): Usage | undefined {
  if (!usage) return undefined;
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
}

import type { ToolCall, Usage } from '../../core/messages.ts';
import type { ModelEvent } from '../../core/model.ts';
import { failureError, failureOf, modelError, parseInput, type Server } from '../http.ts';

type WireCall = { id?: string; function?: { name?: string; arguments?: unknown } };
type Line = {
  message?: { content?: string | null; thinking?: string | null; tool_calls?: WireCall[] | null } | null;
  done?: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
};

const NOTHING: readonly ModelEvent[] = [];

export async function* toModelEvents(lines: AsyncIterable<unknown>, server: Server): AsyncGenerator<ModelEvent> {
  const words = { type: 'text' as 'text' | 'reasoning', text: '' };
  let calls = 0;

  function* flush(): Generator<ModelEvent> {
    const { type, text } = words;
    words.text = '';
    if (text) yield { type: 'part', part: { type, text } };
  }

  /** A list, since this is what happens most: `yield*` in an asynchronous generator waits for each event several times. */
  const say = (type: 'text' | 'reasoning', text: string | null | undefined): readonly ModelEvent[] => {
    if (!text) return NOTHING;
    const before = type === words.type ? NOTHING : [...flush()];
    words.type = type;
    words.text += text;
    return [...before, { type: type === 'text' ? 'text_delta' : 'reasoning_delta', text }];
  };

  /** A call comes whole. */
  function* call({ id, function: made }: WireCall): Generator<ModelEvent> {
    yield* flush();
    const name = made?.name ?? '';
    const given = made?.arguments ?? {};
    const input = typeof given === 'string' ? parseInput(given) : { input: given };
    const part: ToolCall = { type: 'tool_call', id: id || `call_${calls}`, name, ...input };
    calls++;
    yield { type: 'tool_input_delta', name, text: typeof given === 'string' ? given : JSON.stringify(given) };
    yield { type: 'part', part };
  }

  try {
    for await (const line of lines as AsyncIterable<Line>) {
      for (const event of say('reasoning', line.message?.thinking)) yield event;
      for (const event of say('text', line.message?.content)) yield event;
      for (const wire of line.message?.tool_calls ?? []) yield* call(wire);
      if (!line.done) continue;
      yield* flush();
      const usage: Usage = {
        ...(line.prompt_eval_count === undefined ? {} : { input: line.prompt_eval_count }),
        ...(line.eval_count === undefined ? {} : { output: line.eval_count }),
      };
      if (Object.keys(usage).length > 0) yield { type: 'usage', usage };
      yield { type: 'stop', reason: stopOf(line.done_reason, calls > 0) };
      return;
    }
    throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
  } catch (error) {
    // The words of an answer that breaks off were shown: they are handed over.
    yield* flush();
    throw error;
  }
}

function stopOf(reason: string | undefined, called: boolean): (ModelEvent & { type: 'stop' })['reason'] {
  if (reason === 'length') return 'max_tokens';
  if (called) return 'tool_use';
  return reason === undefined || reason === 'stop' ? 'end_turn' : 'other';
}

/**
 * Lets whole lines of JSON through, and fails where one is an error or is not JSON: the SDK would write the latter to the console
 * and make `[object Object]` of the former.
 */
export function checkedLines(server: Server): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  const checked = (text: string): string => {
    if (text.trim() === '') return '';
    const { input, malformed } = parseInput(text);
    if (malformed !== undefined) throw modelError(server, 'bad_stream', 'a line of the stream is not JSON');
    const { error } = input as { error?: unknown };
    if (error) throw failureError(server, failureOf(input));
    return `${text}\n`;
  };
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      rest += text;
      if (!text.includes('\n')) return;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      let whole = '';
      try {
        for (const line of lines) whole += checked(line);
      } finally {
        // What came before a line that is an error was said.
        if (whole) controller.enqueue(encoder.encode(whole));
      }
    },
    flush(controller) {
      controller.enqueue(encoder.encode(checked(rest + decoder.decode())));
    },
  });
}

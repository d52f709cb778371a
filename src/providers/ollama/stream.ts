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

export async function* toModelEvents(lines: AsyncIterable<unknown>, server: Server): AsyncGenerator<ModelEvent> {
  const words = { type: 'text' as 'text' | 'reasoning', text: '' };
  let calls = 0;

  function* flush(): Generator<ModelEvent> {
    const { type, text } = words;
    words.text = '';
    if (text) yield { type: 'part', part: { type, text } };
  }

  function* say(type: 'text' | 'reasoning', text: string | null | undefined): Generator<ModelEvent> {
    if (!text) return;
    if (type !== words.type) yield* flush();
    Object.assign(words, { type, text: words.text + text });
    yield { type: type === 'text' ? 'text_delta' : 'reasoning_delta', text };
  }

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
      yield* say('reasoning', line.message?.thinking);
      yield* say('text', line.message?.content);
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
  const pass = (text: string, controller: TransformStreamDefaultController<Uint8Array>) => {
    if (text.trim() === '') return;
    const { input, malformed } = parseInput(text);
    if (malformed !== undefined) throw modelError(server, 'bad_stream', 'a line of the stream is not JSON');
    const { error } = input as { error?: unknown };
    if (error) throw failureError(server, failureOf(input));
    controller.enqueue(encoder.encode(`${text}\n`));
  };
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      rest += text;
      if (!text.includes('\n')) return;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) pass(line, controller);
    },
    flush(controller) {
      pass(rest + decoder.decode(), controller);
    },
  });
}

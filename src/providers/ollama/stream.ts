import { GrowingText } from '../../core/growing-text.ts';
import type { ToolCall, Usage } from '../../core/model/messages.ts';
import type { ModelEvent } from '../../core/model/model.ts';
import { failureError, failureOf, modelError } from '../errors.ts';
import type { Reader } from '../exchange.ts';
import type { LineRules } from '../lines.ts';
import type { Server } from '../server.ts';
import { newId, parseArguments, parseInput } from '../tool-calls.ts';

type WireCall = { id?: string; function?: { name?: string; arguments?: unknown } };
type Line = {
  message?: { content?: string | null; thinking?: string | null; tool_calls?: (WireCall | null)[] | null } | null;
  done?: boolean;
  done_reason?: string | null;
  prompt_eval_count?: number;
  eval_count?: number;
};

export function* toModelEvents(server: Server): Reader<Line> {
  const words = { type: 'text' as 'text' | 'reasoning', text: new GrowingText() };
  const calls = new Set<string>();

  function* flush(next: 'text' | 'reasoning' = words.type): Generator<ModelEvent> {
    const { type } = words;
    const text = words.text.take();
    words.type = next;
    if (text) yield { type: 'part', part: { type, text } };
  }

  /** Emits a tool call, which Ollama sends in one piece. */
  function* call({ id, function: functionCall }: WireCall): Generator<ModelEvent> {
    yield* flush();
    const name = functionCall?.name ?? '';
    const wireArguments = functionCall?.arguments ?? {};
    const input = typeof wireArguments === 'string' ? parseArguments(wireArguments) : { input: wireArguments };
    const part: ToolCall = { type: 'tool_call', id: newId(id, calls), name, ...input };
    calls.add(part.id);
    yield { type: 'tool_input_delta', name, text: typeof wireArguments === 'string' ? wireArguments : JSON.stringify(wireArguments) };
    yield { type: 'part', part };
  }

  try {
    for (let line = yield; line; line = yield) {
      const { thinking, content, tool_calls } = line.message ?? {};
      if (thinking) {
        if (words.type !== 'reasoning') yield* flush('reasoning');
        words.text.add(thinking);
        yield { type: 'reasoning_delta', text: thinking };
      }
      if (content) {
        if (words.type !== 'text') yield* flush('text');
        words.text.add(content);
        yield { type: 'text_delta', text: content };
      }
      if (tool_calls) for (const wire of tool_calls) if (wire) yield* call(wire);
      if (!line.done) continue;
      yield* flush();
      const usage: Usage = {
        ...(line.prompt_eval_count === undefined ? {} : { input: line.prompt_eval_count }),
        ...(line.eval_count === undefined ? {} : { output: line.eval_count }),
      };
      if (Object.keys(usage).length > 0) yield { type: 'usage', usage };
      yield { type: 'stop', reason: stopOf(line.done_reason, calls.size > 0) };
      return;
    }
    throw modelError(server, 'bad_stream', 'the stream ended without its closing event');
  } catch (error) {
    // The user has already seen the streamed text, so it is kept when the answer is interrupted.
    yield* flush();
    throw error;
  }
}

function stopOf(reason: string | null | undefined, hasToolCall: boolean): (ModelEvent & { type: 'stop' })['reason'] {
  if (reason === 'length') return 'max_tokens';
  if (hasToolCall) return 'tool_use';
  return !reason || reason === 'stop' ? 'end_turn' : 'other';
}

/**
 * Throws on error lines and on lines that are not JSON: the SDK would turn an error into `[object Object]` and print invalid JSON to the
 * console. Only unusual lines are parsed here, because the SDK parses every line again.
 */
export function lineRules(server: Server): LineRules {
  return {
    isUsual,
    rewrite(line) {
      if (line.trim() === '') return '';
      const { input, malformed } = parseInput(line);
      if (malformed !== undefined) throw modelError(server, 'bad_stream', 'a line of the stream is not JSON');
      const { error } = (input ?? {}) as { error?: unknown };
      if (error) throw failureError(server, failureOf(input));
      return `${line}\n`;
    },
  };
}

/** Matches lines of the form `{"model": … }` or `{"message": … }`, the form of every line that is not an error. */
function isUsual(bytes: Uint8Array, start: number, end: number): boolean {
  const last = bytes[end - 1] === 13 ? bytes[end - 2] : bytes[end - 1];
  return bytes[start] === 0x7b && bytes[start + 1] === 0x22 && bytes[start + 2] === 0x6d && last === 0x7d;
}

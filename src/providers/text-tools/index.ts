/** Tools for models that have no native calls, and for answers in which a call was left in the text. */
import { callsOf, type ReasoningPart, type TextPart, type ToolCall } from '../../core/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../core/model.ts';
import { refusesTools } from '../http.ts';
import { type TextToolEvent, TextToolParser } from './parser.ts';
import { toTextRequest } from './prompt.ts';

export type TextToolOptions = {
  /**
   * `text`: tools, calls and results travel as text. `rescue`: they travel natively, and calls that the server missed are picked up;
   * where the server refuses tools, they travel as text from then on.
   */
  mode: 'text' | 'rescue';
};

export function withTextTools(adapter: ModelAdapter, { mode }: TextToolOptions): ModelAdapter {
  let asText = mode === 'text';

  async function* open(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    try {
      return yield* adapter.stream(request, signal);
    } catch (error) {
      if (request.tools.length === 0 || !refusesTools(error)) throw error;
      asText = true;
    }
    yield* adapter.stream(toTextRequest(request), signal);
  }

  return {
    stream(request, signal) {
      const events = asText ? adapter.stream(toTextRequest(request), signal) : open(request, signal);
      return readCalls(events, request);
    },
  };
}

async function* readCalls(events: AsyncIterable<ModelEvent>, { tools, messages }: ModelRequest): AsyncGenerator<ModelEvent> {
  const before = messages.flatMap(callsOf).length;
  const made: ToolCall[] = [];
  let parser: TextToolParser | undefined;
  /** What was fed since the last text part, to know what a part brings that no delta did. */
  let fed = '';
  let open: TextPart | ReasoningPart | undefined;

  function* close(replay?: unknown): Generator<ModelEvent> {
    if (open && replay !== undefined && open.type === 'text') open.replay = replay;
    if (open) yield { type: 'part', part: open };
    open = undefined;
  }

  function* pass(found: readonly TextToolEvent[]): Generator<ModelEvent> {
    for (const event of found) {
      if (event.type === 'call') {
        yield* close();
        const { type: _, ...call } = event;
        const part: ToolCall = { type: 'tool_call', id: `text_call_${before + made.length + 1}`, ...call };
        made.push(part);
        yield { type: 'tool_input_delta', name: part.name, text: part.malformed ?? JSON.stringify(part.input) };
        yield { type: 'part', part };
        continue;
      }
      if (open?.type !== event.type) yield* close();
      open = { ...open, type: event.type, text: (open?.text ?? '') + event.text };
      yield { type: event.type === 'text' ? 'text_delta' : 'reasoning_delta', text: event.text };
    }
  }

  function* feed(text: string): Generator<ModelEvent> {
    parser ??= new TextToolParser(tools);
    yield* pass(parser.feed(text));
  }

  function* finish(replay?: unknown): Generator<ModelEvent> {
    if (parser) yield* pass(parser.end());
    parser = undefined;
    fed = '';
    yield* close(replay);
  }

  try {
    for await (const event of events) {
      if (event.type === 'text_delta') {
        fed += event.text;
        yield* feed(event.text);
      } else if (event.type === 'part' && event.part.type === 'text') {
        const { text, replay } = event.part;
        const rest = text.startsWith(fed) ? text.slice(fed.length) : '';
        fed = '';
        if (rest) yield* feed(rest);
        if (replay !== undefined && !parser) yield event;
        else if (replay !== undefined) yield* finish(replay);
      } else if (event.type === 'usage') yield event;
      else if (event.type === 'stop') {
        yield* finish();
        const called = made.length > 0 && (event.reason === 'end_turn' || event.reason === 'other');
        yield called ? { type: 'stop', reason: 'tool_use' } : event;
      } else {
        yield* finish();
        // A server that found the call and left it in the text as well means it once.
        if (event.type !== 'part' || event.part.type !== 'tool_call' || !isRepeated(event.part, made)) yield event;
      }
    }
  } catch (error) {
    // The words of an answer that breaks off were shown: they are handed over. A call is not.
    if (parser) for (const event of parser.end()) if (event.type !== 'call') yield* pass([event]);
    yield* close();
    throw error;
  }
}

function isRepeated(call: ToolCall, made: readonly ToolCall[]): boolean {
  return made.some(({ name, input }) => name === call.name && JSON.stringify(input) === JSON.stringify(call.input));
}

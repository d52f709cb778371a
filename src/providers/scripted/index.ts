import { callsOf, type ToolCall } from '../../core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../core/model/model.ts';

/** One answer of the model: its events, or a function that creates them from the request. */
export type ScriptedTurn = ModelEvent[] | ((request: ModelRequest, signal: AbortSignal) => ModelEvent[] | AsyncIterable<ModelEvent>);

export type ScriptedAdapter = ModelAdapter & { readonly requests: ModelRequest[] };

/** Creates an adapter for tests, which plays one script entry per request and records each request as it was when it was sent. */
export function scriptedAdapter(script: readonly ScriptedTurn[]): ScriptedAdapter {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const index = requests.push({ ...request, messages: [...request.messages], tools: [...request.tools] }) - 1;
      const entry = script[index];
      if (!entry) throw new Error(`The script has ${script.length} turns; this is request ${index + 1}.`);
      for await (const event of typeof entry === 'function' ? entry(request, signal) : entry) {
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}

/** Creates the events of a text: a delta and the finished part. */
export function say(text: string): ModelEvent[] {
  return [
    { type: 'text_delta', text },
    { type: 'part', part: { type: 'text', text } },
  ];
}

/** Creates a tool call. Without an id, `turn` assigns one that is unique in the conversation. */
export function call(name: string, input: unknown, id = ''): ModelEvent[] {
  return [{ type: 'part', part: { type: 'tool_call', id, name, input } }];
}

/** Creates a complete answer: its parts, then `stop`, with the reason `tool_use` if there is a tool call. */
export function turn(...events: (ModelEvent | ModelEvent[])[]): ScriptedTurn {
  return (request) => {
    let calls = request.messages.flatMap(callsOf).length;
    const all = events.flat().map((event): ModelEvent => {
      if (event.type !== 'part' || event.part.type !== 'tool_call') return event;
      calls += 1;
      return { type: 'part', part: { ...event.part, id: event.part.id || `call-${calls}` } satisfies ToolCall };
    });
    if (all.at(-1)?.type === 'stop') return all;
    const asks = all.some((event) => event.type === 'part' && event.part.type === 'tool_call');
    return [...all, { type: 'stop', reason: asks ? 'tool_use' : 'end_turn' }];
  };
}

/** Yields the given events, then waits until the request is aborted. */
export function hang(...events: (ModelEvent | ModelEvent[])[]): ScriptedTurn {
  return async function* (_request, signal) {
    yield* events.flat();
    await new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
}

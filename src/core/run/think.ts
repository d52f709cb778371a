/** One turn of the model: sends the request and receives the answer. The answer is cut off when a limit of the run is reached. */

import { interruptible } from '../abort.ts';
import { checkedEvent } from '../model/answer-shape.ts';
import { withoutImages } from '../model/images.ts';
import type { AssistantMessage, Message, ToolCall, Usage } from '../model/messages.ts';
import { ModelError, type ModelEvent, type ModelRequest } from '../model/model.ts';
import { type Estimate, useOfAnswer } from '../session/limits.ts';
import { messagesForModel } from '../session/reduce.ts';
import type { Conductor, ThinkPorts } from './ports.ts';
import { Received } from './received-answer.ts';

/** The limits are also compared at this interval, because a model may send nothing for a long time. */
const CHECK_MS = 1_000;

/** Returns the messages of the next request. */
export function messagesToSend({ state, blind }: Pick<ThinkPorts, 'state' | 'blind'>): Message[] {
  const messages = messagesForModel(state);
  return blind ? withoutImages(messages) : messages;
}

/**
 * Performs one turn of the model. @throws LimitReached when a limit is reached while the answer is received. After this or any other
 * failure, the received text is kept as an aborted message, and its usage is counted.
 */
export async function think(ports: ThinkPorts, tools: ModelRequest['tools'], signal: AbortSignal): Promise<AssistantMessage> {
  const { state, emit, conductor } = ports;
  const request = { ...ports.request, model: ports.model.model, tools, messages: messagesToSend(ports) };
  const received = new Received(conductor ? sentBy(conductor, request) : request, ports.adapter.isFree);
  const ids = new CallIds(state.callIds);
  const ended = ports.meter.receiving(() => received.use(ports.price));
  try {
    await receive(conductor ? { ...ports, adapter: conductor } : ports, request, received, signal, (event) => {
      received.add(event.type === 'part' && event.part.type === 'tool_call' ? { ...event, part: ids.own(event.part) } : event);
      if (event.type !== 'part' && event.type !== 'usage' && event.type !== 'stop') emit(event);
    });
    if (!received.stop) throw new ModelError('bad_stream', 'The model’s answer ended before it was complete. Send the message again.');
  } catch (error) {
    ended();
    if (received.hasBegun) addAnswer(ports, received, received.said, 'aborted');
    throw error;
  }
  const { stop, content } = received;
  // A tool call in an answer that was cut off or refused may be incomplete, so it is removed and never executed.
  const kept = stop === 'end_turn' || stop === 'tool_use' ? content : content.filter((part) => part.type !== 'tool_call');
  ended();
  return addAnswer(ports, received, kept, stop);
}

/** Returns what a conductor has sent in this turn, as a request of which the size can be estimated. */
function sentBy(conductor: Conductor, request: ModelRequest): ModelRequest {
  return {
    ...{ ...request, system: '', tools: [] },
    get messages() {
      return conductor.sent;
    },
  };
}

/**
 * Sends a request and passes each event of its answer on. The caller counts it with `Meter.receiving`. @throws LimitReached when a limit is
 * reached while the answer is received.
 */
export async function receive(
  { adapter, meter }: Pick<ThinkPorts, 'adapter' | 'meter'>,
  request: ModelRequest,
  received: Received,
  signal: AbortSignal,
  each: (event: ModelEvent) => void,
): Promise<void> {
  const limit = new AbortController();
  const either = AbortSignal.any([signal, limit.signal]);
  const timer = setInterval(() => {
    try {
      meter.check();
    } catch (error) {
      limit.abort(error);
    }
  }, CHECK_MS);
  // The timer must not keep the process alive.
  (timer as { unref?(): void }).unref?.();
  try {
    for await (const event of interruptible(adapter.stream(request, either), either)) {
      const before = received.size;
      each(checkedEvent(event));
      meter.received(received.size - before);
    }
  } finally {
    clearInterval(timer);
  }
}

/** Counts the usage of an answer, and adds the answer to the conversation unless there is nothing to record. */
export function addAnswer(
  { emit, meter, model, price }: ThinkPorts,
  received: Received,
  content: AssistantMessage['content'],
  stop: AssistantMessage['stop'],
): AssistantMessage {
  const { usage, usd, estimate } = useIn(received, price);
  meter.spend(useOfAnswer(usage, usd, estimate));
  const message = { role: 'assistant', content, from: model, stop, ...(usage && { usage }), ...(usd !== undefined && { usd }) } as const;
  if (content.length > 0 || stop !== 'aborted' || usage || estimate.estimated !== undefined)
    emit({ type: 'message_added', message, ...estimate });
  return message;
}

/** Returns the usage of an answer that the service reported, its cost, and estimates of what the service did not report. */
export function useIn(received: Received, price: ThinkPorts['price']): { usage?: Usage; usd?: number; estimate: Estimate } {
  const { usage } = received;
  const usd = price?.(usage ?? {});
  const estimate = received.estimated(usd === undefined ? price : undefined);
  return { ...(usage && { usage }), ...(usd !== undefined && { usd }), estimate };
}

/** Makes tool call ids unique. Some models repeat or omit them, but the log, the approvals and the wire formats need one id per call. */
class CallIds {
  /** The ids in answers that are being received, by the ids of the session. Several runs of a session can receive answers at once. */
  static readonly #received = new WeakMap<ReadonlySet<string>, Set<string>>();
  /** The ids of all earlier tool calls of the session. */
  readonly #earlier: ReadonlySet<string>;
  readonly #taken: Set<string>;
  readonly #counts = new Map<string, number>();

  constructor(earlier: ReadonlySet<string>) {
    this.#earlier = earlier;
    this.#taken = CallIds.#received.get(earlier) ?? new Set();
    CallIds.#received.set(earlier, this.#taken);
  }

  own(call: ToolCall): ToolCall {
    const base = call.id || 'call';
    let { id } = call;
    for (let count = this.#counts.get(base) ?? 1; !id || this.#taken.has(id) || this.#earlier.has(id); count++) {
      id = `${base}_${count}`;
      this.#counts.set(base, count + 1);
    }
    this.#taken.add(id);
    return id === call.id ? call : { ...call, id };
  }
}

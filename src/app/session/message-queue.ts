/**
 * Messages that the user sent during a run and that the model has not received yet. They are added before the model's next turn or to the
 * next run.
 */

import type { UserMessage } from '../../core/model/messages.ts';
import type { EventBody } from '../../core/session/events.ts';
import { queuedText, type SessionState } from '../../core/session/session-state.ts';
import { queuedOpening, userMessage } from './prompt.ts';
import { SessionError } from './session-error.ts';

export type QueuePorts = { state: SessionState; newId(): string; emit(runId: string, body: EventBody): void };

export class MessageQueue {
  readonly #ports: QueuePorts;

  constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#ports.state.queue.size;
  }

  /** The texts of all queued messages, joined. */
  get text(): string {
    return queuedText(this.#ports.state);
  }

  add(message: UserMessage): void {
    this.#emit({ type: 'message_queued', id: this.#ports.newId(), message });
  }

  /**
   * Replaces the text of a queued message. A message without text and attachments is removed. @throws SessionError if it was already sent
   * to the model.
   */
  edit(id: string, text: string): void {
    const queued = this.#waiting(id);
    const attachments = queued.message.content.filter((part, index) => index > 0 || part.type !== 'text');
    const message = userMessage(text.trim(), attachments);
    this.#emit(message.content.length > 0 ? { type: 'message_queued', id, message } : { type: 'message_unqueued', id });
  }

  /** @throws SessionError if the message was already sent to the model. */
  remove(id: string): void {
    this.#waiting(id);
    this.#emit({ type: 'message_unqueued', id });
  }

  #waiting(id: string) {
    const queued = this.#ports.state.queue.get(id);
    if (!queued) throw new SessionError('This message has already been sent to the model. Send a new message instead.');
    return queued;
  }

  /** Yields the first events of a run. The messages of earlier runs that are queued when it has started are added before its own. */
  *opening(started: EventBody, ...prompt: EventBody[]): Generator<EventBody> {
    const { state } = this.#ports;
    yield started;
    yield* queuedOpening(state.lastRun?.runId, state);
    yield* prompt;
  }

  #emit(body: EventBody): void {
    const { state, emit } = this.#ports;
    if (state.lastRun) emit(state.lastRun.runId, body);
  }
}

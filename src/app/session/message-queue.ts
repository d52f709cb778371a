/** What the user said during a run and the model has not heard yet: it joins before the model's next turn, or goes with the next run. */

import { textOf, type UserMessage } from '../../core/model/messages.ts';
import type { EventBody } from '../../core/session/events.ts';
import type { SessionState } from '../../core/session/session-state.ts';
import { takenBackNote } from '../../core/session/staged-writes.ts';
import { userMessage } from './prompt.ts';
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

  /** All of it, as one text. */
  get text(): string {
    return [...this.#ports.state.queue.values()].map(({ message }) => textOf(message)).join('\n\n');
  }

  add(message: UserMessage): void {
    this.#emit({ type: 'message_queued', id: this.#ports.newId(), message });
  }

  /** Without words and images it waits no longer. @throws SessionError where it has joined by now. */
  edit(id: string, text: string): void {
    const queued = this.#waiting(id);
    const attachments = queued.message.content.filter((part, index) => index > 0 || part.type !== 'text');
    const message = userMessage(text.trim(), attachments);
    this.#emit(message.content.length > 0 ? { type: 'message_queued', id, message } : { type: 'message_unqueued', id });
  }

  /** @throws SessionError where it has joined by now. */
  remove(id: string): void {
    this.#waiting(id);
    this.#emit({ type: 'message_unqueued', id });
  }

  #waiting(id: string) {
    const queued = this.#ports.state.queue.get(id);
    if (!queued) throw new SessionError('This message has already been sent to the model.');
    return queued;
  }

  /** What a run that takes all of it along begins with. */
  *opening(): Generator<EventBody> {
    const { state } = this.#ports;
    for (const { id, message } of state.queue.values()) {
      const content = [...message.content, ...takenBackNote(state)];
      yield { type: 'message_added', message: { role: 'user', content }, queued: id };
    }
  }

  #emit(body: EventBody): void {
    const { state, emit } = this.#ports;
    if (state.lastRun) emit(state.lastRun.runId, body);
  }
}

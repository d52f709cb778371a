/** Calls between two threads. Each can call the handlers of the other, and abort its calls. */
import type { Transferable } from 'node:worker_threads';
import { CollectionBusy } from '../../../../documents/collections.ts';
import { DocumentError, type DocumentProblem } from '../../../../documents/document.ts';
import { SourceDenied, SourceError } from '../../../../documents/store/sources.ts';

type Message =
  /** A call without an id has no answer. */
  | { kind: 'call'; id?: number; method: string; args: unknown[] }
  | { kind: 'abort'; id: number }
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: SentError };

/** An error as it is sent. Its class would be lost. */
type SentError = { name: string; message: string; problem?: DocumentProblem };

type Port = {
  postMessage(message: Message, transfer?: readonly Transferable[]): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
};

export type Handlers = Readonly<Record<string, (signal: AbortSignal, ...args: never[]) => unknown>>;

/** A result whose memory is moved to the other thread instead of being copied. */
export class Moved {
  readonly value: unknown;
  readonly memory: readonly Transferable[];

  constructor(value: unknown, memory: readonly Transferable[]) {
    this.value = value;
    this.memory = memory;
  }
}

type Open = { resolve(value: unknown): void; reject(error: Error): void };

export class Calls {
  readonly #port: Port;
  readonly #handlers: Handlers;
  readonly #open = new Map<number, Open>();
  readonly #running = new Map<number, AbortController>();
  #ids = 0;

  constructor(port: Port, handlers: Handlers) {
    this.#port = port;
    this.#handlers = handlers;
    port.on('message', (message) => void this.#receive(message));
  }

  /** If the signal aborts, the other thread is told so, and decides how the call ends. */
  call(method: string, args: unknown[], signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const id = ++this.#ids;
    const abort = () => this.#port.postMessage({ kind: 'abort', id });
    signal?.addEventListener('abort', abort, { once: true });
    return new Promise<unknown>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#port.postMessage({ kind: 'call', id, method, args });
    }).finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Calls without waiting. */
  tell(method: string, args: unknown[]): void {
    this.#port.postMessage({ kind: 'call', method, args });
  }

  /** Ends all calls in both directions, because the other thread has ended. */
  end(error: Error): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
    for (const running of this.#running.values()) running.abort();
  }

  async #receive(message: Message): Promise<void> {
    if (message.kind === 'abort') this.#running.get(message.id)?.abort();
    else if (message.kind === 'call') await this.#answer(message);
    else {
      const open = this.#open.get(message.id);
      this.#open.delete(message.id);
      if (message.kind === 'result') open?.resolve(message.value);
      else open?.reject(receivedError(message.error));
    }
  }

  async #answer({ id, method, args }: Extract<Message, { kind: 'call' }>): Promise<void> {
    const running = new AbortController();
    if (id !== undefined) this.#running.set(id, running);
    try {
      const result = await this.#handlers[method]?.(running.signal, ...(args as never[]));
      if (id === undefined) return;
      const { value, memory } = result instanceof Moved ? result : { value: result, memory: [] };
      this.#port.postMessage({ kind: 'result', id, value }, memory);
    } catch (error) {
      if (id !== undefined) this.#port.postMessage({ kind: 'error', id, error: sentError(error as Error) });
    } finally {
      if (id !== undefined) this.#running.delete(id);
    }
  }
}

const CLASSES = { CollectionBusy, SourceDenied, SourceError };

function sentError(error: Error): SentError {
  const { name, message } = error;
  return { name, message, ...(error instanceof DocumentError && { problem: error.problem }) };
}

function receivedError({ name, message, problem }: SentError): Error {
  if (problem) return new DocumentError(problem, message);
  if (name === 'AbortError') return new DOMException(message, name);
  const Class = Object.hasOwn(CLASSES, name) ? CLASSES[name as keyof typeof CLASSES] : Error;
  return Object.assign(new Class(message), { name });
}

/**
 * The calls of one connection that are in progress. A server can ask the user and the model only during a call, and its question belongs to the
 * run of that call. The protocol does not say which call that is, and several sessions can use one connection at the same time.
 */
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Ask, CallContext, CallScope } from '../types.ts';

type Call = Pick<CallContext, 'ask' | 'model' | 'signal'>;
/** The user and the model that a request can ask. Without a call, there are none. */
export type Asking = { ask: Ask | undefined; model: CallContext['model'] };

/** How long a request waits until all calls in progress are of one run. */
const PATIENCE_MS = 60_000;

export class Calls {
  readonly #calls: Call[] = [];
  readonly #requests = new Map<RequestId, AbortController>();
  readonly #scope: CallScope | undefined;
  /** Continue the requests that wait until a call has ended. */
  readonly #waits = new Set<() => void>();

  /** @param scope knows the call in whose response a request arrives. Only HTTP has a response for each call. */
  constructor(scope: CallScope | undefined) {
    this.#scope = scope;
  }

  async during<T>(call: Call, work: () => Promise<T>): Promise<T> {
    this.#calls.push(call);
    try {
      return await (this.#scope?.run(call, work) ?? work());
    } finally {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      for (const goOn of this.#waits) goOn();
    }
  }

  /** Answers a request of the server. When the server cancels it, its question is withdrawn. */
  async answering<T>(requestId: RequestId, answer: (asking: Asking, cancelled: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#requests.set(requestId, controller);
    try {
      const { ask, model } = (await this.ofRequest(signal)) ?? {};
      return await answer({ ask: ask && ((question) => ask(question, signal)), model }, signal);
    } finally {
      this.#requests.delete(requestId);
    }
  }

  /** The SDK ignores that the first request of a server is canceled, because its id is 0. */
  cancel(requestId: RequestId | undefined): void {
    if (requestId !== undefined) this.#requests.get(requestId)?.abort();
  }

  /**
   * Returns the call that a request of the server belongs to. If calls of several runs are in progress, it waits for those that end: the call
   * that needs the answer does not. Resolves to undefined if there is no call. @throws Error if the call remains unknown
   */
  async ofRequest(cancelled: AbortSignal, patience = AbortSignal.timeout(PATIENCE_MS)): Promise<Call | undefined> {
    const here = this.#calls.find((call) => call === this.#scope?.getStore());
    if (here) return here;
    const given = AbortSignal.any([cancelled, patience]);
    while (this.#runs > 1) {
      if (given.aborted) throw new Error('Several sessions use this server now, so it is unknown whose request this is. Try again.');
      await new Promise<void>((resolve) => {
        const goOn = () => {
          this.#waits.delete(goOn);
          given.removeEventListener('abort', goOn);
          resolve();
        };
        this.#waits.add(goOn);
        given.addEventListener('abort', goOn, { once: true });
      });
    }
    return this.#calls.at(-1);
  }

  /** The calls of a run have the same signal. */
  get #runs(): number {
    return new Set(this.#calls.map(({ signal }) => signal)).size;
  }
}

/** Builds the bodies of requests. A conversation only grows, so each of its messages is converted and encoded once. */
import { commonPrefix } from '../core/common-prefix.ts';
import type { Message } from '../core/model/messages.ts';
import type { ModelRequest } from '../core/model/model.ts';

/** The number of conversations whose encoded messages an adapter keeps. */
const KEPT = 4;
const OPENING_BRACKET = 0x5b;

/** An SDK sends bytes unchanged, without setting the content type. */
export const JSON_CONTENT = { 'Content-Type': 'application/json' };

/**
 * The JSON of a request: `before` ends inside the list of messages, and `after` begins with the end of this list. `toItems` converts one
 * message to items of the list; it is called for the messages in their order.
 */
export type BodyForm = { before: string; after: string; toItems(message: Message): readonly unknown[] };

/** Returns the form of requests whose last field is the list of messages. `body` is such a request, without the messages. */
export function formOf(body: object, toItems: BodyForm['toItems']): BodyForm {
  return { before: JSON.stringify(body).slice(0, -2), after: ']}', toItems };
}

export class RequestBodies {
  /** The bodies by cache key. The most recently used conversation is the last one. */
  readonly #bodies = new Map<string, GrowingBody>();

  /**
   * Returns the body of a request, encoded in UTF-8. It must be sent before the conversation continues. `form` is called only if the
   * request differs from the last request of the conversation in more than its messages. `options` contains the values besides the request
   * that the form depends on; they are compared by identity. Messages must not change, because they are recognized by identity too.
   */
  of(request: ModelRequest, options: unknown, form: () => BodyForm): Uint8Array<ArrayBuffer> {
    const { cacheKey, messages } = request;
    const known = cacheKey === undefined ? undefined : this.#bodies.get(cacheKey);
    const body = known?.suits(request, options) ? known : new GrowingBody(request, options, form());
    if (cacheKey !== undefined) {
      this.#bodies.delete(cacheKey);
      this.#bodies.set(cacheKey, body);
      for (const oldest of this.#bodies.keys()) if (this.#bodies.size > KEPT) this.#bodies.delete(oldest);
    }
    return body.with(messages);
  }
}

/** The body of the last request of a conversation. */
class GrowingBody {
  readonly #head: Omit<ModelRequest, 'messages'>;
  readonly #options: unknown;
  readonly #after: Uint8Array;
  readonly #toItems: BodyForm['toItems'];
  readonly #encoder = new TextEncoder();
  readonly #messages: Message[] = [];
  /** The number of bytes up to the end of each message; the first number is the length of `before`. */
  readonly #ends: number[];
  #bytes: Uint8Array<ArrayBuffer>;

  constructor({ messages: _, ...head }: ModelRequest, options: unknown, { before, after, toItems }: BodyForm) {
    this.#head = head;
    this.#options = options;
    this.#after = this.#encoder.encode(after);
    this.#toItems = toItems;
    this.#bytes = this.#encoder.encode(before);
    this.#ends = [this.#bytes.length];
  }

  suits({ messages: _, ...head }: ModelRequest, options: unknown): boolean {
    const names = Object.keys(head) as (keyof typeof head)[];
    return (
      options === this.#options && names.length === Object.keys(this.#head).length && names.every((name) => head[name] === this.#head[name])
    );
  }

  with(messages: readonly Message[]): Uint8Array<ArrayBuffer> {
    const kept = commonPrefix(this.#messages, messages);
    let end = this.#ends[kept] as number;
    // The bytes of an earlier request may still be in use, so they are only extended, and not overwritten with other messages.
    if (kept < this.#messages.length) this.#bytes = this.#bytes.slice(0, end);
    this.#messages.length = kept;
    this.#ends.length = kept + 1;
    for (const message of messages.slice(kept)) {
      for (const item of this.#toItems(message)) {
        const comma = this.#bytes[end - 1] === OPENING_BRACKET ? '' : ',';
        end = this.#add(this.#encoder.encode(comma + JSON.stringify(item)), end);
      }
      this.#messages.push(message);
      this.#ends.push(end);
    }
    const length = this.#add(this.#after, end);
    return this.#bytes.subarray(0, length);
  }

  /** Writes a piece at `end`. Returns where it ends. */
  #add(piece: Uint8Array, end: number): number {
    const length = end + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, Math.ceil(1.5 * end)));
      larger.set(this.#bytes.subarray(0, end));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, end);
    return length;
  }
}

import type { Call } from './calls.ts';
import type { Source } from './source.ts';

export type TextToolEvent = { type: 'text' | 'reasoning'; text: string } | ({ type: 'call' } & Call);

/** How long a text grows before what is no longer needed of it is forgotten. */
export const LONG = 16_384;
/** How much of what stands before a call is looked at. */
export const LEAD = 600;

/** What has become of the text so far. */
export class Output {
  readonly #src: Source;
  #events: TextToolEvent[] = [];
  #afterCall = false;
  #said = false;
  /** Everything before it has been shown or taken. */
  shown = 0;
  /** Where the text began that leads to the next call. */
  base = 0;
  /** Where the last call ended that was only shown. */
  quotedEnd: number | undefined;

  constructor(src: Source) {
    this.#src = src;
  }

  call(call: Call): void {
    this.#events.push({ type: 'call', ...call });
  }

  /** The text is over: what was held back is text, but for white space behind a call. */
  finish(): void {
    this.show(this.#src.text.length);
    const rest = this.#src.text.slice(this.shown);
    if (!this.#afterCall) this.say('text', rest);
  }

  /** Forgets what was shown long ago. Only where no place in the text is remembered elsewhere. */
  forget(): void {
    const src = this.#src;
    const surplus = Math.min(this.shown, src.at) - LEAD;
    if (surplus < LONG) return;
    src.text = src.text.slice(surplus);
    src.at -= surplus;
    this.shown -= surplus;
    this.base = Math.max(0, this.base - surplus);
    if (this.quotedEnd !== undefined) this.quotedEnd = Math.max(0, this.quotedEnd - surplus);
  }

  flush(): TextToolEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  say(type: 'text' | 'reasoning', text: string): void {
    const last = this.#events.at(-1);
    if (last?.type === type) last.text += text;
    else if (text !== '') this.#events.push({ type, text });
  }

  /** White space waits for what it leads to: before a call, and behind one with which the answer begins or ends, it is dropped. */
  show(upTo: number): void {
    if (upTo <= this.shown) return;
    let text = this.#src.text.slice(this.shown, upTo).trimEnd();
    if (text === '') return;
    this.shown += text.length;
    if (this.#afterCall && !this.#said) text = text.trimStart();
    this.#afterCall = false;
    this.#said = true;
    this.say('text', text);
  }

  /** Everything up to here was markup. */
  take(): void {
    this.shown = this.#src.at;
    this.base = this.#src.at;
    this.quotedEnd = undefined;
    this.#afterCall = true;
  }
}

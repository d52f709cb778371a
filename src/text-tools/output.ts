import { type Doubt, outcomeOf, type Told as ReportedDoubt } from './call-detection.ts';
import type { Call } from './calls.ts';
import type { Source } from './source.ts';
import { isInvented } from './surrounding-words.ts';

export type Candidate = { calls: readonly Call[]; from: number; to: number; doubt?: Doubt | undefined };
/** `blankTo` is set if only whitespace lies between the end of the call and this position. */
type Held = Candidate & { blankTo?: number };
export type TextToolEvent =
  | { type: 'text' | 'reasoning'; text: string }
  | ({ type: 'call' } & Call)
  /** Text that may have been meant as a call but is shown as text. */
  | ({ type: 'unclear'; doubt: ReportedDoubt } & Call);

/** The length in characters from which text that is no longer needed is discarded. */
export const LONG = 16_384;
/** How many characters before a call are examined. */
export const LEAD = 600;
const WORD = /\S/g;
/** Matches the first sentence after a call, or its first 200 characters. Held calls are decided when this text is complete. */
const SENTENCE = /^(?:[^.!?。\n]{0,200}[.!?。\n]|[^.!?。\n]{200})/;

/** Collects the events for the text that was parsed so far. */
export class Output {
  readonly #src: Source;
  /** Returns whether a tool with this name was offered. */
  readonly #isTool: (name: string) => boolean;
  #events: TextToolEvent[] = [];
  #afterCall = false;
  #hasText = false;
  /** The reason why no further calls in this answer are executed. */
  #over: ReportedDoubt | undefined;
  /** Consecutive calls that are not decided yet, because the text after them is not complete. */
  #heldCalls: Held[] = [];
  /** The position up to which text was emitted or consumed. */
  emittedUpTo = 0;
  /** The end of the last call or markup, which is where the text before the next call begins. */
  base = 0;
  /** The end of the last call that was shown as text. */
  quotedEnd: number | undefined;

  constructor(src: Source, isTool: (name: string) => boolean) {
    this.#src = src;
    this.#isTool = isTool;
  }

  /** Whether any text was emitted so far, apart from calls. */
  get hasText(): boolean {
    return this.#hasText;
  }

  /** Holds a possible call and emits the text before it. */
  hold(candidate: Candidate): void {
    if (this.#decideHeld(candidate.from, true)) this.show(candidate.from);
    this.#heldCalls.push({ ...candidate });
    this.base = candidate.to;
    this.quotedEnd = undefined;
  }

  /** Ends the text. Text that was held back is emitted, except for whitespace after a call. */
  finish(): void {
    const end = this.#src.text.length;
    if (!this.#decideHeld(end, true)) this.#release('');
    this.show(end);
    const rest = this.#src.text.slice(this.emittedUpTo);
    if (!this.#afterCall) this.say('text', rest);
  }

  /** Discards text that was emitted long ago. Must only be called while no other positions in the text are stored. */
  forget(): void {
    const src = this.#src;
    const surplus = Math.min(this.emittedUpTo, src.at) - LEAD;
    if (surplus < LONG) return;
    src.text = src.text.slice(surplus);
    src.at -= surplus;
    src.forgotten += surplus;
    this.emittedUpTo -= surplus;
    this.base = Math.max(0, this.base - surplus);
    this.#heldCalls = this.#heldCalls.map(({ from, to, calls, doubt }) => ({ from: from - surplus, to: to - surplus, calls, doubt }));
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

  /**
   * Emits text. Whitespace is held until more text follows: it is dropped before a call, and after a call that begins or ends the answer.
   */
  show(upTo: number): void {
    if (!this.#decideHeld(upTo, false) || upTo <= this.emittedUpTo) return;
    let text = this.#src.text.slice(this.emittedUpTo, upTo).trimEnd();
    if (text === '') return;
    this.emittedUpTo += text.length;
    if (this.#afterCall && !this.#hasText) text = text.trimStart();
    this.#afterCall = false;
    this.#hasText = true;
    this.say('text', text);
  }

  /** Consumes the text from `from` to the current position as markup, and emits the text before it. */
  take(from = this.emittedUpTo): void {
    // Calls are held until it is known whether they end the answer. Markup follows these calls, so they do not end it; `…` stands for the
    // text after them.
    if (!this.#decideHeld(from, true)) this.#release('…');
    this.show(from);
    this.emittedUpTo = this.#src.at;
    this.base = this.#src.at;
    this.quotedEnd = undefined;
    this.#afterCall = true;
  }

  /**
   * Decides about held calls if the sentence after them is complete, or ends at `upTo` because `limit` is set. Returns false if the calls
   * remain held.
   */
  #decideHeld(upTo: number, limit: boolean): boolean {
    const last = this.#heldCalls.at(-1);
    if (!last) return true;
    const { text } = this.#src;
    WORD.lastIndex = last.blankTo ?? last.to;
    last.blankTo = WORD.exec(text)?.index ?? text.length;
    const behind = text.slice(last.blankTo, Math.min(upTo, last.blankTo + LEAD));
    if (behind === '') return false;
    const sentence = SENTENCE.exec(behind)?.[0];
    if (sentence === undefined && !limit) return false;
    this.#release(sentence ?? behind);
    return true;
  }

  /** @param behind the first sentence after the held calls; empty if the calls end the answer */
  #release(behind: string): void {
    const candidates = this.#heldCalls;
    this.#heldCalls = [];
    for (const candidate of candidates) {
      const fate = outcomeOf(candidate.doubt, behind);
      // Calls are executed in order: if one is not executed, the following ones are not executed either.
      if (fate === 'call' && !this.#over) this.#make(candidate);
      else this.#leave(candidate, fate === 'call' ? (this.#over ?? 'after') : fate);
    }
    if (isInvented(behind)) this.#over ??= 'invented';
  }

  #leave({ calls, to }: Candidate, why: ReportedDoubt | 'text'): void {
    this.show(to);
    if (why === 'text') return;
    this.#over ??= 'after';
    for (const call of calls) if (this.#isTool(call.name)) this.#events.push({ type: 'unclear', doubt: why, ...call });
  }

  #make({ calls, to }: Candidate): void {
    for (const call of calls) {
      if (this.#isTool(call.name)) this.#events.push({ type: 'call', ...call });
      else this.say('text', JSON.stringify(call));
    }
    this.emittedUpTo = to;
    this.#afterCall = true;
  }
}

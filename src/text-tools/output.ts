import type { Call } from './calls.ts';
import { type Doubt, fateOf, type Told } from './doubts.ts';
import { isInvented } from './quoting.ts';
import type { Source } from './source.ts';

export type Candidate = { calls: readonly Call[]; from: number; to: number; doubt?: Doubt | undefined };
/** There is nothing but white space from its end to `blankTo`. */
type Held = Candidate & { blankTo?: number };
export type TextToolEvent =
  | { type: 'text' | 'reasoning'; text: string }
  | ({ type: 'call' } & Call)
  /** It may have been meant as a call, and is shown as text. */
  | ({ type: 'unclear'; doubt: Told } & Call);

/** How long a text grows before what is no longer needed of it is forgotten. */
export const LONG = 16_384;
/** How much of what stands before a call is looked at. */
export const LEAD = 600;
const WORD = /\S/g;
/** How much of the sentence behind a call is waited for. */
const SENTENCE = /^(?:[^.!?。\n]{0,200}[.!?。\n]|[^.!?。\n]{200})/;

/** What has become of the text so far. */
export class Output {
  readonly #src: Source;
  /** Whether a tool of this name was offered. */
  readonly #isTool: (name: string) => boolean;
  #events: TextToolEvent[] = [];
  #afterCall = false;
  #said = false;
  /** Why no call runs any more. */
  #over: Told | undefined;
  /** Calls that follow each other, until it is known what stands behind them. */
  #held: Held[] = [];
  /** Everything before it has been shown or taken. */
  shown = 0;
  /** Where the text began that leads to the next call. */
  base = 0;
  /** Where the last call ended that was only shown. */
  quotedEnd: number | undefined;

  constructor(src: Source, isTool: (name: string) => boolean) {
    this.#src = src;
    this.#isTool = isTool;
  }

  /** Whether the answer has words of its own so far. */
  get hasSaid(): boolean {
    return this.#said;
  }

  /** Keeps what may be a call, and shows what stands before it. */
  hold(candidate: Candidate): void {
    if (this.#decideHeld(candidate.from, true)) this.show(candidate.from);
    this.#held.push({ ...candidate });
    this.base = candidate.to;
    this.quotedEnd = undefined;
  }

  /** The text is over: what was held back is text, but for white space behind a call. */
  finish(): void {
    const end = this.#src.text.length;
    if (!this.#decideHeld(end, true)) this.#release('');
    this.show(end);
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
    src.forgotten += surplus;
    this.shown -= surplus;
    this.base = Math.max(0, this.base - surplus);
    this.#held = this.#held.map(({ from, to, calls, doubt }) => ({ from: from - surplus, to: to - surplus, calls, doubt }));
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
    if (!this.#decideHeld(upTo, false) || upTo <= this.shown) return;
    let text = this.#src.text.slice(this.shown, upTo).trimEnd();
    if (text === '') return;
    this.shown += text.length;
    if (this.#afterCall && !this.#said) text = text.trimStart();
    this.#afterCall = false;
    this.#said = true;
    this.say('text', text);
  }

  /** What stands between `from` and here is markup. Everything before it is shown, if it was not. */
  take(from = this.shown): void {
    // Markup is no end of the answer.
    if (!this.#decideHeld(from, true)) this.#release('…');
    this.show(from);
    this.shown = this.#src.at;
    this.base = this.#src.at;
    this.quotedEnd = undefined;
    this.#afterCall = true;
  }

  /** Decides on what is held, if the words behind it have come; at a `limit` they have, whatever there is. False where it stays held. */
  #decideHeld(upTo: number, limit: boolean): boolean {
    const last = this.#held.at(-1);
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

  /** `behind` is the first sentence behind the calls, empty where they end the answer. */
  #release(behind: string): void {
    const held = this.#held;
    this.#held = [];
    for (const candidate of held) {
      const fate = fateOf(candidate.doubt, behind);
      // The calls of an answer run in their order, or not.
      if (fate === 'call' && !this.#over) this.#make(candidate);
      else this.#leave(candidate, fate === 'call' ? (this.#over ?? 'after') : fate);
    }
    if (isInvented(behind)) this.#over ??= 'invented';
  }

  #leave({ calls, to }: Candidate, why: Told | 'text'): void {
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
    this.shown = to;
    this.#afterCall = true;
  }
}

/** The arguments of a call as they come. */
import { GrowingText } from '../../core/growing-text.ts';
import { parseInput } from '../tool-calls.ts';

/** What is neither an object, a list nor a text is no longer than this. */
const LONGEST_SCALAR = 30;

export class Arguments {
  readonly #made = new GrowingText();
  /** What stands at their beginning, behind blanks. */
  #first = '';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isBroken = false;

  add(more: string): void {
    this.#made.add(more);
    this.#first ||= more.trimStart()[0] ?? '';
    for (const char of more) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#inString) {
        this.#isEscaped = char === '\\';
        this.#inString = char !== '"';
      } else if (char === '"') this.#inString = true;
      else if (char === '{' || char === '[') this.#depth++;
      else if (char === '}' || char === ']') this.#depth--;
    }
  }

  get text(): string {
    return this.#made.text;
  }

  get isEmpty(): boolean {
    return this.#made.length === 0;
  }

  /** Whether nothing more can belong to them. They are parsed only where that may be so, and once, however often this is asked. */
  get isWhole(): boolean {
    const isScalar = !/[{["]/.test(this.#first);
    const isOpen = isScalar ? this.#made.length > LONGEST_SCALAR : this.#inString || this.#depth > 0;
    if (this.#isBroken || isOpen) return false;
    const isWhole = parseInput(this.text).malformed === undefined;
    // What is balanced and no JSON becomes none by what follows.
    this.#isBroken = !isWhole && !isScalar;
    return isWhole;
  }
}

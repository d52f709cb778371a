/** The arguments of a call as they come. */
import { GrowingText } from '../../core/growing-text.ts';
import { parseInput } from '../http.ts';

/** What is neither an object, a list nor a text is no longer than this. */
const LONGEST_SCALAR = 30;

export class Arguments {
  readonly #made = new GrowingText();
  /** How far the brackets and quotes were looked at. */
  #at = 0;
  #depth = 0;
  #inString = false;
  #isBroken = false;

  add(more: string): void {
    this.#made.add(more);
  }

  get text(): string {
    return this.#made.text;
  }

  get isEmpty(): boolean {
    return this.#made.length === 0;
  }

  /** Whether nothing more can belong to them. Each character is looked at once, however often this is asked. */
  get isWhole(): boolean {
    const isScalar = !/^\s*[{["]/.test(this.text);
    if (this.#isBroken || (isScalar ? this.text.length > LONGEST_SCALAR : !this.#isBalanced())) return false;
    const isWhole = parseInput(this.text).malformed === undefined;
    // What is balanced and no JSON becomes none by what follows.
    this.#isBroken = !isWhole && !isScalar;
    return isWhole;
  }

  #isBalanced(): boolean {
    const { text } = this;
    for (; this.#at < text.length; this.#at++) {
      const char = text[this.#at];
      if (this.#inString) {
        // A backslash at the end waits for what it stands before.
        if (char === '\\' && this.#at + 1 === text.length) return false;
        if (char === '\\') this.#at++;
        else if (char === '"') this.#inString = false;
      } else if (char === '"') this.#inString = true;
      else if (char === '{' || char === '[') this.#depth++;
      else if (char === '}' || char === ']') this.#depth--;
    }
    return !this.#inString && this.#depth <= 0;
  }
}

/** Collects the streamed arguments of a tool call. */
import { GrowingText } from '../../core/growing-text.ts';
import { parseInput } from '../tool-calls.ts';

/** The maximum length, in characters, of JSON that is not an object, array or string. */
const LONGEST_SCALAR = 30;

export class Arguments {
  readonly #text = new GrowingText();
  /** The first character that is not whitespace. */
  #first = '';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isBroken = false;

  add(more: string): void {
    this.#text.add(more);
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
    return this.#text.text;
  }

  get isEmpty(): boolean {
    return this.#text.length === 0;
  }

  /**
   * Whether the arguments are complete JSON. They are parsed only when brackets and quotes are balanced, and a failed parse is not
   * repeated.
   */
  get isWhole(): boolean {
    const isScalar = !/[{["]/.test(this.#first);
    const isOpen = isScalar ? this.#text.length > LONGEST_SCALAR : this.#inString || this.#depth > 0;
    if (this.#isBroken || isOpen) return false;
    const isWhole = parseInput(this.text).malformed === undefined;
    // Balanced text that is not valid JSON cannot become valid by adding more.
    this.#isBroken = !isWhole && !isScalar;
    return isWhole;
  }
}

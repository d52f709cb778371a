/**
 * Evaluates arithmetic. The grammar has numbers, operators and a fixed list of functions, and nothing else: no names, no members, no
 * assignment, no strings. A library would bring these, and with them ways to reach code.
 */
import { ToolError } from '../../core/run/tool.ts';
import { FUNCTIONS } from './functions.ts';

const MAX_CHARACTERS = 20_000;
const MAX_DEPTH = 50;

const TOKEN = /\s*(?:((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)|([a-z][a-z0-9]*)|(\*\*|[-+*/%^(),]))/iy;

type Token = { at: number; number?: number; name?: string; sign?: string };

/** Returns the value of an expression. @throws ToolError with the position of the mistake */
export function evaluate(expression: string): number {
  if (expression.length > MAX_CHARACTERS) throw new ToolError(`The expression is longer than ${MAX_CHARACTERS} characters. Split it.`);
  const parser = new Parser(tokensOf(expression));
  const value = parser.sum(0);
  parser.expectEnd();
  if (!Number.isFinite(value)) throw new ToolError(`${shown(expression)} has no finite value.`);
  return value;
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  const text = expression.trimEnd();
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) throw new ToolError(`Character ${at + 1} of ${shown(expression)} does not belong to an expression.`);
    const [, number, name, sign] = found;
    tokens.push({ at, ...(number && { number: Number(number) }), ...(name && { name: name.toLowerCase() }), ...(sign && { sign }) });
    at = TOKEN.lastIndex;
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  sum(depth: number): number {
    let value = this.#product(depth);
    for (;;) {
      if (this.#takes('+')) value += this.#product(depth);
      else if (this.#takes('-')) value -= this.#product(depth);
      else return value;
    }
  }

  expectEnd(): void {
    if (this.#next < this.#tokens.length) throw this.#wrong();
  }

  #product(depth: number): number {
    let value = this.#signed(depth);
    for (;;) {
      if (this.#takes('*')) value *= this.#signed(depth);
      else if (this.#takes('/')) value = divided(value, this.#signed(depth));
      else if (this.#takes('%')) value %= this.#signed(depth);
      else return value;
    }
  }

  /** As in mathematics, a sign binds less than a power: -2^2 is -4. */
  #signed(depth: number): number {
    if (depth > MAX_DEPTH) throw new ToolError(`The expression is nested more than ${MAX_DEPTH} times. Split it.`);
    if (this.#takes('-')) return -this.#signed(depth + 1);
    if (this.#takes('+')) return this.#signed(depth + 1);
    const base = this.#operand(depth);
    return this.#takes('^') || this.#takes('**') ? base ** this.#signed(depth + 1) : base;
  }

  #operand(depth: number): number {
    const token = this.#tokens[this.#next];
    if (token?.number !== undefined) {
      this.#next++;
      return token.number;
    }
    if (token?.name !== undefined) return this.#call(token.name, depth);
    if (!this.#takes('(')) throw this.#wrong();
    const value = this.sum(depth + 1);
    this.#expect(')');
    return value;
  }

  #call(name: string, depth: number): number {
    const use = FUNCTIONS.get(name);
    if (typeof use === 'number') {
      this.#next++;
      return use;
    }
    if (!use) throw new ToolError(`There is no function ${name}. Use numbers, + - * / % ^ ( ) and ${[...FUNCTIONS.keys()].join(', ')}.`);
    this.#next++;
    this.#expect('(');
    const values = [this.sum(depth + 1)];
    while (this.#takes(',')) values.push(this.sum(depth + 1));
    this.#expect(')');
    return use(values);
  }

  #takes(sign: string): boolean {
    const isNext = this.#tokens[this.#next]?.sign === sign;
    if (isNext) this.#next++;
    return isNext;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw this.#wrong(`“${sign}” is missing`);
  }

  #wrong(what = 'a number is missing, or something is left over'): ToolError {
    const token = this.#tokens[this.#next];
    return new ToolError(`The expression is not complete: ${what} ${token ? `at character ${token.at + 1}` : 'at its end'}.`);
  }
}

function divided(value: number, by: number): number {
  if (by === 0) throw new ToolError('The expression divides by zero.');
  return value / by;
}

function shown(expression: string): string {
  return expression.length > 60 ? `${expression.slice(0, 58).toWellFormed()} …` : expression;
}

/** Formats a number without the digits that binary fractions add: 0.1 + 0.2 is 0.3. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(14)));
}

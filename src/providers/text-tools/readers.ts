/** One reader a form of call. A reader starts at the form's first character and ends behind its last. */
import { type Call, coerceAll, isCallKey, isNameKey, plainName, propertiesOf, type Tools, toCalls, toInput } from './calls.ts';
import { readLiteral, type Watch } from './literal.ts';
import * as marks from './markers.ts';
import { type Reading, type Source, Unreadable } from './source.ts';

const STARTS = [...marks.WRAPPERS, ...marks.FUNCTIONS, ...marks.INVOKES, ...marks.CALL_BEGINS];
const NAME = /[\w.:/-]+/y;

export class Reader {
  readonly #src: Source;
  readonly #tools: Tools;
  /** Told when a value turns out not to be a call, before it is whole. */
  readonly #doom: () => void;

  constructor(src: Source, tools: Tools, doom: () => void = () => undefined) {
    this.#src = src;
    this.#tools = tools;
    this.#doom = doom;
  }

  /** What a mark opens; the source stands behind it. */
  *marked(mark: string): Reading<Call[]> {
    if (marks.FUNCTIONS.includes(mark)) return [yield* this.#function()];
    if (marks.INVOKES.includes(mark)) return [yield* this.#invoke(mark)];
    if (marks.CALL_BEGINS.includes(mark)) return [yield* this.#tokenCall()];
    return yield* this.#body(mark);
  }

  /** A value at the beginning of a line, without any mark. */
  *bare(): Reading<Call[]> {
    const src = this.#src;
    if (src.text[src.at] === '[' && (yield* this.#opensPythonic())) return yield* this.#pythonicList();
    const calls: Call[] = [];
    for (let end = src.at; ; end = src.at) {
      if (calls.length > 0) yield* src.run(/[\s,;]+/y);
      const more = calls.length === 0 || (yield* src.char()) === '{';
      const found = more ? yield* this.#value(true) : undefined;
      if (found) calls.push(...found);
      else {
        src.at = calls.length > 0 ? end : src.at;
        return calls;
      }
    }
  }

  /** The contents of a fence, up to its closing line. */
  *fenced(language: string, fence: string): Reading<Call[]> {
    const src = this.#src;
    const calls: Call[] = [];
    const strict = marks.DATA_FENCES.has(language);
    for (;;) {
      yield* src.run(/[\s,;]+/y);
      const first = yield* src.char();
      if (first === '' || first === fence[0]) break;
      const found = /[{[]/.test(first) ? yield* this.#listOr(strict) : strict ? undefined : [yield* this.#statement()];
      if (!found) throw new Unreadable();
      calls.push(...found);
    }
    if (calls.length === 0) throw new Unreadable();
    if ((yield* src.char()) !== '' && !(yield* src.literal([fence]))) throw new Unreadable();
    yield* src.run(new RegExp(`[${fence[0]} \\t]+`, 'y'));
    if (!/^\s?$/.test(yield* src.char())) throw new Unreadable();
    return calls;
  }

  /** `to=functions.name … <|message|>{…}`, from behind the header. */
  *harmony(name: string): Reading<Call[]> {
    yield* this.#src.spaces();
    const input = yield* this.#arguments();
    return [{ name: plainName(name, this.#tools), ...input }];
  }

  /** `name[ARGS]{…}`, from behind the name. */
  *withArguments(name: string): Reading<Call[]> {
    const src = this.#src;
    if ((yield* src.literal(['[CALL_ID]'])) && !(yield* src.run(/[\w-]+/y))) throw new Unreadable();
    if (!(yield* src.literal(['[ARGS]']))) throw new Unreadable();
    yield* src.spaces();
    return [{ name: plainName(name, this.#tools), ...(yield* this.#arguments()) }];
  }

  *#listOr(strict: boolean): Reading<Call[] | undefined> {
    if (!strict && this.#src.text[this.#src.at] === '[' && (yield* this.#opensPythonic())) return yield* this.#pythonicList();
    return yield* this.#value(strict);
  }

  /** One or more calls in any form, then a closing mark. Arguments that lack a bracket need that mark: else they may be half of what was meant. */
  *#body(mark: string): Reading<Call[]> {
    const src = this.#src;
    const calls: Call[] = [];
    for (let end = src.at; ; end = src.at) {
      yield* src.run(/[\s,;]+/y);
      const closer = yield* src.literal(marks.CLOSERS);
      if (closer && calls.length > 0) return calls;
      const found = closer ? undefined : yield* this.#attempt(calls.length === 0, mark);
      if (found) calls.push(...found);
      else {
        src.at = end;
        break;
      }
    }
    if (calls.length === 0) throw new Unreadable();
    return calls;
  }

  *#attempt(first: boolean, mark: string): Reading<Call[] | undefined> {
    try {
      return yield* this.#item(first, mark);
    } catch (error) {
      if (first || !(error instanceof Unreadable)) throw error;
      return undefined;
    }
  }

  *#item(first: boolean, outer: string): Reading<Call[] | undefined> {
    const src = this.#src;
    const char = yield* src.char();
    if (char === '{' || char === '[') {
      if (char === '[' && outer.startsWith('[') && !first) return undefined;
      return yield* this.#listOr(false);
    }
    if (char === '`') return yield* this.#innerFence();
    if (char === '<') {
      const mark = yield* src.literal(STARTS);
      if (!mark) throw new Unreadable();
      return yield* this.marked(mark);
    }
    const name = yield* src.run(NAME);
    if (name === '') throw new Unreadable();
    const next = yield* src.char();
    if (next === '[') return yield* this.withArguments(name);
    if (!first) throw new Unreadable();
    if (next === '(') return [yield* this.#python(name)];
    yield* src.spaces();
    const behind = yield* src.char();
    if (behind === '{') return [{ name: plainName(name, this.#tools), ...(yield* this.#arguments()) }];
    if (behind === '<') return [yield* this.#keyed(name)];
    throw new Unreadable();
  }

  *#innerFence(): Reading<Call[] | undefined> {
    const src = this.#src;
    if (!(yield* src.literal(['```']))) throw new Unreadable();
    const language = (yield* src.run(/[\w-]+/y)).toLowerCase();
    return yield* this.fenced(language === '' || language === 'json' ? 'tool_call' : language, '```');
  }

  /** A JSON value that is a call, or a list of calls. */
  *#value(strict: boolean): Reading<Call[] | undefined> {
    const src = this.#src;
    const watch: Watch = (key, value) => {
      if (!isCallKey(key)) this.#doom();
      if (typeof value === 'string' && isNameKey(key) && !this.#tools.has(plainName(value, this.#tools))) this.#doom();
    };
    const { value, open } = yield* readLiteral(src, strict ? watch : undefined);
    if (open > 0 && (strict ? open > 1 : !(yield* this.#beforeCloser()))) throw new Unreadable();
    // One bracket too many is as common as one too few.
    if (!strict) yield* src.run(/[}]+/y);
    return toCalls(value, this.#tools, strict);
  }

  *#beforeCloser(): Reading<boolean> {
    const start = this.#src.at;
    yield* this.#src.spaces();
    const closer = yield* this.#src.literal([...marks.CLOSERS, '```']);
    this.#src.at = start;
    return closer !== undefined;
  }

  /** Arguments alone, in braces, perhaps in a fence. */
  *#arguments(): Reading<Pick<Call, 'input' | 'malformed'>> {
    const src = this.#src;
    const fenced = yield* src.literal(['```json', '```']);
    if (fenced) yield* src.spaces();
    if ((yield* src.char()) !== '{') throw new Unreadable();
    const { value, open } = yield* readLiteral(src);
    if (open > 0 && !(yield* this.#beforeCloser())) throw new Unreadable();
    if (fenced) {
      yield* src.spaces();
      yield* src.literal(['```']);
    }
    return toInput(value);
  }

  *#function(): Reading<Call> {
    const src = this.#src;
    const name = plainName((yield* src.until(['>'], 100)).text, this.#tools);
    yield* src.spaces();
    if ((yield* src.char()) === '{') {
      const input = yield* this.#arguments();
      yield* src.spaces();
      yield* src.literal(['</function>']);
      return { name, ...input };
    }
    return yield* this.#parameters(name, ['<parameter='], ['</function>']);
  }

  *#invoke(mark: string): Reading<Call> {
    const src = this.#src;
    const name = plainName((yield* src.until(['>'], 200)).text.replace(/\s*\/$/, ''), this.#tools);
    const tag = mark.slice(1, mark.indexOf(' '));
    if (src.text[src.at - 2] === '/') return { name, input: {} };
    yield* src.spaces();
    const closer = `</${tag}>`;
    if ((yield* src.char()) !== '{') return yield* this.#parameters(name, [...marks.PARAMETERS, '<parameter='], [closer]);
    const input = yield* this.#arguments();
    yield* src.spaces();
    if (!(yield* src.literal([closer]))) throw new Unreadable();
    return { name, ...input };
  }

  *#parameters(name: string, openers: readonly string[], closers: readonly string[]): Reading<Call> {
    const src = this.#src;
    const tool = this.#tools.get(name);
    const values: Record<string, string> = {};
    for (;;) {
      yield* src.spaces();
      const before = src.at;
      const mark = yield* src.literal([...openers, ...closers, ...marks.CLOSERS]);
      if (!mark) throw new Unreadable();
      if (!openers.includes(mark)) {
        // Another mark than its own ends the call too, and belongs to what is around it.
        if (!closers.includes(mark)) src.at = before;
        return { name, input: coerceAll(values, tool) };
      }
      const head = (yield* src.until(['>'], 200)).text.trim();
      const key = (/^(["'])(.*?)\1/.exec(head)?.[2] ?? head).trim();
      const tag = /^<([^\s=]+)/.exec(mark)?.[1] ?? '';
      const text = yield* this.#parameter(
        `</${tag}>`,
        openers,
        closers,
        (other) => other in propertiesOf(tool) && !(other in values) && other !== key,
      );
      values[key] = text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
    }
  }

  /** A value ends at its closing tag. Where that was forgotten, the next parameter that the tool knows or the end of the call ends it. */
  *#parameter(closer: string, openers: readonly string[], closers: readonly string[], isNext: (key: string) => boolean): Reading<string> {
    const src = this.#src;
    const start = src.at;
    for (;;) {
      const { stop } = yield* src.until([closer, ...openers, ...closers]);
      const at = src.at - stop.length;
      if (stop === closer) return src.text.slice(start, at);
      let ends = false;
      if (openers.includes(stop)) {
        const key = /^["']?([\w.-]+)/.exec(yield* src.run(/[\w.\-"']+/y))?.[1] ?? '';
        ends = (yield* src.char()) === '>' && isNext(key);
      } else {
        yield* src.spaces();
        ends = (yield* src.char()) === '' || (yield* src.literal([...marks.CLOSERS, ...STARTS])) !== undefined;
      }
      src.at = ends ? at : at + stop.length;
      if (ends) return src.text.slice(start, at);
    }
  }

  /** GLM: `name`, then pairs of `<arg_key>` and `<arg_value>`. Without any pair it needs the closing mark. */
  *#keyed(given: string): Reading<Call> {
    const src = this.#src;
    const name = plainName(given, this.#tools);
    const values: Record<string, string> = {};
    for (;;) {
      yield* src.spaces();
      const before = src.at;
      const mark = yield* src.literal(['<arg_key>', ...marks.CLOSERS]);
      if (mark !== '<arg_key>') {
        if (!mark) throw new Unreadable();
        src.at = before;
        return { name, input: coerceAll(values, this.#tools.get(name)) };
      }
      const key = (yield* src.until(['</arg_key>'], 200)).text.trim();
      yield* src.spaces();
      if (!(yield* src.literal(['<arg_value>']))) throw new Unreadable();
      values[key] = (yield* src.until(['</arg_value>'])).text;
    }
  }

  /** DeepSeek and Kimi: `function<sep>name\n…`, or `name<sep>…`. */
  *#tokenCall(): Reading<Call> {
    const src = this.#src;
    let name = (yield* src.until(marks.CALL_SEPARATORS, 200)).text.trim();
    if (name === 'function') {
      name = yield* src.run(NAME);
      yield* src.literal(marks.CALL_SEPARATORS);
    }
    yield* src.spaces();
    const input = yield* this.#arguments();
    yield* src.spaces();
    yield* src.literal(marks.CLOSERS);
    return { name: plainName(name, this.#tools), ...input };
  }

  *#opensPythonic(): Reading<boolean> {
    const src = this.#src;
    const start = src.at++;
    yield* src.spaces();
    const name = yield* src.run(NAME);
    const opens = name !== '' && (yield* src.char()) === '(';
    src.at = start;
    return opens;
  }

  /** `[f(a=1), g()]` */
  *#pythonicList(): Reading<Call[]> {
    const src = this.#src;
    const calls: Call[] = [];
    src.at += 1;
    for (;;) {
      yield* src.run(/[\s,]+/y);
      if ((yield* src.char()) === ']') {
        src.at += 1;
        return calls;
      }
      calls.push(yield* this.#python(yield* src.run(NAME)));
    }
  }

  /** A line of a tool_code block: a call, perhaps printed or assigned. */
  *#statement(): Reading<Call> {
    const src = this.#src;
    let name = yield* src.run(NAME);
    if (name !== 'print' && (yield* src.char()) !== '(') {
      yield* src.spaces();
      if (!(yield* src.literal(['=']))) throw new Unreadable();
      yield* src.spaces();
      name = yield* src.run(NAME);
    }
    if (name !== 'print') return yield* this.#python(name);
    if (!(yield* src.literal(['(']))) throw new Unreadable();
    yield* src.spaces();
    const call = yield* this.#python(yield* src.run(NAME));
    yield* src.spaces();
    if (!(yield* src.literal([')']))) throw new Unreadable();
    return call;
  }

  /** `(a=1, b="x")`; values without a name go to the tool's properties in their order. */
  *#python(given: string): Reading<Call> {
    const src = this.#src;
    const name = plainName(given, this.#tools);
    const order = Object.keys(propertiesOf(this.#tools.get(name)));
    const input: Record<string, unknown> = {};
    if (!(yield* src.literal(['(']))) throw new Unreadable();
    for (let index = 0; ; index++) {
      yield* src.run(/[\s,]+/y);
      if (yield* src.literal([')'])) return { name, input };
      const start = src.at;
      let key: string | undefined = yield* src.run(/\w+/y);
      yield* src.spaces();
      if (key === '' || !(yield* src.literal(['=', ':']))) {
        key = order[index];
        src.at = start;
      }
      if (key === undefined) throw new Unreadable();
      yield* src.spaces();
      const { value, open } = yield* readLiteral(src);
      if (open > 0) throw new Unreadable();
      input[key] = value;
    }
  }
}

/** Reads calls, with one method per call format. A method ends after the last character of the call. */
import { type Call, isCallKey, isNameKey, isObject, plainName, propertiesOf, type Tools, toCalls } from './calls.ts';
import { readM3, readXtml } from './elements.ts';
import { readLiteral, type Watch } from './literal.ts';
import * as marks from './markers.ts';
import * as named from './named-calls.ts';
import { readPairs } from './parameters.ts';
import { opensPythonic, readPythonCall, readPythonicList, readStatement } from './python.ts';
import { attempt, NAME, type Reading, type Source, Unreadable } from './source.ts';
import { opensMapping, readYaml } from './yaml.ts';

export class Reader {
  readonly #src: Source;
  readonly #tools: Tools;
  /** Stops the reader as soon as it is clear that an incomplete value is not a call. */
  readonly #rejectEarly: () => void;
  readonly #toolTags: ReadonlyMap<string, string>;
  readonly #lineStarts: ReadonlyMap<string, string>;
  #depth = 0;

  constructor(src: Source, tools: Tools, rejectEarly: () => void = () => undefined) {
    this.#src = src;
    this.#tools = tools;
    this.#rejectEarly = rejectEarly;
    this.#toolTags = marks.toolTags([...tools.keys()]);
    this.#lineStarts = marks.lineStarts([...tools.keys()]);
  }

  /** Reads a call that starts with a marker, starting after the marker. */
  *marked(mark: string): Reading<Call[]> {
    // Markers are normally nested two or three levels deep. Deeper nesting is an accident or an attack.
    if (this.#depth > 8) throw new Unreadable();
    if (marks.FUNCTIONS.includes(mark)) return [yield* named.readFunction(this.#src, this.#tools)];
    if (marks.INVOKES.includes(mark)) return [yield* named.readInvoke(this.#src, this.#tools, mark)];
    if (marks.ATTRIBUTED.includes(mark)) {
      const call = yield* named.readAttributed(this.#src, this.#tools, mark);
      return call ? [call] : yield* this.#body(`${mark.trim()}>`);
    }
    if (marks.CALL_BEGINS.includes(mark)) return [yield* named.readTokenCall(this.#src, this.#tools)];
    if (mark === marks.XTML_CALL) return [yield* readXtml(this.#src, this.#tools)];
    if (mark === marks.M3_INVOKE) return [yield* readM3(this.#src, this.#tools)];
    const name = this.#toolTags.get(mark);
    if (name !== undefined) return [yield* named.readToolTag(this.#src, this.#tools, name)];
    return yield* this.#body(mark);
  }

  *#nested(mark: string): Reading<Call[]> {
    this.#depth += 1;
    const calls = yield* this.marked(mark);
    this.#depth -= 1;
    return calls;
  }

  /** Reads a value at the beginning of a line, without markers. */
  *bare(): Reading<Call[]> {
    const src = this.#src;
    if (src.text[src.at] === '[' && (yield* opensPythonic(this.#src))) return yield* readPythonicList(this.#src, this.#tools);
    const calls: Call[] = [];
    for (let end = src.at; ; end = src.at) {
      if (calls.length > 0) yield* src.run(/[\s,;]+/y);
      const more = calls.length === 0 || (yield* src.char()) === '{';
      const nextCalls = more ? yield* this.#value(true) : undefined;
      if (nextCalls) calls.push(...nextCalls);
      else {
        src.at = calls.length > 0 ? end : src.at;
        return calls;
      }
    }
  }

  /** Reads the content of a fence, up to its closing line. */
  *fenced(language: string, fence: string): Reading<Call[]> {
    const src = this.#src;
    const calls: Call[] = [];
    const strict = marks.DATA_FENCES.has(language);
    for (;;) {
      yield* src.run(/[\s,;]+/y);
      const first = yield* src.char();
      if (first === '' || first === fence[0]) break;
      const nextCalls = /[{[]/.test(first) ? yield* this.#listOr(strict) : undefined;
      if (nextCalls) calls.push(...nextCalls);
      else if (strict || /[{[]/.test(first)) throw new Unreadable();
      else if (first === '#') yield* src.run(/[^\n]+/y);
      else {
        const call = yield* readStatement(src, this.#tools);
        // A statement without a call prints the result of an earlier call.
        if (call) calls.push(call);
        else if (calls.length === 0) throw new Unreadable();
      }
    }
    if (calls.length === 0) throw new Unreadable();
    if ((yield* src.char()) !== '' && !(yield* src.literal([fence]))) throw new Unreadable();
    yield* src.run(new RegExp(`[${fence[0]} \\t]+`, 'y'));
    if (!/^\s?$/.test(yield* src.char())) throw new Unreadable();
    return calls;
  }

  /** Reads `to=functions.name … <|message|>{…}`, starting after the header. */
  *harmony(name: string): Reading<Call[]> {
    yield* this.#src.spaces();
    const input = yield* named.readArguments(this.#src);
    return [{ name: plainName(name, this.#tools), ...input }];
  }

  /** Reads `name[ARGS]{…}`, starting after the name. */
  *withArguments(name: string): Reading<Call[]> {
    const src = this.#src;
    if ((yield* src.literal(['[CALL_ID]'])) && !(yield* src.run(/[\w-]+/y))) throw new Unreadable();
    if (!(yield* src.literal(['[ARGS]']))) throw new Unreadable();
    yield* src.spaces();
    return [{ name: plainName(name, this.#tools), ...(yield* named.readArguments(this.#src)) }];
  }

  /** Reads a call whose marker is at the beginning of a line, and similar calls directly after it. */
  *lineStart(mark: string, name: string): Reading<Call[]> {
    const src = this.#src;
    const calls = yield* this.#namedCalls(mark, name);
    for (let end = src.at; ; end = src.at) {
      yield* src.spaces();
      const start = src.at;
      const next = src.text[start - 1] === '\n' ? yield* src.literal([...this.#lineStarts.keys()]) : undefined;
      src.at = start;
      const nextCalls = next && (yield* attempt(src, this.#namedCalls(next, this.#lineStarts.get(next) as string)));
      if (nextCalls) calls.push(...nextCalls);
      else {
        src.at = end;
        return calls;
      }
    }
  }

  /** Reads a tool name followed by its arguments in one of several forms, or a list of calls. */
  *#namedCalls(mark: string, name: string): Reading<Call[]> {
    const src = this.#src;
    if (mark === marks.QWEN_NAME) return [yield* named.readQwen(src, this.#tools)];
    if (name === '') {
      const isList = mark.endsWith('[');
      src.at += isList ? mark.length - 1 : mark.length;
      return isList ? yield* this.bare() : yield* this.#stripped();
    }
    src.at += mark.startsWith(name) ? name.length : mark.length;
    if (mark.endsWith(']')) return yield* this.withArguments(name);
    if (!(yield* src.run(/\s+/y)).includes('\n')) throw new Unreadable();
    // LangChain introduced the format `Action:` with `Action Input:`.
    if (mark.includes('Action') && !(yield* src.literal(['Action Input:', '**Action Input:**']))) throw new Unreadable();
    yield* src.spaces();
    const input = yield* named.readArguments(this.#src);
    const properties = propertiesOf(this.#tools.get(name));
    if (isObject(input.input) && Object.keys(input.input).some((key) => !(key in properties))) throw new Unreadable();
    return [{ name, ...input }];
  }

  /** Reads a gpt-oss call without control tokens, starting after `to=functions.` */
  *#stripped(): Reading<Call[]> {
    const name = yield* this.#src.run(/[\w.-]+/y);
    yield* this.#src.spaces();
    yield* this.#src.literal(['json', 'code']);
    return yield* this.harmony(name);
  }

  *#listOr(strict: boolean): Reading<Call[] | undefined> {
    if (!strict && this.#src.text[this.#src.at] === '[' && (yield* opensPythonic(this.#src)))
      return yield* readPythonicList(this.#src, this.#tools);
    return yield* this.#value(strict);
  }

  /**
   * Reads one or more calls in any form, then a closing marker. The marker is required if a bracket is missing, because the arguments may
   * be incomplete.
   */
  *#body(mark: string): Reading<Call[]> {
    const src = this.#src;
    const calls: Call[] = [];
    for (let end = src.at; ; end = src.at) {
      yield* src.run(/[\s,;]+/y);
      const closer = yield* src.literal(marks.CLOSERS);
      if (closer && calls.length > 0) return calls;
      const nextCalls = closer ? undefined : yield* this.#attempt(calls.length === 0, mark);
      if (nextCalls) calls.push(...nextCalls);
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
    if (char === '<' || char === ']') {
      const mark = yield* src.literal([...marks.STARTS, ...this.#toolTags.keys(), ...marks.NAME_TAGS]);
      if (!mark) throw new Unreadable();
      // `<tool>` and `<function>` may contain a complete call or only its name.
      const isName = marks.NAME_TAGS.includes(mark) && !/[\s{[<`]/.test(yield* src.char());
      if (isName) return [yield* named.readInTags(src, this.#tools, mark)];
      if (!marks.STARTS.includes(mark) && !this.#toolTags.has(mark)) throw new Unreadable();
      return yield* this.#nested(mark);
    }
    const closer = first ? marks.closerOf(outer) : undefined;
    if (closer && (yield* opensMapping(src, (key) => key === 'name' || isCallKey(key) || this.#tools.has(key))))
      return toCalls(yield* readYaml(src, closer), this.#tools, false);
    const name = yield* src.run(NAME);
    if (name === '') throw new Unreadable();
    const next = yield* src.char();
    if (next === '[') return yield* this.withArguments(name);
    if (next === '(' && (first || this.#tools.has(plainName(name, this.#tools)))) {
      return [yield* readPythonCall(this.#src, this.#tools, name)];
    }
    if (!first) throw new Unreadable();
    yield* src.spaces();
    if (yield* src.literal(['<tool_sep>'])) yield* src.spaces();
    const behind = yield* src.char();
    if (behind === '{' || behind === '`') return [{ name: plainName(name, this.#tools), ...(yield* named.readArguments(this.#src)) }];
    if (closer && (yield* opensMapping(src)))
      return [yield* named.readYamlArguments(src, this.#tools, plainName(name, this.#tools), closer)];
    // In a tag for calls, a name without arguments is a complete call. In a tag for names, the arguments may have been cut off.
    if (behind === '<' && !marks.NAME_TAGS.includes(outer)) return [yield* readPairs(this.#src, this.#tools, name)];
    throw new Unreadable();
  }

  *#innerFence(): Reading<Call[] | undefined> {
    const src = this.#src;
    if (!(yield* src.literal(['```']))) throw new Unreadable();
    const language = (yield* src.run(/[\w-]+/y)).toLowerCase();
    return yield* this.fenced(language === '' || language === 'json' ? 'tool_call' : language, '```');
  }

  /** Reads a JSON value that is a call, or a list of calls. */
  *#value(strict: boolean): Reading<Call[] | undefined> {
    const src = this.#src;
    const watch: Watch = (key, value) => {
      if (!isCallKey(key)) this.#rejectEarly();
      if (typeof value === 'string' && isNameKey(key) && !this.#tools.has(plainName(value, this.#tools))) this.#rejectEarly();
    };
    // Some models write doubled braces, because the prompt templates in their training data contain them.
    if (!strict && src.text[src.at] === '{' && (yield* src.char(1)) === '{') src.at += 1;
    const { value, open } = yield* readLiteral(src, strict ? watch : undefined);
    if (open > 0 && (strict ? open > 1 : !(yield* named.isBeforeCloser(this.#src)))) throw new Unreadable();
    // An extra closing bracket is as common as a missing one.
    if (!strict) yield* src.run(/[}]+/y);
    return toCalls(value, this.#tools, strict);
  }
}

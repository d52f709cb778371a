/**
 * Parses JSON and near-JSON as models write it: single quotes, unquoted keys, trailing commas, comments, Python constants, tuples and
 * triple-quoted strings, raw line breaks and quotes in strings, and missing brackets at the end.
 */
import { STRING_QUOTES } from './markers.ts';
import { type Reading, Source, Unreadable } from './source.ts';

/**
 * Called for each member of the outermost objects: first with the key only, then with the complete value. It may throw Unreadable to stop
 * the parser.
 */
export type Watch = (key: string, value?: unknown) => void;
/** `open` is the number of brackets that were never closed. */
export type Literal = { value: unknown; open: number };
type State = { open: number; watch: Watch | undefined };

const CONSTANTS: Record<string, unknown> = { true: true, false: false, null: null, True: true, False: false, None: null, undefined: null };
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '/': '/', '\\': '\\', '"': '"', "'": "'", '`': '`' };
const CLOSERS: Record<string, string> = { '{': '}', '[': ']', '(': ')' };
/** The characters that can follow a string. A quote before any other character is part of the string. */
const BEHIND_STRING = new Set(['', ',', ':', '}', ']', ')', '<', ';', '#', '/', '=']);

/** Reads a value at the current position. @throws Unreadable if there is no value */
export function* readLiteral(src: Source, watch?: Watch): Reading<Literal> {
  const state: State = { open: 0, watch };
  const value = yield* readValue(src, state, 0);
  return { value, open: state.open };
}

/** Parses text that consists of a single value. @throws Unreadable */
export function parseLiteral(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const src = Object.assign(new Source(), { text: text.trim(), ended: true });
    const { done, value: read } = readLiteral(src).next();
    if (!done || !read || read.open > 0 || src.at < src.text.length) throw new Unreadable();
    return read.value;
  }
}

function* readValue(src: Source, state: State, depth: number): Reading<unknown> {
  const first = yield* src.char();
  if (depth > 60) throw new Unreadable();
  if (first === '{') return yield* readObject(src, state, depth);
  if (first === '[' || first === '(') return yield* readList(src, state, depth);
  if (first === '"' || first === "'" || first === '`') return yield* readString(src);
  if (first === '<') return yield* readQuoted(src);
  const word = yield* src.run(/[\w.+\-/]+/y);
  const next = yield* src.char();
  if (next === '' && depth > 0) throw new Unreadable();
  // `word` is the prefix of a string, as in Python.
  if (/^[rbuf]$/i.test(word) && (next === '"' || next === "'")) return yield* readString(src);
  if (Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word];
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(word)) return Number(word);
  if (!/^[A-Za-z_/.]/.test(word)) throw new Unreadable();
  return word;
}

/** Skips whitespace and comments. */
function* gap(src: Source): Reading<void> {
  for (;;) {
    yield* src.spaces();
    if ((yield* src.char()) !== '/') return;
    const second = yield* src.char(1);
    if (second === '*') yield* src.until(['*/']);
    else if (second === '/') yield* src.run(/[^\n]+/y);
    else return;
  }
}

/** Skips the closing bracket of an object or list, or counts it as missing. Returns false if the object or list continues. */
function* closes(src: Source, state: State, closer: string): Reading<boolean> {
  yield* gap(src);
  const char = yield* src.char();
  if (char === closer) src.at += 1;
  else if (char === '' || char === '`' || (char === '[' && closer === '}')) state.open += 1;
  else if (char === '<' && !(yield* opensString(src))) state.open += 1;
  else return false;
  return true;
}

/** Returns true if one of Gemma's string delimiters begins at the current position. */
function* opensString(src: Source): Reading<boolean> {
  const start = src.at;
  const mark = yield* src.literal(STRING_QUOTES);
  src.at = start;
  return mark !== undefined;
}

/** Reads a comma, which may be missing at the end of a line. */
function* comma(src: Source): Reading<void> {
  const passed = src.text.slice(0, src.at);
  if ((yield* src.char()) === ',') src.at += 1;
  else if (!/\n\s*$/.test(passed.slice(-200))) throw new Unreadable();
  yield* gap(src);
}

function* readObject(src: Source, state: State, depth: number): Reading<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  const watch = depth === 0 ? state.watch : undefined;
  src.at += 1;
  for (;;) {
    if (yield* closes(src, state, '}')) return Object.fromEntries(entries);
    if (entries.length > 0) {
      yield* comma(src);
      if (yield* closes(src, state, '}')) return Object.fromEntries(entries);
    }
    const quote = yield* src.char();
    const key = quote === '"' || quote === "'" ? yield* readString(src) : yield* src.run(/[\w$-]+/y);
    if (key === '' && quote !== '"') throw new Unreadable();
    watch?.(key);
    yield* gap(src);
    if ((yield* src.char()) !== ':') throw new Unreadable();
    src.at += 1;
    yield* gap(src);
    const value = yield* readValue(src, state, depth + 1);
    watch?.(key, value);
    entries.push([key, value]);
  }
}

function* readList(src: Source, state: State, depth: number): Reading<unknown[]> {
  const closer = CLOSERS[src.text[src.at] as string] as string;
  const values: unknown[] = [];
  src.at += 1;
  for (;;) {
    if (yield* closes(src, state, closer)) return values;
    if (values.length > 0) {
      yield* comma(src);
      if (yield* closes(src, state, closer)) return values;
    }
    // Objects in an outermost list are reported to `watch` like an outermost object.
    const outermost = depth === 0 && (yield* src.char()) === '{';
    values.push(outermost ? yield* readObject(src, state, 0) : yield* readValue(src, state, depth + 1));
  }
}

/** Reads a string in special markers instead of quotes. */
function* readQuoted(src: Source): Reading<string> {
  const mark = yield* src.literal(STRING_QUOTES);
  if (!mark) throw new Unreadable();
  return (yield* src.until([mark])).text;
}

function* readString(src: Source): Reading<string> {
  const quote = src.text[src.at] as string;
  const long = (yield* src.char(1)) === quote && (yield* src.char(2)) === quote;
  src.at += long ? 3 : 1;
  const start = src.at;
  let isOdd = false;
  let text = '';
  for (;;) {
    text += yield* src.run(quote === '`' ? /[^`\\]+/y : /[^"'\\]+/y);
    const char = yield* src.char();
    if (char === '') throw new Unreadable();
    if (char === '\\') {
      const meant = yield* readEscape(src);
      isOdd ||= meant.length === 2 && meant.startsWith('\\');
      text += meant;
    } else if (char === quote && (yield* endsString(src, quote, long))) {
      // In a Windows path with an invalid escape sequence, none of the backslashes is meant as an escape.
      const written = src.text.slice(start, src.at - (long ? 3 : 1));
      return isOdd && /^[A-Za-z]:\\[^\\]/.test(written) ? written : text;
    } else {
      text += char;
      src.at += 1;
    }
  }
}

function* endsString(src: Source, quote: string, long: boolean): Reading<boolean> {
  if (long) {
    if ((yield* src.char(1)) !== quote || (yield* src.char(2)) !== quote) return false;
    src.at += 3;
    return true;
  }
  const start = src.at;
  src.at += 1;
  const space = yield* src.spaces();
  const next = yield* src.char();
  const ends = BEHIND_STRING.has(next) || space.includes('\n');
  src.at = ends ? start + 1 : start;
  return ends;
}

function* readEscape(src: Source): Reading<string> {
  const letter = yield* src.char(1);
  src.at += 2;
  if (letter === '') throw new Unreadable();
  if (letter === 'u' || letter === 'x') {
    const length = letter === 'u' ? 4 : 2;
    let digits = '';
    for (let index = 0; index < length; index++) digits += yield* src.char(index);
    if (!/^[\da-f]+$/i.test(digits) || digits.length < length) return `\\${letter}`;
    src.at += length;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
  // An invalid escape sequence is kept literally: it may be from a regular expression, a path, or a line continuation in a shell script.
  return ESCAPES[letter] ?? `\\${letter}`;
}

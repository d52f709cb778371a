/** Reads arguments written as tags around plain text and converts them according to the tool's schema. */
import { type Call, coerceAll, plainName, propertiesOf, type Tools } from './calls.ts';
import { parseLiteral } from './literal.ts';
import * as marks from './markers.ts';
import { type Reading, type Source, Unreadable } from './source.ts';

export function* readParameters(
  src: Source,
  tools: Tools,
  name: string,
  openers: readonly string[],
  closers: readonly string[],
): Reading<Call> {
  const tool = tools.get(name);
  const values: Record<string, string> = {};
  const exact: Record<string, unknown> = {};
  for (;;) {
    yield* src.spaces();
    const before = src.at;
    const mark = yield* src.literal([...openers, ...closers, ...marks.CLOSERS]);
    if (!mark) throw new Unreadable();
    if (!openers.includes(mark)) {
      // A closing marker of an enclosing element also ends the call. The reader of that element consumes the marker.
      if (!closers.includes(mark)) src.at = before;
      return { name, input: { ...coerceAll(values, tool), ...exact } };
    }
    const head = (yield* src.until(['>'], 200)).text.trim();
    const key = (/^(["'])(.*?)\1/.exec(head)?.[2] ?? head).trim();
    const closer = `</${/^<([^\s=]+)/.exec(mark)?.[1] ?? ''}>`;
    const isNext = (other: string) => other in propertiesOf(tool) && !(other in values) && !(other in exact) && other !== key;
    // DeepSeek states whether a value is a string or JSON, which takes precedence over the schema. Its strings are taken literally.
    const isString = /\sstring=["'](true|false)["']/.exec(head)?.[1];
    const isExact = isString === 'true' && !['\r', '\n'].includes(yield* src.char());
    const asIs = (text: string) => (isExact ? text : trimLine(text));
    const written = (yield* readCdata(src, closer)) ?? asIs(yield* readParameter(src, [closer], openers, closers, '>', isNext));
    if (isString === undefined) values[key] = written;
    else exact[key] = isString === 'true' ? written : fromJson(written);
  }
}

const trimLine = (text: string) => text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');

/** Parses a value declared as JSON. Returns the text unchanged if it is not JSON. */
export function fromJson(text: string): unknown {
  try {
    return parseLiteral(text);
  } catch {
    return text;
  }
}

/**
 * Reads CDATA sections up to the closing tag of the parameter. A section may contain the same tag. Content with `]]>` is written as several
 * sections.
 */
function* readCdata(src: Source, closer: string): Reading<string | undefined> {
  const start = src.at;
  const sections: string[] = [];
  yield* src.spaces();
  while (yield* src.literal(['<![CDATA['])) {
    sections.push((yield* src.until([']]>'])).text);
    const end = src.at;
    yield* src.spaces();
    if (yield* src.literal([closer])) return sections.join('');
    src.at = end;
  }
  src.at = start;
  return undefined;
}

/**
 * Reads a value up to its closing tag. If the tag is missing, the next known parameter or the end of the call ends the value.
 * @param behindKey the text that follows the name of the next parameter
 */
function* readParameter(
  src: Source,
  own: readonly string[],
  openers: readonly string[],
  closers: readonly string[],
  behindKey: string,
  isNext: (key: string) => boolean,
): Reading<string> {
  const start = src.at;
  const stops = [...own, ...openers, ...closers];
  for (;;) {
    const { stop } = yield* src.until(stops);
    const at = src.at - stop.length;
    if (own.includes(stop)) return src.text.slice(start, at);
    let ends = false;
    if (openers.includes(stop)) {
      const key = /^["']?([\w.-]+)/.exec(yield* src.run(/[\w.\-"']+/y))?.[1] ?? '';
      ends = (yield* src.literal([behindKey])) !== undefined && isNext(key);
    } else {
      yield* src.spaces();
      ends = (yield* src.literal([...marks.CLOSERS, ...marks.STARTS])) !== undefined;
    }
    src.at = ends ? at : at + stop.length;
    if (ends) return src.text.slice(start, at).replace(/\r?\n[ \t]*$/, '');
  }
}

/**
 * Reads the format of GLM and others: the name, then pairs of `<arg_key>` and `<arg_value>`. Without pairs, a closing marker is required.
 */
export function* readPairs(src: Source, tools: Tools, rawName: string): Reading<Call> {
  const name = plainName(rawName, tools);
  const tool = tools.get(name);
  const values: Record<string, string> = {};
  for (;;) {
    yield* src.spaces();
    const before = src.at;
    const mark = yield* src.literal([...marks.KEY_TAGS, ...marks.CLOSERS]);
    if (!mark) throw new Unreadable();
    if (!marks.KEY_TAGS.includes(mark)) {
      src.at = before;
      return { name, input: coerceAll(values, tool) };
    }
    const closer = mark.replace('<', '</');
    const key = (yield* src.until([closer], 200)).text.trim();
    yield* src.spaces();
    if (!(yield* src.literal([mark.replace('key>', 'value>')]))) throw new Unreadable();
    const isNext = (other: string) => other in propertiesOf(tool) && !(other in values) && other !== key;
    values[key] = yield* readParameter(src, [closer.replace('key>', 'value>')], [mark], PAIR_CLOSERS, closer, isNext);
  }
}

const PAIR_CLOSERS = ['</tool_call>', '</longcat_tool_call>'];

/**
 * Reads one tag per parameter inside a tool's tag, up to the tool's closing tag. A value may contain tags with the name of its own
 * parameter.
 */
export function* readTagged(src: Source, tools: Tools, name: string, closer = `</${name}>`): Reading<Call> {
  const tool = tools.get(name);
  const marks = [...Object.keys(propertiesOf(tool)).map((key) => `<${key}>`), closer];
  const values: Record<string, string> = {};
  let mark = yield* src.literal(marks);
  while (mark !== undefined && mark !== closer) {
    const ending = `</${mark.slice(1)}`;
    const start = src.at;
    let next: string | undefined;
    let end = start;
    while (next === undefined) {
      yield* src.until([ending]);
      end = src.at;
      yield* src.spaces();
      next = yield* src.literal(marks);
      if (next === undefined) src.at = end;
    }
    values[mark.slice(1, -1)] = src.text.slice(start, end - ending.length).replace(/^\r?\n|\r?\n$/g, '');
    mark = next;
  }
  if (mark === undefined) throw new Unreadable();
  return { name, input: coerceAll(values, tool) };
}

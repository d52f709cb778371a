/** Arguments as pairs of tags around plain text, which the tool's schema makes values of. */
import { type Call, coerceAll, plainName, propertiesOf, type Tools } from './calls.ts';
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
    const text = yield* readParameter(
      src,
      `</${tag}>`,
      openers,
      closers,
      (other) => other in propertiesOf(tool) && !(other in values) && other !== key,
    );
    values[key] = text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  }
}

/** A value ends at its closing tag. Where that was forgotten, the next parameter that the tool knows or the end of the call ends it. */
function* readParameter(
  src: Source,
  closer: string,
  openers: readonly string[],
  closers: readonly string[],
  isNext: (key: string) => boolean,
): Reading<string> {
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
      ends = (yield* src.literal([...marks.CLOSERS, ...marks.STARTS])) !== undefined;
    }
    src.at = ends ? at : at + stop.length;
    if (ends) return src.text.slice(start, at);
  }
}

/** GLM and others: `name`, then pairs of `<arg_key>` and `<arg_value>`. Without any pair it needs the closing mark. */
export function* readPairs(src: Source, tools: Tools, given: string): Reading<Call> {
  const name = plainName(given, tools);
  const values: Record<string, string> = {};
  for (;;) {
    yield* src.spaces();
    const before = src.at;
    const mark = yield* src.literal([...marks.KEY_TAGS, ...marks.CLOSERS]);
    if (!mark) throw new Unreadable();
    if (!marks.KEY_TAGS.includes(mark)) {
      src.at = before;
      return { name, input: coerceAll(values, tools.get(name)) };
    }
    const closer = mark.replace('<', '</');
    const key = (yield* src.until([closer], 200)).text.trim();
    yield* src.spaces();
    if (!(yield* src.literal([mark.replace('key>', 'value>')]))) throw new Unreadable();
    values[key] = (yield* src.until([closer.replace('key>', 'value>')])).text;
  }
}

/** Within a tool's tag, a tag for each parameter, down to the tool's closing tag. A value may hold tags of its own parameter's name. */
export function* readTagged(src: Source, tools: Tools, name: string, closer = `</${name}>`): Reading<Call> {
  const tool = tools.get(name);
  const marks = [...Object.keys(propertiesOf(tool)).map((key) => `<${key}>`), closer];
  const values: Record<string, string> = {};
  let mark = yield* src.literal(marks);
  while (mark !== undefined && mark !== closer) {
    const ending = `</${mark.slice(1)}`;
    const start = src.at;
    let next: string | undefined;
    for (let end = start; next === undefined; ) {
      yield* src.until([ending]);
      end = src.at;
      values[mark.slice(1, -1)] = src.text.slice(start, end - ending.length).replace(/^\r?\n|\r?\n$/g, '');
      yield* src.spaces();
      next = yield* src.literal(marks);
      if (next === undefined) src.at = end;
    }
    mark = next;
  }
  if (mark === undefined) throw new Unreadable();
  return { name, input: coerceAll(values, tool) };
}

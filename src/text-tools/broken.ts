/** Calls that are closed, and whose arguments nobody can read. */
import { type Call, plainName, type Tools } from './calls.ts';
import { closerOf, WRAPPER_TAGS } from './markers.ts';
import { NAME, type Reading, type Source, Unreadable } from './source.ts';

/** Where a name may stand, whatever is wrong with the rest. */
const NAMES = [
  /["']?\b(?:name|tool_name|tool|function_name|function|action)["']?\s{0,20}[:=]\s{0,20}["']?([\w.:/\\-]+)/g,
  /^\s*([\w.:/\\-]+)/g,
];

/**
 * A wrapper's tag around something, down to its closing tag, from before the first. If it names a tool it is a call that failed, and
 * the model has to be told of it. @throws Unreadable
 */
export function* readBroken(src: Source, tools: Tools): Reading<Call> {
  const mark = yield* src.literal(WRAPPER_TAGS);
  const closer = mark && closerOf(mark);
  if (!closer) throw new Unreadable();
  yield* src.spaces();
  const body = src.at;
  if (!/[{[<]/.test(yield* src.char())) {
    const word = yield* src.run(NAME);
    if (!/^(name|tool|function|action):?$/.test(word) && !tools.has(plainName(word, tools))) throw new Unreadable();
  }
  const { stop } = yield* src.until([closer, mark]);
  const written = src.text.slice(body, src.at - stop.length);
  // Within a text of its arguments, the mark is not its own.
  if (stop !== closer || !/[\s}\]>]$/.test(written)) throw new Unreadable();
  const text = written.trim();
  for (const pattern of NAMES) {
    for (const [, found = ''] of text.matchAll(pattern)) {
      const name = plainName(found, tools);
      if (tools.has(name)) return { name, malformed: text };
    }
  }
  throw new Unreadable();
}

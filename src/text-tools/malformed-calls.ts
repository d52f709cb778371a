/** Recognizes tool calls that are complete but whose arguments cannot be parsed. */
import { type Call, plainName, type Tools } from './calls.ts';
import { closerOf, WRAPPER_TAGS } from './markers.ts';
import { NAME, type Reading, type Source, Unreadable } from './source.ts';

/** Patterns that match the tool's name at the positions where models write it. */
const NAMES = [
  /["']?\b(?:name|tool_name|tool|function_name|function|action)["']?\s{0,20}[:=]\s{0,20}["']?([\w.:/\\-]+)/g,
  /^\s*([\w.:/\\-]+)/g,
];

/**
 * Reads an element of a call format, from its opening tag to its closing tag. If its content names a tool, the element is reported as a
 * malformed call so that the model can correct it. @throws Unreadable
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
  // This closing tag may be part of a string in the arguments.
  if (stop !== closer || !/[\s}\]>]$/.test(written)) throw new Unreadable();
  const text = written.trim();
  for (const pattern of NAMES) {
    for (const [, candidate = ''] of text.matchAll(pattern)) {
      const name = plainName(candidate, tools);
      if (tools.has(name)) return { name, malformed: text };
    }
  }
  throw new Unreadable();
}

/** Reads calls written as YAML in tags: `name:` and `arguments:`, or only the arguments after a name. */
import { load } from 'js-yaml';
import { type Reading, type Source, Unreadable } from './source.ts';

/** The maximum length of a call in YAML, in characters. The parser does not wait for the closing tag of longer text. */
const LONGEST = 65_536;

/** Returns true if a `key: value` line begins at the current position. A value in braces is JSON and is read elsewhere. */
export function* opensMapping(src: Source, isKey: (key: string) => boolean = () => true): Reading<boolean> {
  const start = src.at;
  yield* src.literal(['- ']);
  const key = yield* src.run(/[\w-]+/y);
  let opens = key !== '' && isKey(key) && (yield* src.literal([':'])) !== undefined;
  if (opens) {
    const blanks = yield* src.run(/[ \t]+/y);
    const next = yield* src.char();
    opens = next === '\n' || next === '\r' || (blanks !== '' && next !== '{');
  }
  src.at = start;
  return opens;
}

/** Parses the text before `closer`. The position stays before `closer`. */
export function* readYaml(src: Source, closer: string): Reading<unknown> {
  const { text } = yield* src.until([closer], LONGEST);
  src.at -= closer.length;
  try {
    return load(text, { maxAliases: 0 });
  } catch {
    throw new Unreadable();
  }
}

/** Calls as YAML between a wrapper's tags: `name:` and `arguments:`, or the arguments alone behind a name. */
import { load } from 'js-yaml';
import { type Reading, type Source, Unreadable } from './source.ts';

/** More than this is no call by hand, and is not worth the wait for its closing tag. */
const LONGEST = 65_536;

/** Whether a line of the form `key: value` stands here. A value in braces is JSON, which is read where it stands. */
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

/** Everything before `closer`, at which it stops. */
export function* readYaml(src: Source, closer: string): Reading<unknown> {
  const { text } = yield* src.until([closer], LONGEST);
  src.at -= closer.length;
  try {
    return load(text, { maxAliases: 0 });
  } catch {
    throw new Unreadable();
  }
}

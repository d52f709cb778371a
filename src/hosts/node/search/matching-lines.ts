/** Searches text in this process. It accepts the same patterns as the search with ripgrep. */
import { createContext, Script } from 'node:vm';
import type { SearchQuery } from '../../../workspace/types.ts';
import { expectOneLine, type Hit, MAX_LINE } from './query.ts';

/** The time limit for a regular expression, which blocks the process while it is matched. */
const MOST_MS = 1_000;

/** Returns the matching lines of a text. @throws Error when the regular expression takes too long. */
export function matchingLines(path: string, text: string, matches: RegExp): Hit[] {
  return within(MOST_MS, () => hitsIn(path, text, matches));
}

/** Searches several texts under one time limit, because a limit for each small text would cost more than the search. */
export function matchingLinesOfAll(
  texts: readonly { path: string; text: string }[],
  matches: RegExp,
  { regex }: { regex: boolean },
): Hit[] {
  if (regex) return within(MOST_MS, () => texts.flatMap(({ path, text }) => hitsIn(path, text, matches)));
  // A plain pattern needs no time limit, and most texts do not contain it.
  return texts.flatMap(({ path, text }) => (matches.test(text) ? hitsIn(path, text, matches) : []));
}

function hitsIn(path: string, text: string, matches: RegExp): Hit[] {
  const hits: Hit[] = [];
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const content = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
    line++;
    if (matches.test(content)) hits.push({ path, line, text: content.slice(0, MAX_LINE) });
    start = end + 1;
  }
  return hits;
}

/** @throws Error when the pattern is not a valid JavaScript regular expression. */
export function matcherOf({
  pattern,
  regex,
  caseSensitive,
  wholeWord,
}: Pick<SearchQuery, 'pattern' | 'regex' | 'caseSensitive' | 'wholeWord'>): RegExp {
  expectOneLine(pattern);
  // The only flag that changes the matches within one line is `i`, so ripgrep's other inline flags are ignored.
  const [begin = '', options = ''] = (regex && /^\(\?([imsuU]+)\)/.exec(pattern)) || [];
  const source = regex ? pattern.slice(begin.length) : pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const whole = wholeWord ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  const flags = caseSensitive && !options.includes('i') ? '' : 'i';
  try {
    return new RegExp(whole, `u${flags}`);
  } catch (error) {
    // Patterns often contain escapes that Unicode mode rejects, such as \-.
    const lenient = wholeWord ? `(?<!\\w)(?:${source})(?!\\w)` : source;
    try {
      return new RegExp(lenient, flags);
    } catch {
      throw new Error(`The regular expression is not valid: ${(error as Error).message.replace(/^.*: /, '')}. Correct it.`);
    }
  }
}

const sandbox = createContext({ work: undefined });
const script = new Script('work()');

/** JavaScript offers no other way to interrupt a regular expression than the timeout of a script. */
function within<T>(ms: number, work: () => T): T {
  try {
    sandbox.work = work;
    return script.runInContext(sandbox, { timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error('The regular expression takes too long. Use a simpler one.');
  } finally {
    sandbox.work = undefined;
  }
}

/** Searching text in this process, with the patterns that ripgrep is given elsewhere. */
import { createContext, Script } from 'node:vm';
import type { SearchQuery } from '../../../workspace/types.ts';
import { expectOneLine, type Hit, MAX_LINE } from './query.ts';

/** A pattern that takes longer over one text would stop everything else meanwhile. */
const MOST_MS = 1_000;

/** The lines of a text that match. @throws where that takes too long. */
export function matchingLines(path: string, text: string, matches: RegExp): Hit[] {
  return within(MOST_MS, () => hitsIn(path, text, matches));
}

/** Those of several texts, together no longer than what is looked through at once: a limit of time costs more than a small text. */
export function matchingLinesOfAll(
  texts: readonly { path: string; text: string }[],
  matches: RegExp,
  { regex }: { regex: boolean },
): Hit[] {
  if (regex) return within(MOST_MS, () => texts.flatMap(({ path, text }) => hitsIn(path, text, matches)));
  // A plain pattern takes no time, and most texts do not have it anywhere.
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

/** @throws where JavaScript cannot read the pattern. */
export function matcherOf({
  pattern,
  regex,
  caseSensitive,
  wholeWord,
}: Pick<SearchQuery, 'pattern' | 'regex' | 'caseSensitive' | 'wholeWord'>): RegExp {
  expectOneLine(pattern);
  // Of what ripgrep takes at the beginning only `i` makes a difference in one line.
  const [begin = '', options = ''] = (regex && /^\(\?([imsuU]+)\)/.exec(pattern)) || [];
  const source = regex ? pattern.slice(begin.length) : pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const whole = wholeWord ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  const flags = caseSensitive && !options.includes('i') ? '' : 'i';
  try {
    return new RegExp(whole, `u${flags}`);
  } catch (error) {
    // Escapes that Unicode mode refuses, such as \-, are common.
    const lenient = wholeWord ? `(?<!\\w)(?:${source})(?!\\w)` : source;
    try {
      return new RegExp(lenient, flags);
    } catch {
      throw new Error(`The regular expression is not valid: ${(error as Error).message.replace(/^.*: /, '')}.`);
    }
  }
}

const sandbox = createContext({ work: undefined });
const script = new Script('work()');

/** What stops a regular expression is the end of a script's time, and nothing else. */
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

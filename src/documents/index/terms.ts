/**
 * Turns text into the terms of the index. A word is indexed as its stem. An identifier or a path (`maxTokens`, `max_tokens`,
 * `src/core/run.ts`) is indexed as a whole, without its separators, and as its parts.
 */
import { type Language, stemOf, withoutAccents } from './languages.ts';

/** Words, numbers, and both connected by the separators of identifiers and paths. */
const TOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[_\-./\\:@$'’]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu;
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u;
/** The boundaries in camelCase, and in HTTPServer before Server. */
const HUMP = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Scripts without spaces between words. Their text is indexed as pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Words of a sentence that are connected, such as "cross-origin" or "read/write". */
const COMPOUND = /^\p{L}[\p{Ll}\p{M}]+(?:[-/]\p{L}[\p{Ll}\p{M}]+){1,2}$/u;
const SIMPLE = /^[A-Z]?[a-z]+$/;
const MAX_TERM = 64;
/** A longer token is data, such as an image in Base64. */
const MAX_TOKEN = 400;

/** Returns the terms of a text, separated by spaces. */
export function indexText(text: string, language: Language): string {
  const terms: string[] = [];
  for (const token of tokensIn(text)) terms.push(...termsIn(token, language));
  return terms.join(' ');
}

/** Returns the words, identifiers and paths of a text. */
export function tokensIn(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** Returns the terms of a token. */
export function termsIn(token: string, language: Language): string[] {
  const { words, parts } = termsOf(token, language);
  return [...words, ...parts];
}

/**
 * A word of a query with the terms that stand for it. The parts of an identifier are searched if no text has it as a whole. `whole` is the word
 * in lower case, for typo tolerance.
 */
export type QueryWord = { whole: string; terms: string[]; parts?: string[]; isPrefix: boolean };

/** Returns the words of a query. A word that ends with `*` stands for all words that begin with it. */
export function queryWords(query: string, languages: readonly Language[]): QueryWord[] {
  const words = new Map<string, QueryWord>();
  for (const match of query.matchAll(TOKEN)) {
    const [token] = match;
    const isPrefix = query[match.index + token.length] === '*';
    const whole = foldedWord(token);
    if (isPrefix) words.set(`${whole}*`, { whole, terms: [whole], isPrefix });
    else {
      const terms = languages.map((language) => termsOf(token, language));
      const each = (of: 'words' | 'parts') => [...new Set(terms.flatMap((all) => all[of]))];
      const parts = each('parts');
      words.set(whole, { whole, terms: each('words'), isPrefix, ...(parts.length > 0 && { parts }) });
    }
  }
  return [...words.values()].filter(({ terms }) => terms.length > 0);
}

function foldedWord(token: string): string {
  return withoutAccents(token.toLowerCase().split(SEPARATORS).join('')).slice(0, MAX_TERM);
}

function termsOf(token: string, language: Language): { words: string[]; parts: string[] } {
  if (token.length > MAX_TOKEN) return { words: [], parts: [] };
  // Most words of most texts are this simple.
  if (SIMPLE.test(token)) return { words: [stemOf(token.toLowerCase(), language).slice(0, MAX_TERM)], parts: [] };
  const words = token.split(SEPARATORS).filter(Boolean);
  const parts = words.flatMap((word) => word.split(HUMP));
  // An apostrophe, as in "isn't", does not make a word an identifier.
  const isPlain = parts.length === 1 || /^[\p{L}\p{M}]+['’]\p{L}{1,2}$/u.test(token);
  if (isPlain) return { words: [...wordTerms((words[0] ?? '').toLowerCase(), language)], parts: [] };
  const whole = foldedWord(token);
  if (COMPOUND.test(token)) return { words: [whole, ...parts.flatMap((part) => [...wordTerms(part.toLowerCase(), language)])], parts: [] };
  // The identifiers in a path or an expression are found without what is around them.
  const inner = words.length > 1 ? [...words.filter((word) => word.search(HUMP) > 0), ...segmentsOf(token)].map(foldedWord) : [];
  return {
    words: [...new Set([whole, ...inner])].filter(Boolean),
    parts: parts.flatMap((part) => [...wordTerms(part.toLowerCase(), language)]),
  };
}

/** Returns the segments of a path that consist of several words, such as the name of a package. */
function segmentsOf(token: string): string[] {
  const segments = token.split(/[/\\:]+/);
  return segments.length > 1 ? segments.filter((segment) => /[\p{L}\p{N}][_\-.][\p{L}\p{N}]/u.test(segment)) : [];
}

function* wordTerms(word: string, language: Language): Generator<string> {
  if (word === '') return;
  if (!UNSPACED.test(word)) return yield stemOf(word, language).slice(0, MAX_TERM);
  const characters = [...word];
  if (characters.length === 1) yield word;
  for (let at = 0; at + 1 < characters.length; at++) yield `${characters[at]}${characters[at + 1]}`;
}

/** Returns the number of letters to insert, remove, replace or swap to turn one word into the other, or `most + 1` if it is larger. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] as number) + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return most + 1;
    [before, row] = [row, next];
  }
  return row[b.length] as number;
}

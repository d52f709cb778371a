/**
 * Ranks the passages that BM25 found. BM25 alone prefers a passage that repeats one rare word of a long question to a passage that has most of
 * its words. The words of a question often stand in different passages of the document that answers it, so the whole document counts too.
 */
import type { Language } from './languages.ts';
import { termsIn, tokensIn } from './terms.ts';

/** A word of the query with the terms that stand for it. `rarity` is the logarithm that BM25 weights it by. */
export type RankedWord = { terms: readonly string[]; isPrefix: boolean; rarity: number };

/** `title` includes the name of the document, `headings` are those above and in the passage, and `score` is that of BM25. */
export type RankedPassage = {
  document: string;
  title: string;
  headings: readonly string[];
  text: string;
  language: Language;
  isCode: boolean;
  score: number;
};

/** The larger, the more a repeated word counts. */
const SATURATION = 2;
/** The greatest factor of a word in BM25. */
const MOST_OF_BM25 = 2.2;
/** The number of passages of a document that decide its score, so that a long document does not gain by its length. */
const BEST_OF_DOCUMENT = 3;
/** A question is rather answered by a text than by declarations that have the same words. */
const CODE = 0.75;

/** Which words the passages of a document have, and the scores of the best of them. */
type DocumentMatch = { has: boolean[]; scores: number[] };

/**
 * Returns a score from 0 to 1 for each passage: the mean of six shares of the query. All count the same, because weights that were fitted to
 * the questions of the benchmark were not better for other questions.
 * @param passages in the order of BM25, the best first
 */
export function scoresOf(passages: readonly RankedPassage[], words: readonly RankedWord[]): number[] {
  const rarities = words.map(({ rarity }) => rarity);
  // The square root keeps one rare word, such as "polite", from outweighing all others.
  const weights = rarities.map(Math.sqrt);
  const mostOfBm25 = MOST_OF_BM25 * sumOf(rarities);
  if (mostOfBm25 === 0) return passages.map(() => 0);
  const shareOf = (value: (word: number) => number) => sumOf(weights.map((weight, word) => weight * value(word))) / sumOf(weights);

  const counters = new Map<Language, WordCounter>();
  const documents = new Map<string, DocumentMatch>();
  const matches = passages.map(({ document, title, headings, text, language, score }) => {
    const counter = counters.get(language) ?? new WordCounter(words, language);
    counters.set(language, counter);
    const inText = counter.countsIn(text);
    const inHeadings = counter.countsIn(headings.join('\n'));
    const inTitle = counter.countsIn(title);
    const has = words.map((_, word) => (inText[word] as number) + (inHeadings[word] as number) + (inTitle[word] as number) > 0);
    const whole = documents.get(document) ?? { has: words.map(() => false), scores: [] };
    documents.set(document, { has: whole.has.map((before, word) => before || has[word] === true), scores: [...whole.scores, score] });
    return { inText, inHeadings, has };
  });

  return passages.map(({ document, isCode, score }, index) => {
    const { inText, inHeadings, has } = matches[index] as (typeof matches)[number];
    const whole = documents.get(document) as DocumentMatch;
    const shares = [
      score / mostOfBm25,
      shareOf((word) => (inText[word] as number) / ((inText[word] as number) + SATURATION)),
      shareOf((word) => Number(has[word])),
      shareOf((word) => Number(inHeadings[word] !== 0)),
      shareOf((word) => Number(whole.has[word])),
      sumOf(whole.scores.slice(0, BEST_OF_DOCUMENT)) / BEST_OF_DOCUMENT / mostOfBm25,
    ];
    return (sumOf(shares) / shares.length) * (isCode ? CODE : 1);
  });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Counts the words of a query in texts. It remembers which words a token of a text stands for, because texts repeat their tokens. */
class WordCounter {
  readonly #words: readonly RankedWord[];
  readonly #language: Language;
  readonly #known = new Map<string, readonly number[]>();

  constructor(words: readonly RankedWord[], language: Language) {
    this.#words = words;
    this.#language = language;
  }

  countsIn(text: string): number[] {
    const counts = this.#words.map(() => 0);
    for (const token of tokensIn(text)) {
      let found = this.#known.get(token);
      if (!found) {
        found = this.#wordsOf(token);
        this.#known.set(token, found);
      }
      for (const word of found) counts[word] = (counts[word] as number) + 1;
    }
    return counts;
  }

  #wordsOf(token: string): number[] {
    const terms = termsIn(token, this.#language);
    return this.#words.flatMap((word, index) => terms.filter((term) => stands(word, term)).map(() => index));
  }
}

function stands({ terms, isPrefix }: RankedWord, term: string): boolean {
  return isPrefix ? terms.some((beginning) => term.startsWith(beginning)) : terms.includes(term);
}

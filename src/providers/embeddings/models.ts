/** The known facts about embedding models (November 2026). */

/**
 * `usdPerMillion` is the price in US dollars per million tokens. `dimensions` is requested of models whose vectors can be shortened, because
 * shorter vectors need less space and are hardly worse. Some models expect words before a passage or a query.
 */
export type EmbeddingFacts = { usdPerMillion?: number; dimensions?: number; beforePassage?: string; beforeQuery?: string };

const SEARCHING = { beforeQuery: 'Represent this sentence for searching relevant passages: ' };

/** The first pattern that matches `provider/model` applies. */
const FACTS: readonly (readonly [pattern: RegExp, facts: EmbeddingFacts])[] = [
  [/^openai\/text-embedding-3-small$/, { usdPerMillion: 0.02, dimensions: 768 }],
  [/^openai\/text-embedding-3-large$/, { usdPerMillion: 0.13, dimensions: 1024 }],
  [/^openai\/text-embedding-ada-002$/, { usdPerMillion: 0.1 }],
  [/^gemini\/gemini-embedding-001$/, { usdPerMillion: 0.15, dimensions: 768 }],
  [/^mistral\/mistral-embed$/, { usdPerMillion: 0.1 }],
  [/\bnomic-embed-text/i, { beforePassage: 'search_document: ', beforeQuery: 'search_query: ' }],
  [/\b(?:multilingual-)?e5-/i, { beforePassage: 'passage: ', beforeQuery: 'query: ' }],
  [/\b(?:mxbai-embed|snowflake-arctic-embed)(?!2)/i, SEARCHING],
];

export function embeddingFacts(name: string): EmbeddingFacts {
  return FACTS.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}

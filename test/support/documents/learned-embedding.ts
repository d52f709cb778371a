/**
 * A small deterministic embedding for tests, which is learned from texts. The vector of a word is made of its parts (hashed sequences of characters)
 * and of the words that occur near it, so that words with similar neighbors have similar vectors. It is far weaker than an embedding model.
 */

const PARTS = 4;
const WINDOW = 4;
/** How much the neighbors of a word count, in comparison with the word itself. */
const NEIGHBORS = 0.8;
const WORD = /[\p{L}\p{N}]+/gu;

export type LearnedEmbedding = (text: string) => Float32Array;

export function learnedEmbedding(texts: readonly string[], dimensions = 384): LearnedEmbedding {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weightOf = (word: string) => Math.log(1 + texts.length / (1 + (counts.get(word) ?? 0)));
  const own = new Map<string, readonly number[]>();
  const positionsOf = (word: string) => {
    const known = own.get(word) ?? hashedParts(word, dimensions);
    own.set(word, known);
    return known;
  };
  const neighbors = new Map<string, Float32Array>();
  for (const text of texts) {
    const words = wordsOf(text);
    for (const [at, word] of words.entries()) {
      const vector = neighbors.get(word) ?? new Float32Array(dimensions);
      neighbors.set(word, vector);
      for (let other = Math.max(0, at - WINDOW); other <= Math.min(words.length - 1, at + WINDOW); other++)
        if (other !== at) add(vector, positionsOf(words[other] as string), weightOf(words[other] as string));
    }
  }
  const mean = new Float32Array(dimensions);
  for (const vector of neighbors.values()) {
    normalize(vector);
    for (let index = 0; index < dimensions; index++) mean[index] = (mean[index] as number) + (vector[index] as number) / neighbors.size;
  }
  return (text) => {
    const vector = new Float32Array(dimensions);
    const frequencies = new Map<string, number>();
    for (const word of wordsOf(text)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    for (const [word, count] of frequencies) {
      const weight = weightOf(word) * (1 + Math.log(count));
      const positions = positionsOf(word);
      add(vector, positions, weight / Math.sqrt(positions.length));
      const near = neighbors.get(word);
      if (!near) continue;
      for (let index = 0; index < dimensions; index++)
        vector[index] = (vector[index] as number) + NEIGHBORS * weight * ((near[index] as number) - (mean[index] as number));
    }
    normalize(vector);
    return vector;
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Returns signed positions from 1: some of the word as a whole, and one for each of its sequences of four characters. */
function hashedParts(word: string, dimensions: number): number[] {
  const positions: number[] = [];
  const put = (text: string) => {
    const hash = hashOf(text);
    positions.push(((hash >>> 1) % dimensions) * (hash & 1 ? 1 : -1) + (hash & 1 ? 1 : -1));
  };
  for (let part = 0; part < PARTS; part++) put(`${part} ${word}`);
  for (let at = 0; at + 4 <= word.length; at++) put(word.slice(at, at + 4));
  return positions;
}

function add(vector: Float32Array, positions: readonly number[], value: number): void {
  for (const position of positions) {
    const index = Math.abs(position) - 1;
    vector[index] = (vector[index] as number) + Math.sign(position) * value;
  }
}

function normalize(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares > 0) for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] as number) / Math.sqrt(squares);
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

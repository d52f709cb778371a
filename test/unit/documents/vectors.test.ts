import assert from 'node:assert/strict';
import { codeOf, largest, quantized, similarity, tableOf, writeScores } from '../../../src/documents/embeddings/vectors.ts';

/** Returns the same numbers from -1 to 1 each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 31 - 1;
  };
}

function vectors(count: number, dimensions: number, seed: number): Float32Array[] {
  const next = numbers(seed);
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, next));
}

describe('stored vectors', () => {
  it('have nearly the same angle as the original', () => {
    for (const vector of vectors(50, 100, 1)) assert.ok(similarity(quantized(vector), vector) > 0.999);
    assert.deepEqual(quantized(new Float32Array(3)), new Int8Array(3));
    assert.equal(similarity(new Int8Array(3), Float32Array.of(1, 2, 3)), 0);
  });

  it('are compared by their codes with the sum of the numbers whose bits are set', () => {
    for (const dimensions of [1, 8, 13, 96]) {
      const [query = new Float32Array(), ...others] = vectors(6, dimensions, dimensions);
      const codes = others.map((each) => [...codeOf(each)]);
      const scores = new Float32Array(others.length + 1);
      writeScores(Uint8Array.from(codes.flat()), tableOf(query), scores, 1);
      for (const [index, each] of others.entries()) {
        const sum = each.reduce((total, value, at) => total + (value > 0 ? (query[at] as number) : 0), 0);
        assert.ok(Math.abs((scores[index + 1] as number) - sum) < 1e-4);
      }
    }
  });

  it('are selected by their scores', () => {
    const scores = Float32Array.from({ length: 5_000 }, numbers(7));
    const sorted = [...scores.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number));
    for (const count of [1, 10, 600]) {
      const found = new Set(largest(scores, count));
      assert.ok(found.size >= count && found.size <= 2 * count, `${found.size}`);
      for (const position of sorted.slice(0, count)) assert.ok(found.has(position));
    }
    assert.deepEqual(largest(Float32Array.of(2, 2, 2), 2), [0, 1, 2]);
    assert.deepEqual(largest(new Float32Array(), 5), []);
  });

  it('that are most similar to a query are among those that their codes select', () => {
    const all = vectors(4_000, 256, 3);
    const next = numbers(4);
    const scores = new Float32Array(all.length);
    const codes = Uint8Array.from(all.flatMap((each) => [...codeOf(each)]));
    for (const number of [5, 1_000, 3_999]) {
      const query = (all[number] as Float32Array).map((value) => value + next());
      writeScores(codes, tableOf(query), scores, 0);
      assert.ok(largest(scores, 20).includes(number));
    }
  });
});

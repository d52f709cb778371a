/**
 * Vectors in their stored form: each number is one byte, and one bit in a code. A query is compared with the codes of all vectors, which takes a fraction
 * of the time and space, and exactly only with the best of them.
 */

/** The sizes of numbers do not matter for the comparison, so the largest number of a vector becomes 127. */
export function quantized(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return largest === 0 ? new Int8Array(vector.length) : Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

/** The length of a code in bytes. */
export function codeLength(dimensions: number): number {
  return Math.ceil(dimensions / 8);
}

/** Returns one bit for each number: whether it is positive. */
export function codeOf(vector: ArrayLike<number>): Uint8Array {
  const code = new Uint8Array(codeLength(vector.length));
  for (let index = 0; index < vector.length; index++)
    if ((vector[index] as number) > 0) code[index >>> 3] = (code[index >>> 3] as number) | (1 << (index & 7));
  return code;
}

const VALUES = 256;

/** Returns what each possible byte of a code contributes to the similarity to a query: the numbers of the query whose bits are set. */
export function tableOf(query: ArrayLike<number>): Float32Array {
  const table = new Float32Array(codeLength(query.length) * VALUES);
  for (let begin = 0; begin < table.length; begin += VALUES)
    for (let value = 1; value < VALUES; value++) {
      const lowest = value & -value;
      const number = query[begin / 32 + Math.log2(lowest)] ?? 0;
      table[begin + value] = (table[begin + (value ^ lowest)] as number) + number;
    }
  return table;
}

/** Writes how similar each of the codes is to the query of the table to `scores`, from the position `at`. */
export function writeScores(codes: Uint8Array, table: Float32Array, scores: Float32Array, at: number): void {
  for (let begin = 0, length = table.length / VALUES; begin < codes.length; begin += length) {
    let score = 0;
    for (let index = 0; index < length; index++) score += table[index * VALUES + (codes[begin + index] as number)] as number;
    scores[at++] = score;
  }
}

const BUCKETS = 4_096;

/** Returns the positions of the largest scores, at least `count` of them if there are as many. It does not sort all of them, which would take longer. */
export function largest(scores: Float32Array, count: number): number[] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  const scale = most > least ? (BUCKETS - 1) / (most - least) : 0;
  const sizes = new Uint32Array(BUCKETS);
  for (const score of scores) {
    const bucket = Math.floor((score - least) * scale);
    sizes[bucket] = (sizes[bucket] as number) + 1;
  }
  let [limit, above] = [BUCKETS - 1, sizes[BUCKETS - 1] as number];
  while (limit > 0 && above < count) above += sizes[--limit] as number;
  const positions: number[] = [];
  for (let at = 0; at < scores.length; at++) if (Math.floor(((scores[at] as number) - least) * scale) >= limit) positions.push(at);
  if (positions.length <= 2 * count) return positions;
  return positions.sort((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, count);
}

/** Returns the cosine of the angle between two vectors. */
export function similarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    const one = a[index] as number;
    const other = b[index] as number;
    product += one * other;
    ofA += one * one;
    ofB += other * other;
  }
  return ofA === 0 || ofB === 0 ? 0 : product / Math.sqrt(ofA * ofB);
}

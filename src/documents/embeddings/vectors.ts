/**
 * Vectors in their stored form: each number is one byte, and one bit in a code. Two vectors are compared roughly by the number of bits in which their codes
 * differ, which takes a fraction of the time and space, and exactly only if the codes are among the nearest.
 */

/** The sizes of numbers do not matter for the comparison, so the largest number of a vector becomes 127. */
export function quantized(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return largest === 0 ? new Int8Array(vector.length) : Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

/** The number of 32-bit words in a code. */
export function codeLength(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/** Returns one bit for each number: whether it is positive. */
export function codeOf(vector: ArrayLike<number>): Uint32Array {
  const code = new Uint32Array(codeLength(vector.length));
  for (let index = 0; index < vector.length; index++)
    if ((vector[index] as number) > 0) code[index >>> 5] = (code[index >>> 5] as number) | (1 << (index & 31));
  return code;
}

/** Writes the number of bits in which each of the codes differs from `code` to `distances`, from the position `at`. */
export function writeDistances(codes: Uint32Array, code: Uint32Array, distances: Uint16Array, at: number): void {
  const length = code.length;
  for (let begin = 0; begin < codes.length; begin += length) {
    let distance = 0;
    for (let index = 0; index < length; index++) {
      let bits = (codes[begin + index] as number) ^ (code[index] as number);
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    distances[at++] = distance;
  }
}

/** Returns the positions of the smallest distances, at least `count` of them if there are as many. */
export function nearest(distances: Uint16Array, count: number): number[] {
  let longest = 0;
  for (const distance of distances) if (distance > longest) longest = distance;
  const histogram = new Uint32Array(longest + 1);
  for (const distance of distances) histogram[distance] = (histogram[distance] as number) + 1;
  let [limit, below] = [0, histogram[0] ?? 0];
  while (limit < longest && below < count) below += histogram[++limit] as number;
  const positions: number[] = [];
  for (let at = 0; at < distances.length; at++) if ((distances[at] as number) <= limit) positions.push(at);
  return positions.length <= 2 * count
    ? positions
    : positions.toSorted((a, b) => (distances[a] as number) - (distances[b] as number)).slice(0, count);
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

/** Recognizes passages that are repeated, such as the same license in many documents. */

/** Two texts whose fingerprints differ in at most this many of 64 bits are considered repetitions of each other. */
const MAX_DISTANCE = 6;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Returns a similarity hash (simhash) of the words and their neighbors as 16 hexadecimal digits. Texts that differ only in upper and lower
 * case, punctuation and spaces have the same fingerprint.
 */
export function fingerprintOf(text: string): string {
  const counts = new Int32Array(64);
  let [before, words] = [0, 0];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    const own = hashOf(word);
    add(counts, mixed(own ^ Math.imul(before, 31)), mixed(own + 0x9e3779b9 + Math.imul(before, 17)));
    before = own;
    words++;
  }
  if (words === 0) return '';
  let [high, low] = [0, 0];
  for (let bit = 0; bit < 32; bit++) {
    if ((counts[bit] as number) > 0) high |= 1 << bit;
    if ((counts[bit + 32] as number) > 0) low |= 1 << bit;
  }
  return hexOf(high) + hexOf(low);
}

export function areSimilar(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  return a === b || bitsOf(numberAt(a, 0) ^ numberAt(b, 0)) + bitsOf(numberAt(a, 8) ^ numberAt(b, 8)) <= MAX_DISTANCE;
}

function numberAt(print: string, at: number): number {
  return Number.parseInt(print.slice(at, at + 8), 16);
}

function hexOf(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0');
}

function add(counts: Int32Array, high: number, low: number): void {
  for (let bit = 0; bit < 32; bit++) {
    counts[bit] = (counts[bit] as number) + (((high >>> bit) & 1) === 1 ? 1 : -1);
    counts[bit + 32] = (counts[bit + 32] as number) + (((low >>> bit) & 1) === 1 ? 1 : -1);
  }
}

/** FNV-1a */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash;
}

function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}

function bitsOf(value: number): number {
  let [bits, rest] = [0, value];
  for (; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

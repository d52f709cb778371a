/** Damages documents by a seed: cut off, bits flipped, parts repeated, moved or replaced by those of another document. */
import { crc32, inflateRawSync } from 'node:zlib';
import type { Sample } from './samples.ts';
import { type Entry, zip } from './zip.ts';

export type Random = (below: number) => number;

/** A generator of numbers that gives the same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Parts that the grammars of the formats give a meaning to. */
const TOKENS = [
  '<',
  '>',
  '</',
  '"',
  "'",
  '&',
  '\0',
  '\n',
  '[',
  ']',
  '{',
  '}',
  '<<',
  '>>',
  'obj',
  'stream',
  '|',
  '`',
  '#',
  '\ufeff',
  '99999999999',
  '-1',
  'PK\x03\x04',
  '%PDF-',
  '<!DOCTYPE',
];

/** An archive is damaged as a whole, or in one of its entries, which is then packed again. */
export function mutate({ path, bytes }: Sample, other: Sample, random: Random): Sample {
  if (!bytes.subarray(0, 2).equals(Buffer.from('PK')) || random(3) === 0) return { path, bytes: damaged(bytes, other.bytes, random) };
  const entries = entriesOf(bytes);
  const names = Object.keys(entries);
  const name = names[random(names.length)] as string;
  return { path, bytes: zip({ ...entries, [name]: damaged(entries[name] as Buffer, other.bytes, random) }) };
}

function damaged(bytes: Buffer, other: Buffer, random: Random): Buffer {
  let result = bytes;
  for (let rounds = 1 + random(4); rounds > 0; rounds--) result = damagedOnce(result, other, random);
  return result;
}

function damagedOnce(bytes: Buffer, other: Buffer, random: Random): Buffer {
  const at = random(bytes.length + 1);
  const to = Math.min(bytes.length, at + 1 + random(200));
  const [before, part, behind] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  switch (random(7)) {
    case 0:
      return Buffer.from(before);
    case 1:
      return Buffer.concat([before, behind]);
    case 2:
      return Buffer.concat([before, ...Array<Buffer>(1 + random(500)).fill(part), behind]);
    case 3:
      return Buffer.concat([before, other.subarray(random(other.length)), behind]);
    case 4:
      return Buffer.concat([before, Buffer.from((TOKENS[random(TOKENS.length)] as string).repeat(1 + random(1_000))), behind]);
    case 5:
      return Buffer.concat([behind, part, before]);
    default: {
      const flipped = Buffer.from(bytes);
      for (let flips = 1 + random(20); flips > 0 && flipped.length > 0; flips--) {
        const index = random(flipped.length);
        flipped[index] = (flipped[index] as number) ^ (1 << random(8));
      }
      return flipped;
    }
  }
}

/** Unpacks an archive that the tests wrote. */
function entriesOf(bytes: Buffer): Record<string, Entry & Buffer> {
  const entries: Record<string, Buffer> = {};
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [packed, name] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
    const start = at + 30 + name;
    const content = inflateRawSync(bytes.subarray(start, start + packed));
    if (crc32(content) !== bytes.readUInt32LE(at + 14)) throw new Error('The sample is damaged.');
    entries[bytes.toString('utf8', at + 30, start)] = content;
    at = start + packed;
  }
  return entries;
}

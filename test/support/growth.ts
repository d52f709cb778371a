/** How the time of a reader grows with what it reads: four times as much may take four times as long, and never sixteen times. */
import assert from 'node:assert/strict';

/** Between 4, which is what is proportional, and 16, which is what grows with the square. */
const MOST = 8;
const FACTOR = 4;
/** Less is not measured: what takes less for a large input does not grow noticeably. Milliseconds of this thread's processor time. */
const LEAST_MS = 20;
const REPEATS = 3;

export type Growth = { size: number; ms: number; largerMs: number; ratio: number };

/**
 * Measures at a size that takes long enough to be measured, and at four times that. The time is the thread's own, so that it does not matter
 * what else the machine does, and the least of several, since what disturbs only ever adds.
 */
export async function growthOf<T>(make: (size: number) => T, read: (input: T) => unknown, largest: number): Promise<Growth> {
  const time = async (size: number) => {
    const input = make(size);
    const before = process.threadCpuUsage();
    await read(input);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  let size = Math.min(2_000, largest);
  await time(size);
  let ms = await time(size);
  while (ms < LEAST_MS && size < largest) {
    size = Math.min(2 * size, largest);
    ms = await time(size);
  }
  let largerMs = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS && ratioOf(ms, largerMs) > MOST; repeat++) {
    largerMs = Math.min(largerMs, await time(FACTOR * size));
    ms = Math.min(ms, await time(size));
  }
  return { size, ms, largerMs, ratio: ratioOf(ms, largerMs) };
}

const ratioOf = (ms: number, largerMs: number) => largerMs / Math.max(ms, LEAST_MS);

export async function expectLinear<T>(make: (size: number) => T, read: (input: T) => unknown, largest = 250_000): Promise<void> {
  const { size, ms, largerMs, ratio } = await growthOf(make, read, largest);
  const figures = `${ms.toFixed(1)} ms at a size of ${size}, ${largerMs.toFixed(1)} ms at ${FACTOR * size}`;
  assert.ok(ratio < MOST, `It takes ${ratio.toFixed(1)} times as long for ${FACTOR} times as much: ${figures}`);
}

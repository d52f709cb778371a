/** Assertions about time that do not depend on a clock, because measured times are unreliable on a busy computer. */
import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const NEVER_MS = 2 ** 31 - 1;

/** Runs `work` while timers of `longMs` or more never fire, so that it completes only if it does not wait for such a timer. */
export async function withoutLongTimers<T>(work: () => T | Promise<T>, longMs = 200): Promise<T> {
  const { setTimeout } = globalThis;
  const { setTimeout: delay } = timers;
  const isLong = (ms: number | undefined) => (ms ?? 0) >= longMs;
  globalThis.setTimeout = ((callback: () => void, ms?: number, ...rest: []) =>
    isLong(ms) ? setTimeout(callback, NEVER_MS).unref() : setTimeout(callback, ms, ...rest)) as typeof setTimeout;
  timers.setTimeout = (ms, value, options) => (isLong(ms) ? delay(NEVER_MS, value, { ...options, ref: false }) : delay(ms, value, options));
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    globalThis.setTimeout = setTimeout;
    timers.setTimeout = delay;
    syncBuiltinESMExports();
  }
}

/** Returns the CPU time of this thread in milliseconds. The resolution is a few milliseconds. */
const cpuNow = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const ROUNDS = 5;
const MEASURABLE_MS = 20;

/** Measures the CPU time of one call as the average of many calls. */
function costOf(work: () => unknown): number {
  const begun = cpuNow();
  for (let calls = 1; ; calls++) {
    work();
    const spent = cpuNow() - begun;
    if (spent >= MEASURABLE_MS) return spent / calls;
  }
}

/** Does about a millisecond of work on a current computer. */
function yardstick(): number {
  let sum = 0;
  for (let index = 0; index < 800_000; index++) sum = (Math.imul(sum, 31) + index) | 0;
  return sum;
}
let yardstickCost = Number.POSITIVE_INFINITY;

/** Asserts that `work` takes at most this many units of CPU time, each about a millisecond. The minimum of several measurements counts. */
export function assertCheap(work: () => unknown, yardsticks: number): void {
  if (yardstickCost === Number.POSITIVE_INFINITY) yardstickCost = costOf(yardstick);
  let cost = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && !(cost <= yardsticks * yardstickCost); round++) {
    if (round > 0) yardstickCost = Math.max(yardstickCost, costOf(yardstick));
    const begun = cpuNow();
    work();
    cost = Math.min(cost, cpuNow() - begun);
  }
  assert.ok(
    cost <= yardsticks * yardstickCost,
    `it costs ${Math.round(cost / yardstickCost)} yardsticks, but at most ${yardsticks} are allowed`,
  );
}

/**
 * For four times the input, a quadratic algorithm takes 16 times as long and a linear algorithm four times as long. Garbage collection
 * adds some time.
 */
const MOST_GROWTH = 10;

/** Asserts that the time for `work` grows about linearly with the size of its input, up to this size. */
export function assertGrowsLinearly(work: (size: number) => unknown, size: number): void {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS && (round === 0 || large > MOST_GROWTH * small); round++) {
    const next = [costOf(() => work(Math.ceil(size / 4))), costOf(() => work(size))] as const;
    [small, large] = [Math.min(small, next[0]), Math.min(large, next[1])];
  }
  assert.ok(large <= MOST_GROWTH * small, `four times the input takes ${(large / small).toFixed(1)} times as long`);
}

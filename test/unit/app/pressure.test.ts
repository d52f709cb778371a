import assert from 'node:assert/strict';
import { isThisMachine, pressureNotice, pressureOf, shrink } from '../../../src/app/models/memory-pressure.ts';
import { parseLevel, parseMeminfo, readMemory } from '../../../src/hosts/node/system-memory.ts';

const GB = 2 ** 30;
const limits = { turns: 60, callsPerTurn: 32, callsPerRun: 500, minutes: 60 };

describe('memory pressure', () => {
  it('has three levels', () => {
    const levels = [50, 15, 14.9, 7, 6.9, 0].map((free) => pressureOf({ free, total: 100 }));
    assert.deepEqual(levels, ['normal', 'normal', 'moderate', 'moderate', 'critical', 'critical']);
  });

  it('depends on the thresholds in the settings', () => {
    const level = (free: number) => pressureOf({ free, total: 100 }, { moderatePercent: 60, criticalPercent: 0 });
    assert.deepEqual([70, 59, 0].map(level), ['normal', 'moderate', 'moderate']);
  });

  it('is normal if the memory is unknown', () => {
    assert.equal(pressureOf(undefined), 'normal');
    assert.equal(pressureOf({ free: Number.NaN, total: 100 }), 'normal');
    assert.equal(pressureOf({ free: 0, total: 0 }), 'normal');
  });

  it('lowers the limits of a run, but never to zero', () => {
    assert.deepEqual(shrink(limits, 'normal'), limits);
    assert.deepEqual(shrink(limits, 'moderate'), { turns: 30, callsPerTurn: 16, callsPerRun: 250, minutes: 60 });
    assert.deepEqual(shrink(limits, 'critical'), { turns: 15, callsPerTurn: 8, callsPerRun: 125, minutes: 60 });
    assert.deepEqual(shrink({ turns: 1, callsPerTurn: 1, callsPerRun: 1, minutes: 1 }, 'critical').turns, 1);
  });

  it('is reported in one sentence', () => {
    assert.equal(pressureNotice({ free: 9 * GB, total: 16 * GB }, 'normal'), undefined);
    assert.match(pressureNotice({ free: 2 * GB, total: 16 * GB }, 'moderate') ?? '', /^Memory is low \(2\.0 of 16\.0 GB free\).*half.*\.$/);
    assert.match(pressureNotice({ free: GB, total: 16 * GB }, 'critical') ?? '', /critically low.*a quarter/);
  });

  it('only concerns servers on this computer', () => {
    const here = ['http://localhost:11434', 'http://127.0.0.1/v1', 'http://[::1]:8080'].map(isThisMachine);
    assert.deepEqual(here, [true, true, true]);
    assert.deepEqual(['https://api.openai.com', 'http://192.168.0.2', 'nonsense'].map(isThisMachine), [false, false, false]);
  });
});

describe('the memory of the computer', () => {
  it('is the memory that programs can still use', () => {
    assert.deepEqual(parseMeminfo('MemTotal:  16 kB\nMemFree:  1 kB\nMemAvailable:  8 kB\n'), { free: 8192, total: 16_384 });
    assert.equal(parseMeminfo('MemTotal: 16 kB\n'), undefined);
    assert.deepEqual(parseLevel('43\n', 1000), { free: 430, total: 1000 });
    assert.deepEqual(
      ['', 'unknown', '-1'].map((text) => parseLevel(text, 1000)),
      [undefined, undefined, undefined],
    );
  });

  it('is read', async () => {
    const memory = await readMemory();
    assert.ok(memory && memory.free > 0 && memory.total >= memory.free);
  });
});

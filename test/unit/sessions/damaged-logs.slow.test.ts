/** However a log was damaged, the session opens, shows what is left and continues, and no tool call is repeated. */
import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { DAMAGES } from '../../support/damage.ts';
import type { DamagedLog } from '../../support/damaged-logs-worker.ts';

const RUNS = Number(process.env.KEDGE_DAMAGED_LOGS ?? 250);
/** A case takes milliseconds; the limit allows for a busy computer, which can stand still for half a minute. */
const HANGS_MS = 300_000;

const damage = fc.record({ kind: fc.constantFrom(...DAMAGES), a: fc.nat(10_000), b: fc.nat(10_000) });
const damagedLog: fc.Arbitrary<DamagedLog> = fc.record({
  log: fc.nat(100),
  other: fc.nat(100),
  damages: fc.array(damage, { minLength: 1, maxLength: 4 }),
});

describe('a damaged log', () => {
  let worker: Worker | undefined;
  after(() => worker?.terminate());

  async function said(of: Worker): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(new Error('It hangs.')), HANGS_MS);
    of.once('message', resolve).once('error', reject);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      of.off('message', resolve).off('error', reject);
    }
  }

  async function check(log: DamagedLog): Promise<void> {
    if (!worker) {
      worker = new Worker(new URL('../../support/damaged-logs-worker.ts', import.meta.url));
      await said(worker);
    }
    try {
      worker.postMessage(log);
      const { problem } = (await said(worker)) as { problem?: string };
      assert.equal(problem, undefined, problem);
    } catch (error) {
      await worker.terminate();
      worker = undefined;
      throw error;
    }
  }

  it('the same for a log without damage, of which nothing is left out', async function () {
    this.timeout(HANGS_MS * 6);
    for (let log = 0; log < 5; log++) await check({ log, other: 0, damages: [] });
  });

  it('is opened, displayed, continued and undone, and no call runs twice', async function () {
    this.timeout(0);
    await fc.assert(fc.asyncProperty(damagedLog, check), { numRuns: RUNS, endOnFailure: true });
  });
});

import assert from 'node:assert/strict';
import type { AgentEvent } from '../../../../src/core/session/events.ts';
import { newestRuns } from '../../../../src/hosts/vscode/panel/newest-runs.ts';

/** Returns the indexes of the runs that are shown. `sizes` has the number of events of each run. */
function shown(sizes: number[], portions = 1): number[] {
  const runIds = sizes.map((_, index) => `${index}`);
  const events = runIds.flatMap((runId, index) =>
    Array.from({ length: sizes[index] ?? 0 }, (): AgentEvent => ({ type: 'run_resumed', runId, seq: 1, at: 0 })),
  );
  return [...newestRuns(runIds, events, portions)].map(Number);
}

describe('the runs that the panel shows at first', () => {
  it('are the newest 20, and 20 more on each request', () => {
    const small = Array.from({ length: 50 }, () => 10);
    assert.deepEqual(
      shown(small),
      Array.from({ length: 20 }, (_, index) => 30 + index),
    );
    assert.equal(shown(small, 2).length, 40);
    assert.equal(shown(small, 3).length, 50);
  });

  it('are fewer if they are long, and at least one more on each request', () => {
    assert.deepEqual(shown([2_000, 2_000, 2_000, 500]), [2, 3]);
    assert.deepEqual(shown([2_000, 9_000, 9_000]), [2]);
    assert.deepEqual(shown([2_000, 9_000, 9_000], 2), [1, 2]);
    assert.deepEqual(shown([]), []);
  });
});

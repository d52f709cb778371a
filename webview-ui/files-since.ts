/** Counts the files that can be restored when the conversation continues from an earlier point. */
import { isTakenBack } from '../src/core/view/run-view.ts';
import type { PanelRun } from './model.ts';

/** `before` is before the prompt of the run, `after` is after its end, and `callId` is after the step with this call. */
export type Place = 'before' | 'after' | { callId: string };

/** Returns the number of files that were changed since a point, except by runs that were undone or imported from a file. */
export function filesSince(runs: readonly PanelRun[], runId: string, place: Place): number {
  const index = runs.findIndex(({ id }) => id === runId);
  if (index < 0) return 0;
  const isLeft = (run: PanelRun) => !run.isImported && !isTakenBack(run);
  const paths = runs
    .slice(place === 'before' ? index : index + 1)
    .filter(isLeft)
    .flatMap(({ changes }) => changes.map(({ path }) => path));
  const run = runs[index] as PanelRun;
  if (typeof place === 'object' && isLeft(run)) {
    const step = run.turns.findIndex(({ calls }) => calls.some(({ id }) => id === place.callId));
    const later = run.turns.slice(step + 1).flatMap(({ calls }) => calls);
    paths.push(...later.flatMap(({ changes }) => changes.map(({ path }) => path)));
  }
  return new Set(paths).size;
}

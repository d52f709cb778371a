/** Collects the files that a run changed, without the changes of steps that were rolled back. */

import type { ChangeSummary } from '../../../core/run/tool.ts';
import type { UndoResult } from '../../../core/session/events.ts';

export type Counts = Pick<ChangeSummary, 'added' | 'removed'>;

export class ChangedFiles {
  /** Counts by path, for each step of the plan; step 0 is used without a plan. */
  readonly #steps = new Map<number, Map<string, Counts>>();
  #step = 0;

  beginStep(step: number): void {
    this.#step = step;
  }

  add(changes: readonly ChangeSummary[]): void {
    const files = this.#steps.get(this.#step) ?? new Map<string, Counts>();
    this.#steps.set(this.#step, files);
    for (const { path, ...counts } of changes) files.set(path, addCounts(files.get(path), counts));
  }

  rollBack(step: number, results: readonly UndoResult[]): void {
    for (const { path, outcome } of results) if (outcome !== 'refused') this.#steps.get(step)?.delete(path);
  }

  /** Returns the sum over all steps and resets the counts. */
  take(): Map<string, Counts> {
    const sum = new Map<string, Counts>();
    for (const files of this.#steps.values()) for (const [path, counts] of files) sum.set(path, addCounts(sum.get(path), counts));
    this.#steps.clear();
    this.#step = 0;
    return sum;
  }
}

function addCounts(sum: Counts = { added: 0, removed: 0 }, { added, removed }: Counts): Counts {
  return { added: sum.added + added, removed: sum.removed + removed };
}

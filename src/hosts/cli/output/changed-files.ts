/** What a run changed, file by file, without what was taken back on the way. */

import type { ChangeSummary } from '../../../core/session/effects.ts';
import type { UndoResult } from '../../../core/session/events.ts';

export type Counts = Pick<ChangeSummary, 'added' | 'removed'>;

export class ChangedFiles {
  /** By the step of a plan that was under way, 0 without one. */
  readonly #steps = new Map<number, Map<string, Counts>>();
  #step = 0;

  stepBegins(step: number): void {
    this.#step = step;
  }

  add(changes: readonly ChangeSummary[]): void {
    const files = this.#steps.get(this.#step) ?? new Map<string, Counts>();
    this.#steps.set(this.#step, files);
    for (const { path, ...counts } of changes) files.set(path, plus(files.get(path), counts));
  }

  rolledBack(step: number, results: readonly UndoResult[]): void {
    for (const { path, outcome } of results) if (outcome !== 'refused') this.#steps.get(step)?.delete(path);
  }

  /** Counting begins anew. */
  take(): Map<string, Counts> {
    const sum = new Map<string, Counts>();
    for (const files of this.#steps.values()) for (const [path, counts] of files) sum.set(path, plus(sum.get(path), counts));
    this.#steps.clear();
    this.#step = 0;
    return sum;
  }
}

function plus(sum: Counts = { added: 0, removed: 0 }, { added, removed }: Counts): Counts {
  return { added: sum.added + added, removed: sum.removed + removed };
}

/** Edits of a plan before it is confirmed. An edited plan keeps its id and counts its revision up. */
import type { Plan, PlanStep } from '../src/core/plan.ts';

export const EMPTY_STEP: PlanStep = { title: '', files: [] };

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  if (to < 0 || to >= list.length) return [...list];
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, list[from] as T);
}

/** One path or glob a line; commas divide too, for that is how people write lists. */
export function filesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((file) => file.trim()))].filter(Boolean);
}

/** The plan to confirm, or why it is none yet. */
export function revised(plan: Plan, goal: string, steps: readonly PlanStep[], checks: readonly string[]): Plan | string {
  const kept = steps.map((step) => ({ ...step, title: step.title.trim(), check: step.check?.trim() || undefined }));
  if (!goal.trim()) return 'Say what the goal is.';
  if (kept.length === 0) return 'A plan needs at least one step.';
  const untitled = kept.findIndex((step) => !step.title);
  if (untitled >= 0) return `Say what step ${untitled + 1} does.`;
  const lines = checks.map((check) => check.trim()).filter(Boolean);
  return { ...plan, goal: goal.trim(), steps: kept, checks: lines.length ? lines : undefined, revision: plan.revision + 1 };
}

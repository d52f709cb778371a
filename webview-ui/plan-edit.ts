/** Converts a plan to the fields of the plan editor and back. An edited plan keeps its id and gets the next revision. */
import type { Check, Plan, PlanStep } from '../src/core/plan/plan.ts';

export const EMPTY_STEP: PlanStep = { title: '', files: [] };

export type CheckKind = 'none' | 'command' | 'search' | 'diagnostics' | 'remark';
/** A check as it is shown in the fields of the editor. */
export type CheckDraft = { kind: CheckKind; text: string; glob: string };

/**
 * A step in the editor. It keeps its key when it is moved, so that its fields and the focus move with it. `was` is its original number,
 * or 0 for a new step.
 */
export type StepDraft = { key: number; was: number; step: PlanStep; files: string; check: CheckDraft };

export function draftOf(step: PlanStep, key: number, was: number): StepDraft {
  return { key, was, step, files: step.files.join('\n'), check: checkDraft(step.check) };
}

export function checkDraft(check: Check | undefined): CheckDraft {
  if (check === undefined || check === '') return { kind: 'none', text: '', glob: '' };
  if (typeof check === 'string') return { kind: 'remark', text: check, glob: '' };
  if ('command' in check) return { kind: 'command', text: check.command, glob: '' };
  if ('diagnostics' in check) return { kind: 'diagnostics', text: '', glob: '' };
  return { kind: 'search', text: check.search_empty.pattern, glob: check.search_empty.glob ?? '' };
}

export function checkOf({ kind, text, glob }: CheckDraft): Check | undefined {
  const value = text.trim();
  if (kind === 'diagnostics') return { diagnostics: true };
  if (kind === 'none' || !value) return undefined;
  if (kind === 'command') return { command: value };
  if (kind === 'search') return { search_empty: { pattern: value, ...(glob.trim() && { glob: glob.trim() }) } };
  return value;
}

export function moveItem<T>(list: readonly T[], from: number, to: number): T[] {
  if (to < 0 || to >= list.length) return [...list];
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, list[from] as T);
}

/** Splits a list of paths and globs at line ends and commas. */
export function filesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((file) => file.trim()))].filter(Boolean);
}

export function stepOf({ step, files, check }: StepDraft): PlanStep {
  return { ...step, files: filesOf(files), check: checkOf(check) };
}

/** Returns the edited plan, or a message if it is not complete. */
export function editedPlan(plan: Plan, goal: string, steps: readonly PlanStep[], checks: readonly CheckDraft[]): Plan | string {
  const cleanSteps = steps.map((step) => ({
    ...step,
    title: step.title.trim(),
    detail: step.detail?.trim() || undefined,
    check: typeof step.check === 'string' ? step.check.trim() || undefined : step.check,
  }));
  if (!goal.trim()) return 'Describe the goal.';
  if (cleanSteps.length === 0) return 'A plan needs at least one step. Add a step.';
  const untitled = cleanSteps.findIndex((step) => !step.title);
  if (untitled >= 0) return `Describe what step ${untitled + 1} does.`;
  const atEnd = checks.flatMap((check) => checkOf(check) ?? []);
  // The hash of the earlier revision does not apply to the edited plan.
  const { hash: _, ...rest } = plan;
  return { ...rest, goal: goal.trim(), steps: cleanSteps, checks: atEnd.length > 0 ? atEnd : undefined, revision: plan.revision + 1 };
}

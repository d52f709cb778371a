/** Edits of a plan by its user. An edited plan keeps its id and counts its revision up. */
import type { Check, Plan, PlanStep } from '../src/core/plan/plan.ts';

export const EMPTY_STEP: PlanStep = { title: '', files: [] };

export type CheckKind = 'none' | 'command' | 'search' | 'diagnostics' | 'remark';
/** A check as its fields hold it. */
export type CheckDraft = { kind: CheckKind; text: string; glob: string };

/** A step keeps its key while it is moved about, so that its fields and the focus move with it. `was` is its number, 0 for a new one. */
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
  const words = text.trim();
  if (kind === 'diagnostics') return { diagnostics: true };
  if (kind === 'none' || !words) return undefined;
  if (kind === 'command') return { command: words };
  if (kind === 'search') return { search_empty: { pattern: words, ...(glob.trim() && { glob: glob.trim() }) } };
  return words;
}

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  if (to < 0 || to >= list.length) return [...list];
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, list[from] as T);
}

/** One path or glob a line; commas divide too, for that is how people write lists. */
export function filesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((file) => file.trim()))].filter(Boolean);
}

export function stepOf({ step, files, check }: StepDraft): PlanStep {
  return { ...step, files: filesOf(files), check: checkOf(check) };
}

/** The plan to confirm, or why it is none yet. */
export function revised(plan: Plan, goal: string, steps: readonly PlanStep[], checks: readonly string[]): Plan | string {
  const kept = steps.map((step) => ({
    ...step,
    title: step.title.trim(),
    detail: step.detail?.trim() || undefined,
    check: typeof step.check === 'string' ? step.check.trim() || undefined : step.check,
  }));
  if (!goal.trim()) return 'Say what the goal is.';
  if (kept.length === 0) return 'A plan needs at least one step.';
  const untitled = kept.findIndex((step) => !step.title);
  if (untitled >= 0) return `Say what step ${untitled + 1} does.`;
  const lines = checks.map((check) => check.trim()).filter(Boolean);
  // What the hash stood for is no longer what the plan says.
  const { hash: _, ...rest } = plan;
  return { ...rest, goal: goal.trim(), steps: kept, checks: lines.length ? lines : undefined, revision: plan.revision + 1 };
}

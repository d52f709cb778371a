/** Computes which files the run of a confirmed plan may change. Only the files of one step can be changed at a time. */
import type { PlanStep } from '../../core/plan/plan.ts';
import { currentStep, failedEndCheck, isOver, nextStep } from '../../core/plan/progress.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { inScope } from '../../policy/scope.ts';

type PlanRun = Pick<RunRecord, 'plan' | 'steps' | 'endChecks'>;

/**
 * Returns the step to which a write of all these paths belongs, or which it would begin. A model that reports its steps may only write in
 * its current step. A model that does not report steps begins the next step by writing to files of that step.
 */
export function stepOf(run: PlanRun, paths: readonly string[]): number | undefined {
  const containsAll = (step: number | undefined): step is number =>
    step !== undefined && paths.every((path) => inScope(path, filesOf(run, step)));
  const current = currentStep(run);
  if (containsAll(current)) return current;
  if (current !== undefined && (!run.steps[current]?.implicit || run.steps[current]?.check?.outcome === 'failed')) return undefined;
  const next = stepsAhead(run).at(-1);
  return containsAll(next) ? next : undefined;
}

/** Returns the next steps, up to the first one that may change files. A step that may not change files consists only of its check. */
export function stepsAhead(run: PlanRun): number[] {
  const open = (run.plan?.steps ?? []).flatMap((_, index) => {
    const state = run.steps[index + 1];
    return isOver(state) || state?.status === 'started' ? [] : [index + 1];
  });
  const last = open.findIndex((step) => filesOf(run, step).length > 0);
  return last < 0 ? open : open.slice(0, last + 1);
}

/**
 * Returns the run for a call that asked the user about a failed step and continues after a reload. The failed check blocks other calls
 * from the next step. It does not block this call, because the user answers its question.
 */
export function withAnsweredQuestion<Run extends PlanRun>(
  run: Run,
  callId: string,
  state: Pick<SessionState, 'questionAnswers' | 'pendingQuestions'>,
): Run {
  const current = currentStep(run);
  const id = `${callId}:step ${current}`;
  if (current === undefined || !(state.questionAnswers.has(id) || state.pendingQuestions.has(id))) return run;
  const { check: _, ...step } = run.steps[current] ?? { status: 'started' as const };
  return { ...run, steps: { ...run.steps, [current]: { ...step, implicit: true } } };
}

/**
 * Returns the paths and globs that a call which writes these paths may change. If all steps are finished but a check after the last step
 * failed, the files of all steps may be changed.
 */
export function writeScope(run: PlanRun, paths: readonly string[]): readonly string[] {
  const isOpen = nextStep(run) !== undefined || currentStep(run) !== undefined;
  if (!isOpen && failedEndCheck(run)) return run.plan?.steps.flatMap(({ files }) => files) ?? [];
  return filesOf(run, stepOf(run, paths) ?? currentStep(run));
}

/** Returns the paths and globs that a child run may change. It begins no step of its parent's plan. */
export function scopeOfChild(run: PlanRun): readonly string[] {
  return filesOf(run, currentStep(run));
}

/** Explains why a path may not be changed. */
export function deviation(run: PlanRun, path: string): string {
  const steps = run.plan?.steps ?? [];
  const current = currentStep(run);
  const other = steps.findIndex((step, index) => index + 1 !== current && inScope(path, step.files)) + 1;
  const elsewhere = other > 0 ? ` It belongs to step ${other} (${titleOf(steps[other - 1])}).` : '';
  if (current !== undefined) return `Step ${current} (${titleOf(steps[current - 1])}) may not change ${path}.${elsewhere}`;
  const why = nextStep(run) === undefined ? 'All steps of the plan are finished' : 'No step of the plan is running';
  return `${why}, so ${path} may not be changed.${elsewhere}`;
}

/** Returns the paths that the scope does not contain. */
export function beyondScope(run: PlanRun, paths: readonly string[]): string[] {
  const scope = writeScope(run, paths);
  return paths.filter((path) => !inScope(path, scope));
}

function filesOf({ plan }: PlanRun, step: number | undefined): readonly string[] {
  return (step !== undefined && plan?.steps[step - 1]?.files) || [];
}

export function titleOf(step: PlanStep | undefined): string {
  const [line = ''] = step?.title.split('\n', 1) ?? [];
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

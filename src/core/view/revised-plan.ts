/** Updates the view of a run after its plan was changed. */
import { stepsAfter } from '../plan/progress.ts';
import type { AgentEvent } from '../session/events.ts';
import type { RunView } from './run-view.ts';

/** Replaces the plan of the run. The states and writes of its steps move to the new step numbers. */
export function withRevisedPlan(run: RunView, event: Extract<AgentEvent, { type: 'plan_revised' }>): RunView {
  const { plan, reason, was } = event;
  if (!was) return { ...run, plan, revised: reason };
  const numberNow = (step: number) => was.indexOf(step) + 1 || undefined;
  return {
    ...run,
    plan,
    revised: reason,
    steps: stepsAfter(run.steps, event),
    unchangedSteps: run.unchangedSteps.flatMap((step) => numberNow(step) ?? []),
    writes: run.writes.map((write) => (write.step === undefined ? write : { ...write, step: numberNow(write.step) })),
  };
}

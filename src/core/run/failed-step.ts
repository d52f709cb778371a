/** Handles a plan, or a step of a plan, that did not pass its check. */

import type { UserMessage } from '../model/messages.ts';
import { note } from '../model/notes.ts';
import { checkText } from '../plan/plan.ts';
import { failedEndCheck, isOver } from '../plan/progress.ts';
import type { RunError } from '../session/events.ts';
import type { CheckResult, RunRecord } from '../session/session-state.ts';

type PlanRun = Pick<RunRecord, 'plan' | 'steps' | 'endChecks'>;
/** Without `step`, it is a check after the last step. */
type FailedCheck = CheckResult & { step?: number };

/**
 * Returns the check that failed last: the check of a step, unless the user skipped it or it has passed since, or a check after the last
 * step.
 */
export function failedCheck(run: PlanRun): FailedCheck | undefined {
  for (const [step, state] of Object.entries(run.steps))
    if (state.check?.outcome === 'failed' && !isOver(state)) return { ...state.check, step: Number(step) };
  return failedEndCheck(run);
}

export function stepError(run: PlanRun): RunError {
  const check = failedCheck(run);
  const failed = Object.entries(run.steps).findLast(([, { status }]) => status === 'failed')?.[0];
  const what = !check
    ? `Step ${failed} of the plan failed`
    : check.step === undefined
      ? `The plan did not pass a check after its last step: ${checkText(check.check, 'plan')}`
      : `Step ${check.step} of the plan did not pass its check: ${checkText(check.check)}`;
  return { kind: 'check', message: `${what}. Try again, or edit the plan.` };
}

/** Returns the message with which a failed run continues at a failed check when the user retries it. */
export function retryCheckMessage({ plan }: Pick<PlanRun, 'plan'>, { step, check, output }: FailedCheck): UserMessage {
  const ofPlan = step === undefined;
  const what = ofPlan
    ? 'The plan did not pass a check after its last step'
    : `Step ${step} (${plan?.steps[step - 1]?.title ?? ''}) did not pass its check`;
  const todo = ofPlan
    ? 'Fix the problem. All files of the plan may be changed for this.'
    : 'Fix the problem, then report the step as done.';
  return { role: 'user', content: [note('check', `${what}: ${checkText(check, ofPlan ? 'plan' : 'step')}\n${output}\n${todo}`)] };
}

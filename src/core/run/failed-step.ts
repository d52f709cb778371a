/** Handles a plan step that did not pass its check. */

import type { UserMessage } from '../model/messages.ts';
import { note } from '../model/notes.ts';
import { checkText } from '../plan/plan.ts';
import { isOver } from '../plan/progress.ts';
import type { RunError } from '../session/events.ts';
import type { RunRecord } from '../session/session-state.ts';

type PlanRun = Pick<RunRecord, 'plan' | 'steps'>;

/** Returns the step whose latest check failed, unless the user skipped it or it has passed since. */
export function failedCheck({ steps }: Pick<RunRecord, 'steps'>): number | undefined {
  const failedEntry = Object.entries(steps).find(([, step]) => step.check?.outcome === 'failed' && !isOver(step));
  return failedEntry && Number(failedEntry[0]);
}

export function stepError(run: PlanRun): RunError {
  const step = failedCheck(run);
  const check = step === undefined ? undefined : run.steps[step]?.check;
  const failed = Object.entries(run.steps).findLast(([, { status }]) => status === 'failed')?.[0];
  const message = check
    ? `Step ${step} of the plan did not pass its check: ${checkText(check.check)}. Try again, or edit the plan.`
    : `Step ${failed} of the plan failed. Try again, or edit the plan.`;
  return { kind: 'check', message };
}

/** Returns the message with which a failed run continues at a plan step when the user retries it. */
export function retryStepMessage({ plan, steps }: PlanRun, step: number): UserMessage {
  const { check } = steps[step] ?? {};
  const what = check ? `: ${checkText(check.check)}\n${check.output}` : '.';
  const text = `Step ${step} (${plan?.steps[step - 1]?.title ?? ''}) did not pass its check${what}\nFix the problem, then report the step as done.`;
  return { role: 'user', content: [note('check', text)] };
}

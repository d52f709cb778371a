/** The questions about a plan step that failed or changed nothing. The ids are unique within the call that asks. */

import { checkText, type Plan, type PlanStep } from '../../core/plan/plan.ts';
import type { Question, QuestionAnswer } from '../../core/session/events.ts';
import type { StepState } from '../../core/session/session-state.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { countOf } from '../define-tool.ts';
import { titleOf } from './plan-scope.ts';

export const ANSWERS = {
  ...{ goOn: 'Go on', retry: 'Retry', skip: 'Skip', edit: 'Edit plan', stop: 'Stop' },
  ...{ keep: 'Keep', rollBack: 'Roll back' },
} as const;

const MAX_SHOWN = 400;
const RETRY = { label: ANSWERS.retry, detail: 'The model tries again' };

/** `checked` is the check of the step, unless the model or the agent of the step reported the failure. */
export function failureQuestion(step: number, entry: PlanStep | undefined, problem: string, checked: StepState['check']): Question {
  const name = nameOf(step, entry);
  const author = entry?.agent === undefined ? 'the model' : `its agent ${visibleLine(entry.agent)}`;
  return {
    id: `step ${step}`,
    text: checked
      ? `${name} did not pass its check: ${checkText(checked.check)}.`
      : `${name} failed, according to ${author}: ${shorten(problem)}`,
    options: [
      RETRY,
      { label: ANSWERS.skip, detail: 'Continue with the next step' },
      { label: ANSWERS.edit, detail: 'The run pauses' },
      { label: ANSWERS.stop },
    ],
    freeText: true,
  };
}

export function unchangedQuestion(step: number, entry: PlanStep | undefined): Question {
  const options = [{ label: ANSWERS.goOn, detail: 'Accept the step as it is' }, RETRY, { label: ANSWERS.stop }];
  return {
    id: `step ${step} unchanged`,
    text: `${nameOf(step, entry)} is done, but it changed none of its files.`,
    options,
    freeText: true,
  };
}

export function keepQuestion(step: number, files: number): Question {
  return {
    id: `step ${step} changes`,
    text: `Keep or roll back the changes of step ${step} in ${countOf(files, 'file')}?`,
    options: [{ label: ANSWERS.keep }, { label: ANSWERS.rollBack }],
  };
}

/** Returns the ids of the questions that can follow the check of a step in a call. */
export function questionIdsAfterCheck(callId: string, step: number): string[] {
  return [`${callId}:step ${step}`, `${callId}:step ${step} unchanged`];
}

export function wordsOf(answer: QuestionAnswer): string {
  return answer.words ? ` The user says: ${answer.words}` : '';
}

/** Tells the model how to try a step again. */
export function retryText({ steps }: Plan, step: number): string {
  const agent = steps[step - 1]?.agent;
  if (agent === undefined) return `Fix the problem, then report step ${step} done again.`;
  return `To let the agent ${agent} try again, report step ${step} started again, with a note about what it should do differently.`;
}

/** Returns the name of a step, such as "Step 1 (Rename)". */
function nameOf(step: number, entry: PlanStep | undefined): string {
  return `Step ${step} (${titleOf(entry)})`;
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

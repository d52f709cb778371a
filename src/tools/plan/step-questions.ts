/** The questions about a plan step that failed or changed nothing. The ids are unique within the call that asks. */

import { checkText } from '../../core/plan/plan.ts';
import type { Question, QuestionAnswer } from '../../core/session/events.ts';
import type { StepState } from '../../core/session/session-state.ts';
import { countOf } from '../define-tool.ts';

export const ANSWERS = {
  ...{ goOn: 'Go on', retry: 'Retry', skip: 'Skip', edit: 'Edit plan', stop: 'Stop' },
  ...{ keep: 'Keep', rollBack: 'Roll back' },
} as const;

const MAX_SHOWN = 400;
const RETRY = { label: ANSWERS.retry, detail: 'The model tries again' };

/** `name` names the step, such as "Step 1 (Rename)". `checked` is its check, unless the model reported the failure. */
export function failureQuestion(step: number, name: string, problem: string, checked: StepState['check']): Question {
  return {
    id: `step ${step}`,
    text: checked
      ? `${name} did not pass its check: ${checkText(checked.check)}.`
      : `${name} failed, according to the model: ${shorten(problem)}`,
    options: [
      RETRY,
      { label: ANSWERS.skip, detail: 'Continue with the next step' },
      { label: ANSWERS.edit, detail: 'The run pauses' },
      { label: ANSWERS.stop },
    ],
    freeText: true,
  };
}

export function unchangedQuestion(step: number, name: string): Question {
  const options = [{ label: ANSWERS.goOn, detail: 'Accept the step as it is' }, RETRY, { label: ANSWERS.stop }];
  return { id: `step ${step} unchanged`, text: `${name} is done, but it changed none of its files.`, options, freeText: true };
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

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

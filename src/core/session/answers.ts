/** The types of the questions and approvals of a run, and of the user's answers. */
import type { CommandLine, Revision } from './effects.ts';
import type { GrantScope, Permission } from './grant-scope.ts';

/**
 * The answer to an approval request: yes, with an optional grant (`covers` is the index of the permission in the request), or no, with a
 * message for the model. With `by: 'nobody'`, no user was available, and the message comes from the host.
 */
export type ApprovalAnswer =
  | { approve: true; grant?: GrantScope; covers?: number; revised?: Revision; by?: 'grant'; widen?: true }
  | { approve: false; words?: string; by?: 'nobody' };

/** The permission that the user granted, and for how long. */
export type Granted = { scope: GrantScope; covers: Permission };

/**
 * A question of a tool call to the user. `id` is unique within the call. `options` are displayed as buttons, and `freeText` allows any
 * other answer. When an answer runs a `command`, `reason` says why it needs approval.
 */
export type Question = {
  id: string;
  text: string;
  options: { label: string; detail?: string }[];
  freeText?: boolean;
  command?: CommandLine;
  reason?: string;
};
/** The label of the chosen option or the user's own words. With `by: 'nobody'`, no user was available. */
export type QuestionAnswer = { option: string; words?: string } | { words: string; by?: 'nobody' };

/** The user's opinion of the answer of a run. It replaces an earlier opinion. It stays in the log and is never sent to a model. */
export type AnswerRating = { type: 'answer_rated'; rating: Rating | 'none'; words?: string };
export type Rating = 'up' | 'down';

/** Summarizes a run in one line: its current activity, or its result. */

import type { Usage } from '../src/core/model/messages.ts';
import type { UndoResult } from '../src/core/session/events.ts';
import { type CallView, callsIn, filesRead, nextStepText, type RunView, type TurnView } from '../src/core/view/run-view.ts';
import { callText } from '../src/core/words/call-text.ts';
import { waitingText } from '../src/core/words/retry-text.ts';
import { count, duration, tokens } from './format.ts';

export type Activity = { key: string; text: string; waiting?: boolean };

export function callTitle(call: CallView): string {
  return call.title ?? (call.name ? callText(call.name, call.input) : 'Tool call');
}

/** Returns the current activity. `key` changes with the activity, so that its clock is restarted. */
export function activityOf(run: RunView): Activity {
  const approval = run.approvals[0];
  if (approval) return { key: `approval ${approval.approvalId}`, text: 'Waiting for your approval', waiting: true };
  const question = run.questions[0];
  if (question) return { key: `question ${question.questionId}`, text: 'Waiting for your answer', waiting: true };
  if (run.waiting) return { key: `waiting ${run.waiting.attempt}`, text: 'Waiting to try again' };
  const call = callsIn(run).find((each) => each.status === 'running');
  if (call) return { key: `call ${call.id}`, text: callTitle(call) };
  const turn = run.turns.at(-1);
  if (!turn || turn.settled) return { key: `turn ${turn?.turn}`, text: 'Working' };
  if (turn.draft) return { key: `draft ${turn.turn} ${turn.draft.name}`, text: 'Preparing a step' };
  if (turn.text) return { key: `text ${turn.turn}`, text: 'Writing' };
  return { key: `turn ${turn.turn}`, text: 'Thinking' };
}

export type Answer = { text: string; streaming: boolean; from: number; to: number };

/**
 * Returns the answer of a run: the text of its last turns without tool calls. There are several such turns if the model's message was
 * continued because it was cut off. If the last turn of a finished run has no text, the last turn with text is the answer.
 */
export function answerOf(run: RunView): Answer | undefined {
  const to = run.turns.length;
  let from = to;
  while (from > 0 && isAnswer(run.turns[from - 1] as TurnView)) from--;
  const text = run.turns
    .slice(from)
    .map((turn) => turn.text)
    .join('');
  if (text) return { text, streaming: !run.turns.at(-1)?.settled, from, to };
  const last = run.finished?.outcome === 'answered' ? run.turns.findLastIndex((turn) => turn.text) : -1;
  return last < 0 ? undefined : { text: run.turns[last]?.text ?? '', streaming: false, from: last, to: last + 1 };
}

/**
 * Returns the model's latest text while it has not answered yet. While an approval or question is open, only the text of the same turn is
 * shown.
 */
export function latestText(run: RunView): { text: string; streaming: boolean } | undefined {
  if (answerOf(run)) return undefined;
  const isWaiting = run.approvals.length > 0 || run.questions.length > 0;
  const turn = isWaiting ? run.turns.at(-1) : run.turns.findLast(({ text }) => text);
  return turn?.text ? { text: turn.text, streaming: !turn.settled } : undefined;
}

const isAnswer = (turn: TurnView) => turn.calls.length === 0 && !turn.draft;

/** Returns true if the log of a run contains tool calls or reasoning, besides the answer. */
export function hasLog(run: RunView): boolean {
  return run.turns.some((turn) => turn.calls.length > 0 || turn.reasoning !== '');
}

/** Returns the summary of a run, for example "7 steps · 3 files read · 1 changed · 4.2 s". */
export function summaryOf(run: RunView): string {
  const calls = callsIn(run);
  const read = filesRead(run);
  const failed = calls.filter((call) => call.status === 'failed').length;
  const notRun = calls.filter((call) => call.status === 'denied' || call.status === 'rejected').length;
  return [
    calls.length > 0 ? count(calls.length, 'step') : 'Thought',
    read.size > 0 && `${count(read.size, 'file')} read`,
    run.changes.length > 0 && `${run.changes.length} changed`,
    failed > 0 && `${failed} failed`,
    notRun > 0 && `${notRun} not run`,
    run.finished && duration(run.finished.durationMs),
    run.parent && run.finished && `${tokens(tokensOf(run.finished.usage))} tokens`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const tokensOf = ({ input = 0, output = 0 }: Usage) => input + output;

/** Returns the result of an undo, for example "Undone: 2 files restored". */
export function undoneText(results: readonly UndoResult[]): string {
  const restored = results.filter(({ outcome }) => outcome === 'restored' || outcome === 'merged').length;
  if (restored === 0) return 'Nothing was restored';
  const isWhole = results.every(({ outcome }) => outcome !== 'refused');
  return isWhole ? `Undone: ${count(restored, 'file')} restored` : `${restored} of ${count(results.length, 'file')} restored`;
}

/**
 * Returns the short text that a screen reader announces. The text of an answer is not announced, because the user can read it in the
 * transcript.
 */
export function announcementOf(run: RunView, live: boolean): string {
  const approval = run.approvals[0];
  if (approval) return `Waiting for your approval: ${approval.title}`;
  const question = run.questions[0]?.question;
  if (question) return `Question: ${question.text}${question.options.length > 0 ? ` ${count(question.options.length, 'option')}.` : ''}`;
  if (run.undone && !live) return undoneText(run.undone);
  if (run.finished) {
    const { outcome, error } = run.finished;
    if (outcome === 'failed') return `Failed. ${error?.message ?? ''}`;
    if (outcome === 'stopped') return 'Stopped.';
    if (outcome === 'refused') return 'The model declined to answer.';
    if (outcome === 'plan_proposed') return `Plan proposed: ${run.proposal?.plan.goal ?? ''}`;
    const steps = callsIn(run).length;
    return steps > 0 ? `Answer ready, ${count(steps, 'step')}` : 'Answer ready';
  }
  if (run.paused?.reason === 'user') return `Paused. Next: ${nextStepText(run)}. You can resume the run, or run one step.`;
  if (run.paused) return 'Paused. You can continue the run.';
  if (!live) return '';
  return run.waiting ? waitingText(run.waiting, run.waiting.waitMs) : activityOf(run).text;
}

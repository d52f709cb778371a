/** What a run says about itself in one line: what it is doing now, what it has done. */

import type { UndoResult } from '../src/core/session/events.ts';
import { type CallView, callsIn, filesRead, type RunView, type TurnView } from '../src/core/view/run-view.ts';
import { waitingText } from '../src/core/words/retry-text.ts';
import { count, duration } from './format.ts';

export type Activity = { key: string; text: string; waiting?: boolean };

export function callTitle(call: CallView): string {
  return call.title ?? (call.name || 'Tool call');
}

/** `key` changes when the activity does, so that its clock starts anew. */
export function activityOf(run: RunView): Activity {
  const approval = run.approvals[0];
  if (approval) return { key: `approval ${approval.approvalId}`, text: 'Waits for your approval', waiting: true };
  const question = run.questions[0];
  if (question) return { key: `question ${question.questionId}`, text: 'Waits for your answer', waiting: true };
  if (run.waiting) return { key: `waiting ${run.waiting.attempt}`, text: 'Waits to ask the model again' };
  const call = callsIn(run).find((each) => each.status === 'running');
  if (call) return { key: `call ${call.id}`, text: callTitle(call) };
  const turn = run.turns.at(-1);
  if (!turn || turn.settled) return { key: `turn ${turn?.turn}`, text: 'Working' };
  if (turn.draft)
    return { key: `draft ${turn.turn} ${turn.draft.name}`, text: turn.draft.name ? `Preparing ${turn.draft.name}` : 'Preparing a step' };
  if (turn.text) return { key: `text ${turn.turn}`, text: 'Writing' };
  return { key: `turn ${turn.turn}`, text: 'Thinking' };
}

export type Answer = { text: string; streaming: boolean; from: number; to: number };

/**
 * What the run answers: the text of its last turns that ask for no tool. That is one turn, or several where an answer was cut
 * and gone on with. Where a finished run's last turn says nothing, it is the last turn that did.
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

/** What the model said last on the way, until it answers; beside what waits for the user only what belongs to it. */
export function lastWords(run: RunView): { text: string; streaming: boolean } | undefined {
  if (answerOf(run)) return undefined;
  const waits = run.approvals.length > 0 || run.questions.length > 0;
  const turn = waits ? run.turns.at(-1) : run.turns.findLast(({ text }) => text);
  return turn?.text ? { text: turn.text, streaming: !turn.settled } : undefined;
}

const isAnswer = (turn: TurnView) => turn.calls.length === 0 && !turn.draft;

/** Whether there is anything to look up in the log beside the answer itself. */
export function hasLog(run: RunView): boolean {
  return run.turns.some((turn) => turn.calls.length > 0 || turn.reasoning !== '');
}

/** "7 steps · 3 files read · 1 changed · 4.2 s" */
export function summaryOf(run: RunView): string {
  const calls = callsIn(run);
  const read = filesRead(run);
  const stopped = calls.filter((call) => call.status === 'denied' || call.status === 'rejected').length;
  return [
    calls.length > 0 ? count(calls.length, 'step') : 'Thought',
    read.size > 0 && `${count(read.size, 'file')} read`,
    run.changes.length > 0 && `${run.changes.length} changed`,
    stopped > 0 && `${stopped} refused`,
    run.finished && duration(run.finished.durationMs),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** "Undone: 2 files restored" */
export function undoneText(results: readonly UndoResult[]): string {
  const restored = results.filter(({ outcome }) => outcome === 'restored' || outcome === 'merged').length;
  if (restored === 0) return 'Nothing was restored';
  const isWhole = results.every(({ outcome }) => outcome !== 'refused');
  return isWhole ? `Undone: ${count(restored, 'file')} restored` : `${restored} of ${count(results.length, 'file')} restored`;
}

/** What a screen reader is told when it happens, in a few words. Of an answer only that it is there: it can be read where it stands. */
export function announcementOf(run: RunView, live: boolean): string {
  const approval = run.approvals[0];
  if (approval) return `Waits for your approval: ${approval.title}`;
  const asked = run.questions[0]?.question;
  if (asked) return `Asks you: ${asked.text}${asked.options.length > 0 ? ` ${count(asked.options.length, 'option')}.` : ''}`;
  if (run.undone && !live) return undoneText(run.undone);
  if (run.finished) {
    const { outcome, error } = run.finished;
    if (outcome === 'failed') return `Failed. ${error?.message ?? ''}`;
    if (outcome === 'stopped') return 'Stopped.';
    if (outcome === 'refused') return 'The model refused to answer.';
    if (outcome === 'plan_proposed') return `Plan proposed: ${run.proposal?.plan.goal ?? ''}`;
    const steps = callsIn(run).length;
    return steps > 0 ? `Answer ready, ${count(steps, 'step')}` : 'Answer ready';
  }
  if (run.paused?.reason === 'user') return 'Paused. You can resume the run, or let it take one step.';
  if (run.paused) return 'Paused. You can continue the run.';
  if (!live) return '';
  return run.waiting ? waitingText(run.waiting, run.waiting.waitMs) : activityOf(run).text;
}

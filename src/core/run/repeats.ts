/** Whether a run goes round in circles: the same calls with the same results, three times over. */
import type { ToolCall, ToolResult } from '../model/messages.ts';
import { note, withoutNotes } from '../model/notes.ts';

export type CompletedCall = { call: ToolCall; result: ToolResult };

const TIMES = 3;
/** A circle of more calls than this is not noticed. */
const LONGEST = 4;
/** So many calls have to be remembered: what repeats once more after it was noticed is the circle's first. */
const REMEMBERED = TIMES * LONGEST + 1;

/** What the model is told with the result with which it was noticed. */
export const REPEATED = note('repeated', 'This call was made three times with the same result. Do something else.');

/**
 * With one more. Those of one answer, which is `open`, stand in the order in which they were asked for, whichever ended first: else a circle
 * would not show.
 */
export function addCompletedCall(made: readonly CompletedCall[], one: CompletedCall, open: readonly ToolCall[]): readonly CompletedCall[] {
  const place = open.indexOf(one.call);
  let at = made.length;
  while (at > 0 && open.indexOf((made[at - 1] as CompletedCall).call) > place) at--;
  return made.toSpliced(at, 0, one).slice(-REMEMBERED);
}

/** With the last of these calls, and no sooner, it is three times. */
export function repeatsThrice(made: readonly CompletedCall[]): boolean {
  return periods(made).some(({ period, length }) => length === TIMES * period);
}

/** It went on although the model was told. */
export function isStuck(made: readonly CompletedCall[]): boolean {
  return periods(made).some(({ period, length }) => length > TIMES * period);
}

/** For each period how many calls, at the end, repeat with it. */
function periods(made: readonly CompletedCall[]): { period: number; length: number }[] {
  return Array.from({ length: LONGEST }, (_, index) => {
    const period = index + 1;
    // One call may fail in another way each time, as one that polls; where several alternate and all fail, the words do not matter.
    const alternates = made.slice(-period).some(({ call }) => !isSameCall(call, (made.at(-1) as CompletedCall).call));
    let length = Math.min(period, made.length);
    while (
      length < made.length &&
      isSame(made.at(-length - 1) as CompletedCall, made.at(-length - 1 + period) as CompletedCall, alternates)
    )
      length++;
    return { period, length };
  });
}

function isSame(a: CompletedCall, b: CompletedCall, anyFailure: boolean): boolean {
  if (!isSameCall(a.call, b.call) || a.result.isError !== b.result.isError) return false;
  return (anyFailure && a.result.isError === true) || sameJson(said(a), said(b));
}

function isSameCall(a: ToolCall, b: ToolCall): boolean {
  return a.name === b.name && a.malformed === b.malformed && sameJson(a.input, b.input);
}

function said({ result: { content } }: CompletedCall) {
  return withoutNotes(content);
}

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

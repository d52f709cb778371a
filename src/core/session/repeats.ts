/** Detects a run that goes in circles: the same calls with the same results, three times in a row. */
import type { ToolCall, ToolResult } from '../model/messages.ts';
import { note, withoutNotes } from '../model/notes.ts';

export type CompletedCall = { call: ToolCall; result: ToolResult };

const TIMES = 3;
/** Longer cycles are not detected. */
const LONGEST = 4;
/** How many calls are remembered. One more than three cycles is needed to see that the model continues after it was told. */
const REMEMBERED = TIMES * LONGEST + 1;

/** The note that is added to the result of the third repetition. */
export const REPEATED = note('repeated', 'This call was made three times with the same result. Do something else.');

/**
 * Adds a completed call. Calls of one answer (`open`) are kept in the order of the answer, whichever finished first, because otherwise a
 * cycle would not be visible.
 */
export function addCompletedCall(calls: readonly CompletedCall[], one: CompletedCall, open: readonly ToolCall[]): readonly CompletedCall[] {
  const place = open.indexOf(one.call);
  let at = calls.length;
  while (at > 0 && open.indexOf((calls[at - 1] as CompletedCall).call) > place) at--;
  return calls.toSpliced(at, 0, one).slice(-REMEMBERED);
}

/** Whether the last call completes the third repetition, for the first time. */
export function repeatsThrice(made: readonly CompletedCall[]): boolean {
  return periods(made).some(({ period, length }) => length === TIMES * period);
}

/** Whether the model continued the cycle although it was told. */
export function isStuck(made: readonly CompletedCall[]): boolean {
  return periods(made).some(({ period, length }) => length > TIMES * period);
}

/** For each period length, counts the calls at the end that repeat with that period. */
function periods(made: readonly CompletedCall[]): { period: number; length: number }[] {
  return Array.from({ length: LONGEST }, (_, index) => {
    const period = index + 1;
    // A single repeated call may fail differently each time, as polling does. When several calls alternate and all fail, the error messages
    // do not matter.
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
  return (anyFailure && a.result.isError === true) || sameJson(resultContent(a), resultContent(b));
}

function isSameCall(a: ToolCall, b: ToolCall): boolean {
  return a.name === b.name && a.malformed === b.malformed && sameJson(a.input, b.input);
}

function resultContent({ result: { content } }: CompletedCall) {
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

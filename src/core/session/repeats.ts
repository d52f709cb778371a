/** Detects a run that repeats itself: the same calls with the same results, three times in a row. */
import type { ToolCall, ToolResult } from '../model/messages.ts';
import { note, withoutNotes } from '../model/notes.ts';

export type CompletedCall = { call: ToolCall; result: ToolResult };

const TIMES = 3;
/** The maximum number of calls in a cycle. Longer cycles are not detected. */
const LONGEST = 4;
/** The number of latest calls that are remembered: three cycles, and one more call to detect that the model continues despite the note. */
const REMEMBERED = TIMES * LONGEST + 1;

/** The note that is added to the result of the third repetition. */
export const REPEATED = note('repeated', 'You have made this call three times with the same result. Try a different approach.');

/**
 * Adds a completed call. Calls of one answer (`open`) stay in the order of the answer, whichever call finishes first. Otherwise a cycle of
 * parallel calls would not be detected.
 */
export function addCompletedCall(calls: readonly CompletedCall[], one: CompletedCall, open: readonly ToolCall[]): readonly CompletedCall[] {
  const place = open.indexOf(one.call);
  let at = calls.length;
  while (at > 0 && open.indexOf((calls[at - 1] as CompletedCall).call) > place) at--;
  return calls.toSpliced(at, 0, one).slice(-REMEMBERED);
}

/** Returns true if the last call completes the third repetition of a cycle. */
export function repeatsThrice(made: readonly CompletedCall[]): boolean {
  return periods(made).some(({ period, length }) => length === TIMES * period);
}

/** Returns true if the model continued a cycle after it received the note. */
export function isStuck(made: readonly CompletedCall[]): boolean {
  return periods(made).some(({ period, length }) => length > TIMES * period);
}

type Period = { period: number; length: number };

/** The result of `periods` for each list, because the same list is examined before the next call and before the next turn. */
const known = new WeakMap<readonly CompletedCall[], Period[]>();

/** Returns for each period length how many of the latest calls repeat with that period. */
function periods(made: readonly CompletedCall[]): Period[] {
  const before = known.get(made);
  if (before) return before;
  const counted = countPeriods(made);
  known.set(made, counted);
  return counted;
}

function countPeriods(made: readonly CompletedCall[]): Period[] {
  return Array.from({ length: LONGEST }, (_, index) => {
    const period = index + 1;
    // A single call counts as repeated only if its results are equal, because a call that polls gets different results. When several calls
    // alternate, all failures of a call count as equal, regardless of their messages.
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

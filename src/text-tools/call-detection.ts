/**
 * Decides whether text that looks like a tool call is a tool call. Each call format has its own rules and positions. Text that the model
 * only shows, such as a quotation or an example, is never a call.
 *
 * | Position in the answer                                             | Result                                                 |
 * |--------------------------------------------------------------------|--------------------------------------------------------|
 * | in a code span, block quote, fence of another kind, or region      | text (markdown.ts, `QUOTES` in markers.ts)             |
 * | after "for example", in quotation marks, or with an unknown tool   | text (`isShown` in surrounding-words.ts)              |
 * | identical text in a file, result or message (`quoted`)             | text; reported if the model seems to expect a result   |
 * | a quoted call that the model repeats after the report (`confirmed`)| a call, if the answer contains nothing else            |
 * | the surrounding words refuse the call (`refused`)                  | text, reported to the model                            |
 * | inside a sentence that does not announce the call (`woven`)        | text, reported to the model                            |
 * | data without a marker: plain or fenced JSON, or a Python list      | a call at the end of the answer, before other calls,   |
 * | (`unmarked`)                                                       | or if the model says that it waits for the result;     |
 * |                                                                    | otherwise text, reported to the model                  |
 * | after a call that was not executed (`after`)                       | text, reported to the model: calls run in order        |
 * | after a result that the model invented (`invented`)                | text, reported to the model                            |
 * | in the markers of a call format                                    | a call, regardless of its context                      |
 * | in closed markers, with arguments that cannot be parsed            | a malformed call, reported to the model                |
 * | in markers that are not closed, or cut off                         | text                                                   |
 *
 * Reporting a call to the model costs a turn; executing a call that was only shown may damage files.
 */

import type { Reading, Source } from './source.ts';
import { isActed, isAwaited, isRefused, isWoven } from './surrounding-words.ts';

/**
 * Why it is uncertain whether text is meant as a call. `quoted`: the call occurs in text the model was shown. `confirmed`: it is quoted,
 * and the model repeated it after Kedge reported that the call was not executed. `refused`: the surrounding words say that the call is not made.
 * `woven`: it is part of a sentence. `unmarked`: it has no marker, only the form of data. `after`: an earlier call in the same answer was
 * not executed. `invented`: the model wrote the result of the previous call itself.
 */
export type Doubt = 'quoted' | 'confirmed' | 'refused' | 'woven' | 'unmarked' | 'after' | 'invented';
/** The doubts that are reported to the model. */
export type Told = Exclude<Doubt, 'confirmed'>;

/**
 * How a possible call is written: without any marker (`bare`), in a fence (`fence`), or in markers that identify it as a call (`marked`).
 */
export type Stand = { bare: boolean; fence: boolean; marked: boolean };

/**
 * @param before the text before the call; `src` is positioned after the call
 * @returns `shown` if the surrounding text indicates that this is not a call
 */
export function* doubtOf(src: Source, before: string, { bare, fence, marked }: Stand): Reading<Doubt | 'shown' | undefined> {
  if (bare) {
    yield* src.run(/[ \t\r;,}\]]+/y);
    if (!['', '\n', '<'].includes(yield* src.char())) return 'shown';
  } else {
    const lead = fence ? before.replace(/\n[ \t]*$/, '') : before;
    const line = lead.slice(lead.lastIndexOf('\n') + 1);
    yield* src.run(/[ \t\r]+/y);
    if (fence && (yield* src.char()) === '\n') src.at += 1;
    if (line.trim() !== '' && isWoven(line, yield* src.char())) {
      if (fence) return 'shown';
      if (!isActed(before)) return 'woven';
    }
  }
  if (isRefused(before, '')) return 'refused';
  return marked ? undefined : 'unmarked';
}

/**
 * Decides what to do with a possible call: execute it, treat it as text, or treat it as text and report the reason to the model.
 * @param behind the first sentence after the call; empty if the call ends the answer
 */
export function outcomeOf(doubt: Doubt | undefined, behind: string): 'call' | 'text' | Told {
  switch (doubt) {
    case 'quoted':
      return behind === '' || isAwaited(behind) ? 'quoted' : 'text';
    case 'confirmed':
      return behind === '' ? 'call' : 'text';
    case undefined:
      return isRefused('', behind) ? 'refused' : 'call';
    case 'unmarked':
      if (isRefused('', behind)) return 'refused';
      return behind === '' || isAwaited(behind) ? 'call' : 'unmarked';
    default:
      return doubt;
  }
}

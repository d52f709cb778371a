/**
 * What is a call, and what only looks like one. A call in text counts by the rules of the format that it is written in, at the place
 * where that format has it, and never where the model shows what it has read.
 *
 * | what stands in the answer                                        | what becomes of it                                     |
 * |------------------------------------------------------------------|--------------------------------------------------------|
 * | in a code span, a block quote, a fence of another kind, a region | text (markdown.ts, `QUOTES` in markers.ts)             |
 * | behind "for example", in quotation marks, of an unknown tool     | text (`isShown` in quoting.ts)                         |
 * | word for word in a file, a result or a message (`quoted`)        | text; and the model is told where it seems to wait     |
 * | the same, made again alone after the model was told (`confirmed`)| a call, if nothing else stands in the answer           |
 * | the words around it refuse it (`refused`)                        | text, and the model is told                            |
 * | within a sentence that does not say that it acts (`woven`)       | text, and the model is told                            |
 * | data without a mark: JSON alone or in a fence, Python's list     | a call at the end of the answer, before nothing but    |
 * | (`unmarked`)                                                     | calls, or where the model says that it waits for it;   |
 * |                                                                  | else text, and the model is told                       |
 * | behind one of which the model is told (`after`)                  | text, and the model is told: calls run in their order  |
 * | behind a result that the model made up (`invented`)              | text, and the model is told: it rests on that result   |
 * | in the marks of a format that is made for calls                  | a call, whatever text stands around it                 |
 * | in such marks, closed, with arguments that cannot be read        | a malformed call, of which the model is told           |
 * | in such marks, never closed, or cut off                          | text                                                   |
 *
 * To be told costs a turn; to run what was only shown may cost a file.
 */
import { isActed, isAwaited, isRefused, isWoven } from './quoting.ts';
import type { Reading, Source } from './source.ts';

/**
 * `quoted`: it stands in what the model was shown. `refused`: the words around it say that it is not made. `woven`: it is part of a
 * sentence. `unmarked`: it has no mark of its own, only the form of data. `after`: one before it in the same answer was not clear. `invented`: the
 * model wrote a result of the call before it.
 * `confirmed`: it is quoted, and the model was asked whether it means it.
 */
export type Doubt = 'quoted' | 'confirmed' | 'refused' | 'woven' | 'unmarked' | 'after' | 'invented';
/** Of which the model is told. */
export type Told = Exclude<Doubt, 'confirmed'>;

/** How what may be a call stands: without any mark (`bare`), in a fence; `marked` where it says of itself that it is a call. */
export type Stand = { bare: boolean; fence: boolean; marked: boolean };

/** `before` leads to the call, behind which the source stands. `shown` where the words say that it is none. */
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
 * What becomes of it, by the first sentence `behind` it, which is empty where it ends the answer: it is made, it is text, or it is
 * text of which the model is told why.
 */
export function fateOf(doubt: Doubt | undefined, behind: string): 'call' | 'text' | Told {
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

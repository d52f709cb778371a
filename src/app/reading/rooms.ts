/** Divides the window of the model between the parts of documents and the notes on them. */
import { tokensOfText } from '../../core/context/tokens.ts';
import { type LongestAnswer, requestLimit } from '../../core/context/window.ts';

/** In estimated tokens. `answer` is the maximum of an answer; notes are cut off after `note`. */
export type Rooms = { part: number; notes: number; note: number; answer: number };

/** The window that is assumed if nobody knows it. If it is smaller, the service refuses the request, and the part is divided. */
const ASSUMED_WINDOW = 32_000;
/** The words of Kedge around the task, the notes and the passages. */
const WORDS = 400;
const NOTES_SHARE = 0.3;
/** Estimates are never exact, so a share stays free. */
const PART_SHARE = 0.65;
const MAX_NOTE = 2_000;
const MAX_ANSWER = 8_000;
/** Less room for a part is not worth a request. */
const MIN_FREE = 400;

/** @param ratio how many tokens of the model an estimated token is. @throws Error if the task leaves no room */
export function roomsIn(window: number | undefined, longest: LongestAnswer | undefined, ratio: number, task: string): Rooms {
  const size = window ?? ASSUMED_WINDOW;
  const limit = requestLimit(size, longest);
  const free = limit / ratio - tokensOfText(task) - WORDS;
  if (free < MIN_FREE)
    throw new Error(
      `The window of the model has ${size.toLocaleString('en')} tokens, in which this message leaves no room for documents. Shorten it, or choose another model.`,
    );
  const notes = Math.floor(free * NOTES_SHARE);
  const answer = Math.min(longest?.set ?? MAX_ANSWER, Math.max(256, Math.floor(size * 0.96 - limit)));
  return { part: Math.floor(free * PART_SHARE), notes, note: Math.min(MAX_NOTE, Math.floor(notes / 3)), answer };
}

/** Divides passages into pieces of at most `most` tokens, between two passages where that is possible. */
export function pieces(text: string, most: number): string[] {
  const found: string[] = [];
  let piece = '';
  for (const block of text.split(/\n\n(?=\[)/).flatMap((each) => cut(each, most))) {
    const longer = piece === '' ? block : `${piece}\n\n${block}`;
    if (piece !== '' && tokensOfText(longer) > most) {
      found.push(piece);
      piece = block;
    } else piece = longer;
  }
  return piece === '' ? found : [...found, piece];
}

/** Divides one passage. Each piece has the line with the place. */
function cut(passage: string, most: number): string[] {
  const tokens = tokensOfText(passage);
  if (tokens <= most) return [passage];
  const headEnd = passage.indexOf('\n') + 1;
  const head = passage.slice(0, headEnd);
  const step = Math.max(100, Math.floor((passage.length * most * 0.9) / tokens) - head.length);
  const found: string[] = [];
  for (let at = headEnd; at < passage.length; ) {
    // A pair of surrogates is not divided.
    const end = at + step + (/[\ud800-\udbff]/.test(passage.charAt(at + step - 1)) ? 1 : 0);
    found.push(head + passage.slice(at, end));
    at = end;
  }
  return found;
}

/** Cuts notes that are too long at the end of a line. */
export function shortened(text: string, most: number): string {
  const tokens = tokensOfText(text);
  if (tokens <= most) return text;
  const end = Math.floor((text.length * most) / tokens);
  const line = text.lastIndexOf('\n', end);
  return `${text.slice(0, line > end / 2 ? line : end).trimEnd()}\n…`;
}

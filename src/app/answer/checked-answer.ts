/** An answer after its citations were compared with what was opened, and the notes about what was changed in it. */
import { visibleLine } from '../../core/words/visible-text.ts';

/** The places that an answer cites. A cited place that was not opened in the run is removed from the answer, and is in `dropped`. */
export type CheckedAnswer<Source> = {
  answer: string;
  sources: Source[];
  dropped: string[];
  /** The ranges that were shortened to the part that was opened, such as `handbook/deploy.md:12-40 to 12-18`. */
  shortened?: string[];
  /** The reason why the confidence cannot be high although every source was opened. */
  doubt?: string | undefined;
};

/** The text in place of a citation that was removed. */
export const REMOVED = '[removed: not opened]';

const MAX_NAMED = 5;

export function droppedNote(dropped: readonly string[]): string {
  return `${changedPlaces(dropped, 'removed', 'Kedge did not open it in this run')}.`;
}

export function shortenedNote(shortened: readonly string[]): string {
  return `${changedPlaces(shortened, 'shortened', 'only this part was opened')}.`;
}

function changedPlaces(places: readonly string[], what: string, why: string): string {
  const names = [...new Set(places)].map(visibleLine);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const all = names.length === 1 ? '1 cited place was' : `${names.length} cited places were`;
  return `${all} ${what}, because ${why}: ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}

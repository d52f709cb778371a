/** Tool results display invisible characters as marks such as `⟨U+202E⟩`. Edits turn copied marks back into the characters. */
import { marksIn, restoreMarks } from '../../core/words/visible-text.ts';

/** Returns the same edits or hunks with the marks that occur in `original` turned back into characters. */
export function withMarksRestored<T>(value: T, original: string): T {
  if (typeof value === 'string') return restoreMarks(value, original) as T;
  if (Array.isArray(value)) return value.map((each) => withMarksRestored(each, original)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withMarksRestored(each, original)])) as T;
}

/** Returns the note that lists the marks that were written as plain text, because the file does not contain the character. */
export function marksNote(text: string, original = ''): string[] {
  const marks = marksIn(text).filter((mark) => !original.includes(mark));
  if (marks.length === 0) return [];
  return [
    `${marks.join(', ')} ${marks.length === 1 ? 'was' : 'were'} written as plain text. In tool results, such a mark stands for an invisible character.`,
  ];
}

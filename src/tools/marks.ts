/** Results show a mark such as `⟨U+202E⟩` for a character that nobody sees. Edits are read the other way round. */
import { marksIn, unmarked } from '../core/visible-text.ts';

/** The same edit or hunk, in which marks that a model copied are the characters of the file again. */
export function meant<T>(value: T, original: string): T {
  if (typeof value === 'string') return unmarked(value, original) as T;
  if (Array.isArray(value)) return value.map((each) => meant(each, original)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, meant(each, original)])) as T;
}

/** What the model is told where it wrote marks that stand for nothing in the file. */
export function marksNote(text: string, original = ''): string[] {
  const marks = marksIn(text).filter((mark) => !original.includes(mark));
  if (marks.length === 0) return [];
  return [
    `${marks.join(', ')} ${marks.length === 1 ? 'was' : 'were'} written letter by letter: in results that stands for a character that nobody sees.`,
  ];
}

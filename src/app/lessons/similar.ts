/** Decides by shared words which lessons belong to a task, so that the user can see why a lesson was used. */

/** Only the beginning of a message is compared, because a long message contains pasted text. */
const MAX_COMPARED = 2_000;
const MAX_WORDS = 200;
/** Scripts without spaces between words. Their text is compared as pairs of characters. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;
const RUNS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|\p{Lu}?[\p{Ll}\p{M}]+|[\p{L}\p{M}]+|\p{N}+/gu;
/** Words that appear in tasks of every kind. */
const USUAL = new Set(
  'the and for that this with from into are was not but can you your our its all any now then when what how why please should would could need want make add fix change update use using write create new work works again also have has der die das und ein eine mit für von ist nicht bitte les des une pour dans avec que los las una para con'.split(
    ' ',
  ),
);

/** Returns the words that tell what a text is about: in lower case, without usual words, and without the plural s. */
export function significantWords(text: string): Set<string> {
  const words = new Set<string>();
  for (const [run] of text.slice(0, MAX_COMPARED).matchAll(RUNS)) {
    if (words.size >= MAX_WORDS) break;
    const lower = run.toLowerCase();
    if (UNSPACED.test(run)) for (let at = 0; at + 1 < run.length; at++) words.add(run.slice(at, at + 2));
    else if (lower.length > 2 && !USUAL.has(lower)) words.add(lower.length > 3 ? lower.replace(/s$/, '') : lower);
  }
  return words;
}

/** Returns the task of a lesson, or the whole entry if the user wrote it differently. */
export function taskIn(entry: string): string {
  return /^Task: (.+?)\. (?:Failed|Worked|Changed|Avoid)\b/.exec(entry)?.[1] ?? entry;
}

/**
 * Returns the lessons for a task, the most similar first. A lesson is similar if it shares at least two words with the task, and these are at least half of
 * the words of the shorter text. Of equally similar lessons, the newest is first.
 */
export function similarLessons(entries: readonly string[], task: string): string[] {
  const words = significantWords(task);
  const scored = entries.flatMap((entry, index) => {
    const own = significantWords(taskIn(entry));
    const shared = [...own].filter((word) => words.has(word)).length;
    const score = shared / Math.min(own.size, words.size);
    return shared >= 2 && score >= 0.5 ? [{ entry, index, score }] : [];
  });
  return scored.sort((a, b) => b.score - a.score || b.index - a.index).map(({ entry }) => entry);
}

/**
 * Makes text visible for people who decide on it. Invisible characters, and characters that change the reading direction, are replaced by
 * marks such as `⟨U+202E⟩`.
 */

/** Characters that are marked in file contents: invisible ones, and those that make a line appear to say something else. */
const DECEIVING = [
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/u,
  /[^\P{Cc}\t\n\r]|\r(?!\n|$)/u,
  // Emoji and many scripts need one variation selector or join control after a character. A sequence of them has no visible effect, but can
  // carry a message to a model.
  /(?<=\p{Variation_Selector})\p{Variation_Selector}|(?<=\p{Join_Control})\p{Join_Control}/u,
];
/** The flags of England, Scotland and Wales are written with tag characters. */
const FLAG = /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const FOUND = new RegExp([FLAG, ...DECEIVING].map(({ source }) => source).join('|'), 'gu');
const MARK = /⟨U\+([0-9A-F]{4,6})⟩/g;

/** Replaces the characters in `DECEIVING` with marks such as `⟨U+202E⟩`. Line breaks and tabs are not replaced. */
export function visibleText(text: string): string {
  return text.replace(FOUND, (found) => (FLAG.test(found) ? found : markOf(found)));
}

/** Characters that are marked in text that is executed or sent unchanged: everything except visible characters and spaces. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;
const EACH_HIDDEN = new RegExp(HIDDEN.source, 'gu');

/** A run of spaces or line breaks that is too long to be written by hand and can push the rest of the text out of sight. */
const PADDING = /[ \n]{16,}/g;

/**
 * Makes a command, or another text that is executed or sent unchanged, visible: `⟨U+202E⟩` for a hidden character, `⟨200 blanks⟩` for
 * padding.
 */
export function visibleCommand(text: string): string {
  return text
    .replace(EACH_HIDDEN, (char) => (char === '\n' ? char : markOf(char)))
    .replace(PADDING, (run) => ` ⟨${run.length} blanks⟩${run.includes('\n') ? '\n' : ' '}`);
}

/** Makes a single line such as a path visible. Unlike `visibleCommand`, it marks line feeds as well. */
export function visibleLine(text: string): string {
  return visibleCommand(text.replaceAll('\n', markOf('\n')));
}

/** Returns the mark of the first character that makes a command look like another one, ignoring line feeds and tabs. */
export function hiddenCharacter(text: string): string | undefined {
  const found = text.replace(/[\n\t]/g, ' ').match(HIDDEN)?.[0];
  return found === undefined ? undefined : markOf(found);
}

export function markOf(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/**
 * Turns the marks in a text that was copied from `visibleText(original)` back into characters. Marks that `original` itself contains are
 * not changed.
 */
export function restoreMarks(text: string, original: string): string {
  return text.replace(MARK, (mark, code: string) => {
    const char = charOf(code);
    return char !== undefined && original.includes(char) && !original.includes(mark) ? char : mark;
  });
}

/** Turns all marks in a text back into characters. */
export function decodeMarks(text: string): string {
  return text.replace(MARK, (mark, code: string) => charOf(code) ?? mark);
}

/** Lists the marks in a text, each once. */
export function marksIn(text: string): string[] {
  return [...new Set([...text.matchAll(MARK)].flatMap(([mark, code = '']) => (charOf(code) === undefined ? [] : [mark])))];
}

/** Returns the character with this code point, or undefined if `visibleText` does not mark it. */
function charOf(code: string): string | undefined {
  const point = Number.parseInt(code, 16);
  const char = point > 0x10ffff ? '' : String.fromCodePoint(point);
  return visibleText(`${char}${char}`) === `${char}${char}` ? undefined : char;
}

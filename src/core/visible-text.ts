/** Text as people see it who decide upon it: what is not seen, or turns the reading order, has a mark in its place. */

/** In contents of files: letters that nobody sees, or with which a line says something else than it seems to. */
const DECEIVING =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]|[^\P{Cc}\t\n\r]|\r(?!\n|$)/gu;

/** The same text with a mark such as `⟨U+202E⟩` in the place of each of them; line ends and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(DECEIVING, markOf);
}

/** In what is executed or sent as it is, only what is seen where it stands, blanks and line feeds are left. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;
const EACH_HIDDEN = new RegExp(HIDDEN.source, 'gu');

/** More blanks in a row than anybody writes, but enough to push what follows out of sight. */
const PADDING = /[ \n]{16,}/g;

/** A command, or another value that is executed or sent as it is: `⟨U+202E⟩` for a hidden character, `⟨200 blanks⟩` for padding. */
export function visibleCommand(text: string): string {
  return text
    .replace(EACH_HIDDEN, (char) => (char === '\n' ? char : markOf(char)))
    .replace(PADDING, (run) => ` ⟨${run.length} blanks⟩${run.includes('\n') ? '\n' : ' '}`);
}

/** The same of what belongs on one line, such as a path: a line feed in it is marked too. */
export function visibleLine(text: string): string {
  return visibleCommand(text.replaceAll('\n', markOf('\n')));
}

/** Characters that make a command look like another one; a line feed and a tab do not. */
export function hiddenCharacter(text: string): string | undefined {
  const found = text.replace(/[\n\t]/g, ' ').match(HIDDEN)?.[0];
  return found === undefined ? undefined : markOf(found);
}

export function markOf(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

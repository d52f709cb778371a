import { markOf } from '../../core/visible-text.ts';

/** What may stand in a shown command as it is: everything that is seen where it stands, blanks, line feeds. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;
const EACH_HIDDEN = new RegExp(HIDDEN.source, 'gu');

/** More blanks in a row than anybody writes, but enough to push what follows out of sight. */
const PADDING = /[ \n]{16,}/g;

/** The same text with nothing in it that can not be seen: `⟨U+202E⟩` for a hidden character, `⟨200 blanks⟩` for padding. */
export function visibleCommand(text: string): string {
  return text
    .replace(EACH_HIDDEN, (char) => (char === '\n' ? char : markOf(char)))
    .replace(PADDING, (run) => ` ⟨${run.length} blanks⟩${run.includes('\n') ? '\n' : ' '}`);
}

/** Characters that make a command look like another one; a line feed and a tab do not. */
export function hiddenCharacter(text: string): string | undefined {
  const found = text.replace(/[\n\t]/g, ' ').match(HIDDEN)?.[0];
  return found === undefined ? undefined : markOf(found);
}

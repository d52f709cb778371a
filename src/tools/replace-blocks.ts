/** What a line says about the blocks of code around it, in whatever language; pure. It only rules out what cannot be meant. */
import { indentOf } from './replace-match.ts';

const VOID_TAG = /^<(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|!)/i;

/** Words that end a block, and those that begin one where blocks end with a word. */
const END = /^\s*(?:end|fi|done|esac)\b/;
const BEGIN = /^\s*(?:if|unless|while|until|for|case|def|class|module|begin|function)\b(?!.*\b(?:end|fi|done|esac)\W*$)/;

/** What follows is to be deeper. */
export function opensBlock(line: string): boolean {
  const text = withoutComment(line.trim());
  if (/^<[a-z][^>]*>$/i.test(text)) return !text.endsWith('/>') && !VOID_TAG.test(text);
  return /(?:[:{([]|=>|->|(?:^|\s)(?:then|do|else|begin|try))$/.test(text);
}

/** It ends a block, and stands less deep than what is in it. */
export function closesBlock(line: string): boolean {
  return /^(?:[}\])]|<\/|(?:end|fi|done|esac|endif|endfor)\b)/.test(line.trim());
}

/** It ends a block that began further up, or goes on with another branch of it. */
export function leavesBlock(line: string): boolean {
  return closesBlock(line) || /^(?:else|elif|elsif|except|finally|catch|case|default|when|rescue|ensure)\b/.test(line.trim());
}

/** No block is left empty by a new line beside it, and new blocks end as deep as they began. Lines of blanks alone are not among the lines. */
export function isNestedWell(lines: readonly { text: string; isNew: boolean }[]): boolean {
  const hasWords = lines.some(({ text }) => END.test(text));
  const open: { width: number; isNew: boolean }[] = [];
  for (const [index, { text, isNew }] of lines.entries()) {
    const before = lines[index - 1];
    const width = indentOf(text).length;
    if (before && (isNew || before.isNew)) {
      const [depth, opens] = [indentOf(before.text).length, opensBlock(before.text) || (hasWords && BEGIN.test(before.text))];
      if (opens && width <= depth && !leavesBlock(text) && !/^\s*[-*] /.test(text)) return false;
      if (!opens && width === depth && closesBlock(text) && !closesBlock(before.text)) return false;
    }
    if (/^\s*[}\])]/.test(text) || END.test(text)) {
      const begun = open.pop();
      if (begun && begun.width !== width && (begun.isNew || isNew)) return false;
    }
    if (/[{([]$/.test(withoutComment(text.trim())) || (hasWords && BEGIN.test(text))) open.push({ width, isNew });
  }
  return true;
}

function withoutComment(line: string): string {
  return line.replace(/\s+(?:\/\/|#|--)(?:\s.*)?$/, '').trimEnd();
}

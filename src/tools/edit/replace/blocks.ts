/**
 * Recognizes lines that begin and end blocks of code in many languages. The result is only used to rule out an indentation, never to choose
 * one.
 */
import { indentOf } from './match.ts';

const VOID_TAG = /^<(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|!)/i;

/** The keywords that end and begin blocks in languages whose blocks end with a keyword. */
const END = /^\s*(?:end|fi|done|esac)\b/;
const BEGIN = /^\s*(?:if|unless|while|until|for|case|def|class|module|begin|function)\b(?!.*\b(?:end|fi|done|esac)\W*$)/;

/** Returns true if the next line should be indented more deeply. */
export function opensBlock(line: string): boolean {
  return opensPair(line) || /(?::|=>|->|(?:^|\s)(?:then|do|else|begin|try))$/.test(withoutComment(line.trim()));
}

/** Returns true if the line opens a bracket or a tag that another line closes. */
function opensPair(line: string): boolean {
  const text = withoutComment(line.trim());
  return /^<[a-z][^>]*>$/i.test(text) ? !text.endsWith('/>') && !VOID_TAG.test(text) : /[{([]$/.test(text);
}

/** Returns true if the line ends a block, so that it is indented less than the content of the block. */
export function closesBlock(line: string): boolean {
  return /^(?:[}\])]|<\/|(?:end|fi|done|esac|endif|endfor)\b)/.test(line.trim());
}

/** Returns true if the line ends a block that began above, or begins another branch of that block. */
export function leavesBlock(line: string): boolean {
  return closesBlock(line) || /^(?:else|elif|elsif|except|finally|catch|case|default|when|rescue|ensure)\b/.test(line.trim());
}

/**
 * Returns true if the new lines leave no block without content and end each new block at the indentation where it began. `lines` must not
 * contain blank lines.
 */
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
    if (/^\s*(?:[}\])]|<\/)/.test(text) || END.test(text)) {
      const begun = open.pop();
      if (begun && begun.width !== width && (begun.isNew || isNew)) return false;
    }
    if (opensPair(text) || (hasWords && BEGIN.test(text))) open.push({ width, isNew });
  }
  return true;
}

function withoutComment(line: string): string {
  return line.replace(/\s+(?:\/\/|#|--)(?:\s.*)?$/, '').trimEnd();
}

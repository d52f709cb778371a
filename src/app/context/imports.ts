/** Finds the imports in a CLAUDE.md: paths after an `@`, outside of code. */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;

/** Longer imports are ignored. The length is in characters. */
const MAX_IMPORT = 1_000;

/** Returns the imported paths as written, each once. A path may contain escaped spaces: `@docs/my\ rules.md`. */
export function importsIn(markdown: string): string[] {
  const paths = new Set<string>();
  for (const line of linesOutsideOfCode(markdown.split('\n')))
    for (const [, path = ''] of withoutCodeSpans(line).matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g))
      if (path.length <= MAX_IMPORT) paths.add(path.replaceAll('\\ ', ' '));
  return [...paths];
}

/** Returns the paths that an import may refer to. A sentence may end after it, so the second path omits punctuation at its end. */
export function pathsToTry(written: string): string[] {
  // The lookbehind keeps the time linear: only the first character of several marks begins a match.
  const plain = written.replace(/(?<![.,;:!?)\]'"])[.,;:!?)\]'"]+$/, '');
  return plain === written ? [written] : [written, plain];
}

/** Returns true if the text consists of imports only. They may be items of a list. */
export function isImportsOnly(markdown: string): boolean {
  const words = markdown.trim().split(/\s+/);
  const isImport = (word: string | undefined) => word !== undefined && word.length > 1 && word.startsWith('@');
  return words.every((word, index) => isImport(word) || (/^[-*+]$/.test(word) && isImport(words[index + 1])));
}

function* linesOutsideOfCode(lines: readonly string[]): Generator<string> {
  let fence: string | undefined;
  let isInList = false;
  let canBeginCode = true;
  for (const line of lines) {
    const [, marks = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks[0] === fence[0] && marks.length >= fence.length && /^\s*[`~]+\s*$/.test(line)) fence = undefined;
      continue;
    }
    if (marks !== '') {
      fence = marks;
      canBeginCode = true;
      continue;
    }
    if (line.trim() === '') {
      canBeginCode = true;
      continue;
    }
    const isIndented = /^(?: {4}|\t)/.test(line);
    // Indented lines after an empty line are code, except in a list, where they continue an item.
    if (isIndented && canBeginCode && !isInList) continue;
    if (!isIndented) isInList = LIST_ITEM.test(line);
    canBeginCode = false;
    yield line;
  }
}

/** Replaces each code span with a space. A span ends at the next run with the same number of backticks. */
function withoutCodeSpans(line: string): string {
  const pieces = line.split(/(`+)/);
  const left = new Map<number, number>();
  const count = (run: string, change: number) => left.set(run.length, (left.get(run.length) ?? 0) + change);
  for (const run of pieces.filter((_, index) => index % 2 === 1)) count(run, 1);
  let open = 0;
  return pieces
    .map((piece, index) => {
      if (index % 2 === 0) return open > 0 ? '' : piece;
      count(piece, -1);
      if (open > 0) {
        if (piece.length === open) open = 0;
        return ' ';
      }
      if ((left.get(piece.length) ?? 0) > 0) open = piece.length;
      return ' ';
    })
    .join('');
}

/** Inline parts of Markdown. All functions take linear time. */

const MAX_TARGET = 60;
/** A longer target of a link is treated as text. */
const MAX_LENGTH = 2_000;

/** Leaves out the targets of links and images that are long, such as the addresses of badges. */
export function withShortTargets(text: string): string {
  if (!text.includes('](')) return text;
  const pieces: string[] = [];
  let from = 0;
  let end = -1;
  for (let at = text.indexOf(']('); at >= 0; at = text.indexOf('](', at + 2)) {
    if (end < at) end = text.indexOf(')', at);
    if (end < 0) break;
    const length = end - at - 2;
    if (length <= MAX_TARGET || length > MAX_LENGTH || text.slice(at, end).includes('\n')) continue;
    pieces.push(text.slice(from, at + 1));
    from = end + 1;
  }
  return pieces.join('') + text.slice(from);
}

/** Returns true if a line separates the header of a table from its rows. */
export function isDelimiterRow(line: string | undefined): boolean {
  return line !== undefined && /^[\s|:-]+$/.test(line) && line.includes('-') && (line.includes('|') || line.includes(':'));
}

/** Splits a row of a table at the pipes that are not escaped and not inside code. */
export function cellsOf(line: string): string[] {
  const text = line.trim();
  const cells: string[] = [];
  let cell = '';
  let isCode = false;
  for (let index = text.startsWith('|') ? 1 : 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '\\' && text[index + 1] === '|') {
      cell += '|';
      index++;
    } else if (char === '|' && !isCode) {
      cells.push(withShortTargets(cell.trim()));
      cell = '';
    } else {
      if (char === '`') isCode = !isCode && text.includes('`', index + 1);
      cell += char;
    }
  }
  if (cell.trim() !== '') cells.push(withShortTargets(cell.trim()));
  return cells;
}

/** Formats lines of files, grouped by file, for `search_text` and the language service tools. */

const MAX_TEXT = 240;

/** `group` is the heading of the rows of one file, usually its path. Rows may be in any order. */
export type Row = { group: string; line?: number; text: string };

/** `total` includes the results that are not in `rows`. */
export function groupedLines(rows: readonly Row[], total: number, noun: string): string {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.group);
    if (group) group.push(row);
    else groups.set(row.group, [row]);
  }
  const texts = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, own]) => [group, ...own.map(({ line, text }) => (line === undefined ? `  ${text}` : `  ${line}: ${text}`))].join('\n'));
  if (total > rows.length) texts.push(`[${total - rows.length} more ${noun}]`);
  return texts.join('\n\n');
}

export function shorten(text: string, most = MAX_TEXT): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Shortens a text like `shorten`, but keeps `part` visible. */
export function shortenAround(text: string, part: string, most = MAX_TEXT): string {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  const from = at + part.length > most ? Math.max(0, at - most / 4) : 0;
  return from === 0 ? shorten(text, most) : `…${shorten(text.slice(from), most)}`;
}

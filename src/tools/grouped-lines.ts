/** Lines of files, by file, as `search_text` and the tools on language services show them. */

const MAX_TEXT = 240;

/** `group` heads the rows of one file, mostly by its path; the first row of a file may come at any place. */
export type Row = { group: string; line?: number; text: string };

/** `total` says how many there are, with those that are not among `rows`. */
export function grouped(rows: readonly Row[], total: number, noun: string): string {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const known = groups.get(row.group);
    if (known) known.push(row);
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

/** As `shorten`, but where the text is cut so that this part of it is seen. */
export function shortenAround(text: string, part: string, most = MAX_TEXT): string {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  const from = at + part.length > most ? Math.max(0, at - most / 4) : 0;
  return from === 0 ? shorten(text, most) : `…${shorten(text.slice(from), most)}`;
}

/** References to places in files: `src/tide.ts:12`, `src/tide.ts:12-20`, `src/tide.ts#L12`. */
export type Reference = { path: string; line?: number };
export type Piece = string | ({ text: string } & Reference);

const LINE = String.raw`(?::(\d{1,7})(?:[-–:]\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)`;
const AT_LINE = new RegExp(`${LINE}(?![\\w/:])`, 'g');
const WHOLE = new RegExp(`^([\\w@.+~()[\\]/-]+?)${LINE}?$`);
const NAME_CHARACTER = /[\w@.+~()[\]/-]/;
const EXTENSION = /\.[A-Za-z]\w{0,9}$/;
const LONGEST = 260;

/** Text with its references cut out. In running text a line number must be there, and what stands before it must look like a file. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(AT_LINE)) {
    const path = pathBefore(text, match.index, end);
    if (!isFile(path)) continue;
    const start = match.index - path.length;
    if (start > end) found.push(text.slice(end, start));
    end = match.index + match[0].length;
    found.push({ text: text.slice(start, end), path, line: Number(match[1] ?? match[2]) });
  }
  if (end < text.length) found.push(text.slice(end));
  return found;
}

function pathBefore(text: string, end: number, from: number): string {
  let start = end;
  while (start > from && end - start < LONGEST && NAME_CHARACTER.test(text[start - 1] as string)) start--;
  const path = text.slice(start, end);
  // A bracket that opens before the path belongs to the sentence; one that also closes, to the path.
  return /^[([][^)\]]*$/.test(path) ? path.slice(1) : path;
}

/** Workspace-relative, and with an extension, a folder or a name that files without an extension have. */
function isFile(path: string): boolean {
  if (/^\/|\/\/|\/$|\w@/.test(path)) return false;
  return EXTENSION.test(path) || path.includes('/') || /^(?:[A-Z]\w*file|LICENSE)$/.test(path);
}

/** A whole piece of inline code, or the address of a link: a place in a file, or a path with a folder and an extension. */
export function referenceOf(text: string): Reference | undefined {
  const [, name, colon, hash] = (text.length <= LONGEST && WHOLE.exec(text)) || [];
  const path = name?.replace(/^\.\//, '');
  if (path === undefined || !isFile(path)) return undefined;
  const line = colon ?? hash;
  if (line !== undefined) return { path, line: Number(line) };
  return path.includes('/') && EXTENSION.test(path) ? { path } : undefined;
}

export function isWebLink(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(href);
}

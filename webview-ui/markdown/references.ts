/** A reference to a place in a file: `src/tide.ts:12`, `src/tide.ts:12-20` or `src/tide.ts#L12`. */
export type Reference = { path: string; line?: number };
export type Piece = string | ({ text: string } & Reference);

const LINE = String.raw`(?::(\d{1,7})(?:[-–:]\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)`;
const AT_LINE = new RegExp(`${LINE}(?![\\w/:])`, 'g');
const WHOLE = new RegExp(`^([\\w@.+~()[\\]/-]+?)${LINE}?$`);
const NAME_CHARACTER = /[\w@.+~()[\]/-]/;
const EXTENSION = /\.[A-Za-z]\w{0,9}$/;
const MAX_PATH_LENGTH = 260;

/** Splits a text into references and the text between them. In prose, a reference needs a line number and a path that looks like a file. */
export function pieces(text: string): Piece[] {
  const result: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(AT_LINE)) {
    const path = pathBefore(text, match.index, end);
    if (!isFile(path)) continue;
    const start = match.index - path.length;
    if (start > end) result.push(text.slice(end, start));
    end = match.index + match[0].length;
    result.push({ text: text.slice(start, end), path, line: Number(match[1] ?? match[2]) });
  }
  if (end < text.length) result.push(text.slice(end));
  return result;
}

function pathBefore(text: string, end: number, from: number): string {
  let start = end;
  while (start > from && end - start < MAX_PATH_LENGTH && NAME_CHARACTER.test(text[start - 1] as string)) start--;
  const path = text.slice(start, end);
  // An opening bracket without a closing bracket belongs to the sentence and not to the path.
  return /^[([][^)\]]*$/.test(path) ? path.slice(1) : path;
}

/** Returns true for a relative path with an extension, a folder, or a usual name without an extension, such as LICENSE. */
function isFile(path: string): boolean {
  if (/^\/|\/\/|\/$|\w@/.test(path)) return false;
  return EXTENSION.test(path) || path.includes('/') || /^(?:[A-Z]\w*file|LICENSE)$/.test(path);
}

/**
 * Parses inline code or a link address that consists only of a file reference: a path with a line number, or a path with a folder and an
 * extension.
 */
export function referenceOf(text: string): Reference | undefined {
  const [, name, colon, hash] = (text.length <= MAX_PATH_LENGTH && WHOLE.exec(text)) || [];
  const path = name?.replace(/^\.\//, '');
  if (path === undefined || !isFile(path)) return undefined;
  const line = colon ?? hash;
  if (line !== undefined) return { path, line: Number(line) };
  return path.includes('/') && EXTENSION.test(path) ? { path } : undefined;
}

const CITATION = /^\[?[a-z\d][\w.-]{0,63}\/[^[\]\n]{0,2000}?(?::[ps]?\d+(?:[-–]\d+)?|!\d+(?:-\d+)?|\.\w{1,10})\]?$/;

/** Returns true for a place in a document of a collection: `[handbook/guide.md:12-18]` or `[manuals/pump.pdf:p3]`, in brackets or in code. */
export function isCitation(text: string): boolean {
  return CITATION.test(text) && (text.startsWith('[') || /:[ps]\d+$/.test(text));
}

export function isWebLink(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(href);
}

/**
 * Returns the symbol that inline code names: `tideAt()`, `Station.height`, `readStations` or `EPOCH_MS`. Plain words are not
 * symbols, because most of them are values, options or commands.
 */
export function symbolOf(text: string): string | undefined {
  const [, name, call] = /^((?:[A-Za-z_$][\w$]*(?:\.|::|#))*[A-Za-z_$][\w$]*)(\(\))?$/.exec(text.length <= 100 ? text : '') ?? [];
  if (name === undefined || isWebLink(text)) return undefined;
  const last = name.split(/\.|::|#/).at(-1) ?? '';
  const isNamed = /[a-z\d][A-Z]|[A-Z][a-z]+[A-Z]|[A-Za-z]_[A-Za-z]/.test(last) || (name !== last && /^[A-Z]/.test(name));
  return call || isNamed ? name : undefined;
}

/** Returns the path of an image in the workspace, or undefined for addresses, absolute paths and other files. */
export function workspaceImageOf(href: string): string | undefined {
  if (!/^[^:?#\\]{1,260}\.(?:png|jpe?g|gif|webp|svg)$/i.test(href) || href.startsWith('/')) return undefined;
  try {
    return decodeURIComponent(href).replace(/^\.\//, '');
  } catch {
    return undefined;
  }
}

/**
 * Formats and recognizes places in documents, such as `[handbook/deploy.md:12-18]`, for the model and for the user. Tool results show the place
 * above each passage, and an answer cites the passage by repeating its place.
 */
import { withoutKeys } from '../core/keys.ts';
import type { Place } from './document.ts';

/** A place that was shown, with the headings above it. */
export type Citation = { collection: string; document: string; place: string; titlePath: string[] };

/** Formats a place: lines as `12-18`, a page as `p3`, a slide as `s3`, and rows of a sheet as `Budget!2-30`. */
export function placeText({ line, endLine, page, slide, sheet, row, endRow }: Place): string {
  if (sheet !== undefined) return row === undefined ? sheet : `${sheet}!${range(row, endRow)}`;
  if (page !== undefined) return `p${page}`;
  if (slide !== undefined) return `s${slide}`;
  return line === undefined ? '' : range(line, endLine);
}

function range(from: number, to = from): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

export function citation(collection: string, document: string, place: Place): string {
  const at = placeText(place);
  return `[${collection}/${document}${at && `:${at}`}]`;
}

const TITLES = ' > ';
/** A tab separates the titles, because the names of documents can contain brackets, but no control characters. */
const HEAD = /^\[([^/\]]+)\/([^\t]+?)(?::(p\d+|s\d+|\d+(?:-\d+)?|[^:\]\t]*!\d+(?:-\d+)?))?\](?:\t(.*))?$/;

/**
 * Returns passages as one text, for a model. Their lines are indented, so that no line of a document can look like a heading of another one. Keys
 * are replaced by a mark.
 */
export function citedText(cited: string, titlePath: readonly string[], text: string): string {
  const head = [cited, titlePath.map((title) => title.replace(/\s+/g, ' ')).join(TITLES)].filter(Boolean).join('\t');
  return `${head}\n${withoutKeys(text)
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : `  ${line}`))
    .join('\n')}`;
}

/** Returns the passages of a text that consists of `citedText`. */
export function citationsIn(text: string): (Citation & { text: string })[] {
  const passages: (Citation & { text: string })[] = [];
  for (const line of text.split('\n')) {
    const [, collection, document, place = '', titles = ''] = HEAD.exec(line) ?? [];
    if (collection !== undefined && document !== undefined)
      passages.push({ collection, document, place, titlePath: titles === '' ? [] : titles.split(TITLES), text: '' });
    else if (/^(?: {2}|$)/.test(line)) {
      const last = passages.at(-1);
      if (last) last.text += `${line.slice(2)}\n`;
    }
  }
  return passages;
}

/** A place as an answer cites it. */
export type CitedPlace = Pick<Citation, 'collection' | 'document' | 'place'>;

const CITED = /^\[?([^/[\]]{1,64})\/(.+?)\]?$/s;
const AT = /^(.+):(p\d+|s\d+|\d+(?:[-–]\d+)?|[^:\]]*!\d+(?:-\d+)?)$/s;

/** Returns all possible meanings of a cited text, because the name of a document can itself end like a place. */
export function citedPlace(text: string): CitedPlace[] {
  const [, collection, rest] = CITED.exec(text.trim()) ?? [];
  if (collection === undefined || rest === undefined) return [];
  const [, document, place] = AT.exec(rest) ?? [];
  return [...(document && place ? [{ collection, document, place }] : []), { collection, document: rest, place: '' }];
}

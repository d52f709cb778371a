/** The queries of a search in one folder and their hits, for ripgrep and for the search without it. */
import type { FindQuery, SearchQuery } from '../../../workspace/types.ts';

/** A query for one folder. Its paths are relative to that folder. */
export type InFolder<Query extends FindQuery> = Omit<Query, 'folder' | 'hides'> & { hides?: (path: string) => boolean };

export type Hit = { path: string; line: number; text: string };

/** `without` are globs and ignore files that only reduce the work of ripgrep; `hides` makes the decision. */
type Options<Query extends FindQuery> = {
  rg: string;
  cwd: string;
  query: InFolder<Query>;
  without?: readonly string[];
  signal: AbortSignal;
};

export type FilesOptions = Options<FindQuery>;

export type SearchOptions = Options<SearchQuery>;

/** Longer lines are cut off, because they are generated and nobody reads them. */
export const MAX_LINE = 2_000;

export function expectOneLine(pattern: string): void {
  if (/[\r\n]/.test(pattern)) throw new Error('A pattern is one line of text. Search for one of its lines.');
}

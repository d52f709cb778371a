/** What is searched for in one folder, and what a hit is: the same for ripgrep and for the search without it. */
import type { FindQuery, SearchQuery } from '../../../workspace/types.ts';

/** Of one folder: paths are relative to it, and so are those that `hides` is asked about. */
export type InFolder<Query extends FindQuery> = Omit<Query, 'folder' | 'hides'> & { hides?: (path: string) => boolean };

export type Hit = { path: string; line: number; text: string };

/** `without` are further arguments: globs and ignore files that only spare ripgrep work, for `hides` is the judge. */
type Options<Query extends FindQuery> = {
  rg: string;
  cwd: string;
  query: InFolder<Query>;
  without?: readonly string[];
  signal: AbortSignal;
};

export type FilesOptions = Options<FindQuery>;

export type SearchOptions = Options<SearchQuery>;

/** A longer line is cut here: it is machine-made, and nobody reads it. */
export const MAX_LINE = 2_000;

export function expectOneLine(pattern: string): void {
  if (/[\r\n]/.test(pattern)) throw new Error('A pattern is one line of text. Search for one of its lines.');
}

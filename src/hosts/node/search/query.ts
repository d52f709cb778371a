/** The types of queries and hits in one folder, for ripgrep and for the search without ripgrep. */
import type { FindQuery, SearchQuery } from '../../../workspace/types.ts';

/** A query for one folder. Its paths are relative to that folder. */
export type InFolder<Query extends FindQuery> = Omit<Query, 'folder' | 'hides'> & { hides?: (path: string) => boolean };

export type Hit = { path: string; line: number; text: string };

/** `without` contains arguments that make ripgrep skip files, only to save time. `hides` decides which files are excluded. */
type Options<Query extends FindQuery> = {
  rg: string;
  cwd: string;
  query: InFolder<Query>;
  without?: readonly string[];
  signal: AbortSignal;
};

export type FilesOptions = Options<FindQuery>;

export type SearchOptions = Options<SearchQuery>;

/** The limit for a line, in characters. Longer lines are cut off, because they are usually generated. */
export const MAX_LINE = 2_000;

export function expectOneLine(pattern: string): void {
  if (/[\r\n]/.test(pattern)) throw new Error('The pattern contains a line break. Search for one of its lines.');
}

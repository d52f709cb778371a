/**
 * Finds files and searches text in a folder: with ripgrep if the folder is on a disk, and in unsaved documents. The module is loaded with
 * the first search.
 */
import type * as vscode from 'vscode';
import type { FindQuery, SearchQuery } from '../../../workspace/types.ts';
import type { Hit, InFolder } from '../../node/search/query.ts';
import { filesWithRipgrep, ignoreFileIn, searchWithRipgrep } from '../../node/search/ripgrep.ts';
import { excludesOf } from './excludes.ts';
import { findInFolder, searchDocuments, searchInFolder } from './plain-search.ts';
import { editorRipgrep } from './ripgrep.ts';

/**
 * A folder to search. `root` is its path on this computer's disk, and `ripgrep` returns the path of the ripgrep program if it is
 * installed.
 */
export type Place = { uri: vscode.Uri; root: string | undefined; ripgrep?: (() => Promise<string | undefined>) | undefined };

/** Returns the first files by name, up to the limit of the query. */
export async function findIn(place: Place, query: InFolder<FindQuery>, signal: AbortSignal): Promise<string[]> {
  const local = await localOf(place, query.hides);
  if (!local) return findInFolder(place.uri, query, signal);
  return filesWithRipgrep({ ...local, query: { ...query, hides: local.hides }, signal });
}

/** `unsaved` contains the documents of the folder that have unsaved changes, by path. */
export async function* searchIn(
  place: Place,
  unsaved: ReadonlyMap<string, vscode.TextDocument>,
  query: InFolder<SearchQuery>,
  signal: AbortSignal,
): AsyncGenerator<Hit> {
  const local = await localOf(place, query.hides);
  const hides = local ? local.hides : query.hides;
  // Files with unsaved changes are skipped, because their contents on disk are out of date.
  const saved = { ...query, hides: (path: string) => unsaved.has(path) || (hides?.(path) ?? false) };
  yield* local ? searchWithRipgrep({ ...local, query: saved, signal }) : searchInFolder(place.uri, saved, signal);
  yield* searchDocuments(place.uri, unsaved, { ...query, ...(hides && { hides }) });
}

/** Returns the arguments for ripgrep, or undefined if the folder is not on a disk or ripgrep is not installed. */
async function localOf({ uri, root, ripgrep = editorRipgrep }: Place, hides: ((path: string) => boolean) | undefined) {
  const rg = root === undefined ? undefined : await ripgrep();
  if (rg === undefined || root === undefined) return undefined;
  const excludes = excludesOf(uri, root);
  const without = [...excludes.without, ...ignoreFileIn(root)];
  return { rg, cwd: root, without, hides: (path: string) => excludes.hides(path) || (hides?.(path) ?? false) };
}

/** Finds and searches files across several folders, for the file system of the editor and for the file system of Node. */
import type { FileSystem, FindQuery, Location, SearchHit, SearchQuery } from '../../../workspace/types.ts';
import type { Hit, InFolder } from '../search/query.ts';

/** `inFolder` returns the first files of a folder by name, up to the limit of the query. */
export async function findInFolders(
  { folders }: Pick<FileSystem, 'folders'>,
  query: FindQuery,
  inFolder: (folder: number, query: InFolder<FindQuery>) => Promise<string[]>,
): Promise<{ files: Location[]; truncated: boolean }> {
  const files: Location[] = [];
  for (const folder of foldersOf(folders, query)) {
    const paths = await inFolder(folder, ownQuery(query, folder, query.limit + 1 - files.length));
    for (const path of paths) files.push({ folder, path });
    if (files.length > query.limit) break;
  }
  const truncated = files.length > query.limit;
  return { files: truncated ? files.slice(0, query.limit) : files, truncated };
}

export async function* searchInFolders(
  { folders }: Pick<FileSystem, 'folders'>,
  query: SearchQuery,
  inFolder: (folder: number, query: InFolder<SearchQuery>) => AsyncIterable<Hit>,
): AsyncGenerator<SearchHit> {
  let left = query.limit;
  for (const folder of foldersOf(folders, query)) {
    for await (const hit of inFolder(folder, ownQuery(query, folder, left))) {
      yield { folder, ...hit };
      if (--left <= 0) return;
    }
  }
}

function foldersOf(folders: readonly unknown[], { folder }: FindQuery): number[] {
  return folder === undefined ? folders.map((_, index) => index) : [folder];
}

function ownQuery<Query extends FindQuery>({ folder: _, hides, ...query }: Query, folder: number, limit: number): InFolder<Query> {
  return { ...query, limit, ...(hides && { hides: (path: string) => hides({ folder, path }) }) };
}

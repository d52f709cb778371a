/** Finds files and searches text where ripgrep cannot: on virtual and remote file systems, and in unsaved documents. */
import * as vscode from 'vscode';
import { decodeText } from '../../../workspace/content.ts';
import type { FindQuery, SearchQuery } from '../../../workspace/types.ts';
import { type Include, includeOf } from '../../node/search/include-glob.ts';
import { matcherOf, matchingLines } from '../../node/search/matching-lines.ts';
import type { Hit, InFolder } from '../../node/search/query.ts';

const MAX_BYTES = 2_000_000;
const MAX_FILES = 20_000;

export async function findInFolder(folder: vscode.Uri, query: InFolder<FindQuery>, signal: AbortSignal): Promise<string[]> {
  const source = new vscode.CancellationTokenSource();
  const stop = () => source.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const include = await includeInFolder(folder, query.include);
    // VS Code's globs differ from Kedge's in some details, so they only narrow the search, and the exact glob is applied to the result.
    const pattern = new vscode.RelativePattern(folder, [...include.below, '**', ...(include.name ? [include.name] : [])].join('/'));
    const uris = await vscode.workspace.findFiles(pattern, undefined, Math.max(query.limit, MAX_FILES), source.token);
    const base = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
    const paths = uris.map((uri) => uri.path.slice(base.length)).filter((path) => include.matches(path) && !query.hides?.(path));
    return paths.sort().slice(0, query.limit);
  } finally {
    signal.removeEventListener('abort', stop);
    source.dispose();
  }
}

export async function* searchInFolder(folder: vscode.Uri, query: InFolder<SearchQuery>, signal: AbortSignal): AsyncGenerator<Hit> {
  const matches = matcherOf(query);
  if (query.limit <= 0) return;
  const isLink = linksIn(folder);
  for (const path of await findInFolder(folder, { ...query, limit: MAX_FILES }, signal)) {
    signal.throwIfAborted();
    if (await isLink(path)) continue;
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, path)).then(undefined, () => undefined);
    const text = bytes && bytes.length <= MAX_BYTES ? decodeText(bytes) : undefined;
    if (text !== undefined) yield* matchingLines(path, text, matches);
  }
}

/**
 * Returns a function that checks whether a path contains a symbolic link. VS Code follows it, but the path of its target may be excluded.
 */
function linksIn(folder: vscode.Uri): (path: string) => Promise<boolean> {
  const results = new Map<string, Promise<boolean>>();
  const isLink = async (path: string): Promise<boolean> => {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (parent !== '') {
      if (!results.has(parent)) results.set(parent, isLink(parent));
      if (await results.get(parent)) return true;
    }
    const stat = await vscode.workspace.fs.stat(vscode.Uri.joinPath(folder, path)).then(undefined, () => undefined);
    return stat !== undefined && (stat.type & vscode.FileType.SymbolicLink) !== 0;
  };
  return isLink;
}

/** Searches unsaved documents. If JavaScript cannot parse the pattern, they are skipped, because the results from saved files are still valid. */
export async function* searchDocuments(
  folder: vscode.Uri,
  documents: ReadonlyMap<string, vscode.TextDocument>,
  query: InFolder<SearchQuery>,
): AsyncGenerator<Hit> {
  if (documents.size === 0 || query.limit <= 0) return;
  const include = await includeInFolder(folder, query.include);
  for (const [path, document] of documents) {
    if (!include.matches(path) || query.hides?.(path)) continue;
    try {
      yield* matchingLines(path, document.getText(), matcherOf(query));
    } catch {
      return;
    }
  }
}

function includeInFolder(folder: vscode.Uri, glob: string | undefined): Promise<Include> {
  const isDirectory = async (path: string) => {
    try {
      const { type } = await vscode.workspace.fs.stat(vscode.Uri.joinPath(folder, path));
      return (type & vscode.FileType.Directory) !== 0;
    } catch {
      return false;
    }
  };
  return includeOf(glob, isDirectory);
}

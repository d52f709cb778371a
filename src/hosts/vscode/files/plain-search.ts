/** Finding and searching where ripgrep cannot go: virtual and remote file systems, and documents that are not saved. */
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
    // The editor's own globs mean something else here and there: they only narrow the search.
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

/** Tells whether a path leads through a link. The editor follows links, but the target may be withheld under its own name. */
function linksIn(folder: vscode.Uri): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const isLink = async (path: string): Promise<boolean> => {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (parent !== '') {
      if (!known.has(parent)) known.set(parent, isLink(parent));
      if (await known.get(parent)) return true;
    }
    const found = await vscode.workspace.fs.stat(vscode.Uri.joinPath(folder, path)).then(undefined, () => undefined);
    return found !== undefined && (found.type & vscode.FileType.SymbolicLink) !== 0;
  };
  return isLink;
}

/** What the saved files said is true whatever becomes of these: where JavaScript cannot read the pattern, they are passed over. */
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

/** Finding and searching where ripgrep cannot go: virtual and remote file systems, and documents that are not saved. */
import picomatch from 'picomatch';
import * as vscode from 'vscode';
import { decodeText } from '../../workspace/content.ts';
import type { SearchQuery } from '../../workspace/types.ts';

type Hit = { path: string; line: number; text: string };

const MAX_BYTES = 2_000_000;

export async function findInFolder(folder: vscode.Uri, include: string | undefined, limit: number, signal: AbortSignal): Promise<string[]> {
  const source = new vscode.CancellationTokenSource();
  const stop = () => source.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const pattern = new vscode.RelativePattern(folder, asGlob(include));
    const uris = await vscode.workspace.findFiles(pattern, undefined, limit, source.token);
    const base = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
    return uris.map((uri) => uri.path.slice(base.length)).sort();
  } finally {
    signal.removeEventListener('abort', stop);
    source.dispose();
  }
}

export async function* searchInFolder(folder: vscode.Uri, query: SearchQuery, signal: AbortSignal): AsyncGenerator<Hit> {
  const matches = matcher(query);
  for (const path of await findInFolder(folder, query.include, 20_000, signal)) {
    signal.throwIfAborted();
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, path)).then(undefined, () => undefined);
    const text = bytes && bytes.length <= MAX_BYTES ? decodeText(bytes) : undefined;
    if (text !== undefined) yield* matchingLines(path, text, matches);
  }
}

export function* searchDocuments(documents: ReadonlyMap<string, vscode.TextDocument>, query: SearchQuery): Generator<Hit> {
  if (documents.size === 0) return;
  const matches = matcher(query);
  const included = query.include ? picomatch(asGlob(query.include), { dot: true }) : () => true;
  for (const [path, document] of documents) if (included(path)) yield* matchingLines(path, document.getText(), matches);
}

function* matchingLines(path: string, text: string, matches: RegExp): Generator<Hit> {
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (matches.test(line)) yield { path, line: index + 1, text: line.slice(0, 2_000) };
  }
}

function matcher({ pattern, regex, caseSensitive, wholeWord }: SearchQuery): RegExp {
  const source = regex ? pattern : pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(wholeWord ? `(?<!\\w)(?:${source})(?!\\w)` : source, caseSensitive ? 'u' : 'iu');
}

/** As ripgrep reads it: a glob without a slash matches at any depth. */
function asGlob(include: string | undefined): string {
  if (!include) return '**';
  return include.includes('/') ? include : `**/${include}`;
}

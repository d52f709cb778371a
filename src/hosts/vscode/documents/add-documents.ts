/** Lets the user choose what to add to a collection of documents, and its name. */
import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import type { CollectionSummary, Source } from '../../../documents/collections.ts';
import { expectName } from '../../../documents/store/definitions.ts';
import type { EditorDocuments } from './editor-documents.ts';
import { localFolders } from './local-folders.ts';

export type SourceChoice = 'folder' | 'files' | 'page';
type Addition = { collection: string; scope: CollectionSummary['scope']; sources: readonly Source[] };

/** With "below", the pages that are at most this many links away are added, and at most this many of them. */
const DEPTH = 3;
const PAGES = 100;

/** Lets the user choose the documents and the collection, and begins to index them. */
export async function addDocuments(
  documents: EditorDocuments,
  choice: SourceChoice | readonly vscode.Uri[],
  collection?: string,
): Promise<void> {
  expectTrusted();
  const collections = await (await documents.store()).listCollections();
  const addition = await askForDocuments(choice, collections, collection);
  if (!addition) return;
  await documents.define(addition.collection, addition.scope, addition.sources);
  void documents.update(addition.collection);
}

/** Adds the files and folders with which the command was called in the Explorer, or lets the user choose. */
export async function addFromCommand(documents: EditorDocuments, [uri, selected]: readonly unknown[]): Promise<void> {
  const uris = Array.isArray(selected) ? selected.filter((each) => each instanceof vscode.Uri) : [];
  if (uri instanceof vscode.Uri) return addDocuments(documents, uris.length > 0 ? uris : [uri]);
  const items = [
    { label: '$(folder) Folders', choice: 'folder' as const },
    { label: '$(file) Files', choice: 'files' as const },
    { label: '$(globe) Web Pages', choice: 'page' as const },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: 'Add Documents', placeHolder: 'Select what to add to a collection' });
  if (chosen) await addDocuments(documents, chosen.choice);
}

/** @throws SessionError in a workspace that is not trusted */
export function expectTrusted(): void {
  if (!vscode.workspace.isTrusted) throw new SessionError('This workspace is not trusted, so collections can only be searched in it.');
}

/** Returns undefined if the user cancels. `collection` names an existing collection, or a new one is named by the user. */
async function askForDocuments(
  choice: SourceChoice | readonly vscode.Uri[],
  collections: readonly CollectionSummary[],
  collection?: string,
): Promise<Addition | undefined> {
  const sources = typeof choice === 'string' ? await chooseSources(choice) : await sourcesOf(choice);
  const [first] = sources ?? [];
  if (!sources || !first) return undefined;
  const name = collection ?? (await askForName(proposedName(first, collections), collections));
  if (name === undefined) return undefined;
  const existing = collections.find((each) => each.name === name);
  const scope = existing?.scope ?? (await askForScope());
  return scope && { collection: name, scope, sources };
}

async function chooseSources(choice: SourceChoice): Promise<Source[] | undefined> {
  if (choice === 'page') return askForPage();
  const isFolder = choice === 'folder';
  const uris = await vscode.window.showOpenDialog({
    canSelectFolders: isFolder,
    canSelectFiles: !isFolder,
    canSelectMany: true,
    openLabel: 'Add',
    title: isFolder ? 'Add Folders of Documents' : 'Add Documents',
  });
  return uris && sourcesOf(uris);
}

/** @throws SessionError if a file is not on a disk */
async function sourcesOf(uris: readonly vscode.Uri[]): Promise<Source[]> {
  return Promise.all(
    uris.map(async ({ scheme, fsPath }): Promise<Source> => {
      if (scheme !== 'file')
        throw new SessionError('Only files and folders on a disk can be added. Copy them to a folder on this computer.');
      return { kind: (await stat(fsPath)).isDirectory() ? 'folder' : 'file', path: fsPath };
    }),
  );
}

async function askForPage(): Promise<Source[] | undefined> {
  const address = await vscode.window.showInputBox({
    title: 'Add Web Pages',
    prompt: 'Enter the address of a page, or of a list of pages such as llms.txt. The pages are fetched and indexed on this computer.',
    placeHolder: 'https://',
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === '' || addressOf(value) ? undefined : 'Enter an address that begins with https:// or http://.',
  });
  const url = address === undefined ? undefined : addressOf(address);
  if (!url) return undefined;
  const single = { label: 'Only this page', pages: { depth: 0, pages: 1 } };
  const below = { label: 'This page and the pages below it', detail: `At most ${PAGES} pages`, pages: { depth: DEPTH, pages: PAGES } };
  const chosen = await vscode.window.showQuickPick([single, below], { title: 'Add Web Pages', placeHolder: url.href });
  return chosen && [{ kind: 'url', url: url.href, ...chosen.pages }];
}

function addressOf(value: string): URL | undefined {
  const text = value.trim();
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = '';
  // An address with a password would be stored in the definition of the collection.
  return url.username || url.password ? undefined : url;
}

async function askForName(proposed: string, collections: readonly CollectionSummary[]): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: 'Name of the Collection',
    prompt: 'Enter a name. In a message, @ and the name limit the search to the collection.',
    value: proposed,
    ignoreFocusOut: true,
    validateInput: (value) => {
      const problem = nameProblem(value.trim());
      if (problem !== undefined) return problem;
      return collections.some((each) => each.name === value.trim())
        ? { message: 'The documents will be added to this collection.', severity: vscode.InputBoxValidationSeverity.Info }
        : undefined;
    },
  });
  return name?.trim() || undefined;
}

function nameProblem(name: string): string | undefined {
  try {
    expectName(name);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Without a folder, a collection belongs to all workspaces. */
async function askForScope(): Promise<CollectionSummary['scope'] | undefined> {
  if (localFolders().folders.length === 0) return 'global';
  const items = [
    { label: 'This workspace', scope: 'workspace' as const },
    { label: 'All workspaces', scope: 'global' as const },
  ];
  return (
    await vscode.window.showQuickPick(items, { title: 'Where to Use the Collection', placeHolder: 'Select where runs can search it' })
  )?.scope;
}

/** Makes a name from a path or an address, which no collection has. */
export function proposedName(source: Source, collections: readonly { name: string }[]): string {
  const last = source.kind === 'url' ? new URL(source.url).hostname.replace(/^www\./, '') : (source.path.split(/[\\/]/).at(-1) ?? '');
  const plain = (source.kind === 'file' ? last.replace(/\.[^.]*$/, '') : last)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-._]+|[-.]+$/g, '')
    .slice(0, 50);
  const base = nameProblem(plain) === undefined ? plain : 'documents';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!collections.some((each) => each.name === name)) return name;
  }
}

/** Opens the place that an answer cites: a file at its line, a PDF or Office document as text at its page, or a web page in the browser. */
import * as vscode from 'vscode';
import { type CitedPlace, citedPlace } from '../../../documents/citations.ts';
import { type CollectionSummary, type DocumentCollections, NotInCollection } from '../../../documents/collections.ts';
import { formatOfName } from '../../../documents/names.ts';
import { fileOfDocument } from '../../node/documents/document-file.ts';
import { localFolders } from './local-folders.ts';

export const SCHEME = 'kedge-document';
const SUFFIX = '.txt';
/** These formats cannot be shown at a place by an editor. */
const SHOWN_AS_TEXT = new Set(['pdf', 'docx', 'pptx', 'xlsx']);

/** Returns true if the text names a document of a collection, such as `[handbook/guide.md:12-18]`, and opens it. */
export async function openCited(text: string, store: DocumentCollections): Promise<boolean> {
  const collections = await store.listCollections();
  for (const cited of citedPlace(text)) {
    const collection = collections.find(({ name }) => name === cited.collection);
    if (!collection || !(await hasDocument(store, cited))) continue;
    await openDocument(cited, collection, store);
    return true;
  }
  return false;
}

async function hasDocument(store: DocumentCollections, { collection, document }: CitedPlace): Promise<boolean> {
  const { documents } = await store.listDocuments(collection, { path: document });
  return documents.some(({ key }) => key === document);
}

/** The document must be in the collection. */
export async function openDocument(cited: CitedPlace, { sources }: CollectionSummary, store: DocumentCollections): Promise<void> {
  const { collection, document, place } = cited;
  if (/^https?:/.test(document)) {
    // VS Code asks before it opens an address.
    await vscode.env.openExternal(vscode.Uri.parse(document, true));
    return;
  }
  const file = fileOfDocument(document, sources, localFolders());
  const format = formatOfName(document) ?? '';
  if (file === undefined || SHOWN_AS_TEXT.has(format)) return openText(cited, store);
  if (format === 'notebook') await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
  else await show(vscode.Uri.file(file), Number(/^\d+/.exec(place)?.[0] ?? 1) - 1, collection);
}

/** Shows what Kedge has read of a document. */
async function openText(cited: CitedPlace, store: DocumentCollections): Promise<void> {
  const { collection, document } = cited;
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${collection}/${document}${SUFFIX}` });
  await show(uri, await lineOf(cited, store), collection);
}

/** Returns the line of a page, slide or sheet in the text of its document, from 0. */
async function lineOf(cited: CitedPlace, store: DocumentCollections): Promise<number> {
  const { collection, document } = cited;
  try {
    const { text } = await store.content(collection, document, { end: await startOf(cited, store) });
    return text.split('\n').length - 1;
  } catch (error) {
    // The document has no such page, or no text. The editor then says why.
    if (error instanceof NotInCollection) return 0;
    throw error;
  }
}

async function startOf({ collection, document, place }: CitedPlace, store: DocumentCollections): Promise<number> {
  const page = Number(/^[ps](\d+)$/.exec(place)?.[1] ?? 0);
  if (page > 0) return (await store.content(collection, document, { pages: { from: page, to: page } })).start;
  const sheet = /^(.*?)(?:!\d+(?:-\d+)?)?$/.exec(place)?.[1];
  const outline = sheet ? await store.outline(collection, document) : [];
  return outline.find((entry) => entry.place.sheet === sheet)?.start ?? 0;
}

async function show(uri: vscode.Uri, line: number, collection: string): Promise<void> {
  try {
    const at = new vscode.Position(line, 0);
    const editor = await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(at, at) });
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.AtTop);
  } catch {
    throw new Error(`${uri.path.slice(1)} could not be opened. Update the collection ${collection}, and try again.`);
  }
}

/** Returns the text of a document for the read-only editor. */
export async function textOf({ path }: vscode.Uri, store: DocumentCollections): Promise<string> {
  const [, collection = '', document = ''] = /^\/([^/]+)\/(.*)$/s.exec(path) ?? [];
  try {
    return (await store.content(collection, document.slice(0, -SUFFIX.length))).text;
  } catch (error) {
    if (error instanceof NotInCollection) return error.message;
    throw error;
  }
}

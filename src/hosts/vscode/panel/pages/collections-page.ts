/** The page about collections of documents: adding, updating and removing them, and what could not be read. */
import * as vscode from 'vscode';
import { templateText } from '../../../../app/reading/templates.ts';
import { SessionError } from '../../../../app/session/session-error.ts';
import type { CollectionSummary, DocumentSummary, Source } from '../../../../documents/collections.ts';
import type {
  CollectionEntry,
  DocumentEntry,
  DocumentFilterName,
  DocumentList,
  DocumentsPage,
} from '../../../../protocol/documents-page.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import { addDocuments, expectTrusted } from '../../documents/add-documents.ts';
import type { EditorDocuments } from '../../documents/editor-documents.ts';
import { openDocument } from '../../documents/open-source.ts';
import { notificationText } from '../../notification-text.ts';
import { DocumentSearch } from './document-search.ts';
import type { Page, PagePorts } from './page.ts';

type Request = RequestOf<'documents'>;

/** The number of documents that the page lists. */
const MAX_LISTED = 500;
/** The progress changes with every document, which is too often for the page. */
const RENEW_MS = 100;

export function documentsPage(ports: PagePorts<'documents'>): Page<'documents'> {
  return new Documents(ports);
}

class Documents implements Page<'documents'> {
  readonly #ports: PagePorts<'documents'>;
  readonly #documents: Promise<EditorDocuments>;
  readonly #watches: vscode.Disposable[];
  /** The collections whose documents are listed. */
  readonly #lists = new Map<string, DocumentFilterName>();
  readonly #search: DocumentSearch;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(ports: PagePorts<'documents'>) {
    const { kedge } = ports;
    this.#ports = ports;
    this.#documents = kedge.documents();
    this.#search = new DocumentSearch(
      async () => (await this.#documents).store(),
      () => this.post(),
    );
    const renew = () => this.#renew();
    this.#watches = [kedge.onDidChange(renew), vscode.workspace.onDidChangeWorkspaceFolders(renew)];
    void this.#documents.then((documents) => {
      if (!this.#isDisposed) this.#watches.push(documents.onDidChange(renew));
    });
  }

  #renew(): void {
    if (this.#isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.post().catch(console.error);
    }, RENEW_MS);
  }

  async post(): Promise<void> {
    const documents = await this.#documents;
    const store = await documents.store();
    const collections = await Promise.all(
      (await store.listCollections()).map(async (collection): Promise<CollectionEntry> => {
        const { name } = collection;
        const list = await this.#listOf(name);
        const [progress, result] = [documents.progressOf(name), documents.resultOf(name)];
        return { ...entryOf(collection), ...(progress && { progress }), ...(result && { result }), ...(list && { list }) };
      }),
    );
    const { found } = this.#search;
    if (!this.#isDisposed) this.#ports.post({ collections, ...surroundings(), ...(found && { found }) });
  }

  async #listOf(collection: string): Promise<DocumentList | undefined> {
    const filter = this.#lists.get(collection);
    if (!filter) return undefined;
    const store = await (await this.#documents).store();
    const { documents, total } = await store.listDocuments(collection, filter === 'failed' ? { state: 'failed' } : {}, MAX_LISTED);
    return { filter, documents: documents.map(documentEntry), total };
  }

  async handle(request: Request): Promise<void> {
    const documents = await this.#documents;
    switch (request.type) {
      case 'add_documents':
        return addDocuments(documents, request.source, request.collection);
      case 'update_collection':
        expectTrusted();
        void documents.update(request.collection);
        return;
      case 'cancel_update':
        return documents.cancel(request.collection);
      case 'remove_collection':
        return this.#remove(request.collection);
      case 'list_documents':
        if (request.filter) this.#lists.set(request.collection, request.filter);
        else this.#lists.delete(request.collection);
        return this.post();
      case 'open_document': {
        const store = await documents.store();
        const { collection, document, place = '' } = request;
        return openDocument({ collection, document, place }, await this.#collection(collection), store);
      }
      case 'search_documents':
        return this.#search.search(request.words);
      case 'use_template':
        return this.#useTemplate(request);
    }
  }

  async #collection(name: string): Promise<CollectionSummary> {
    const collections = await (await (await this.#documents).store()).listCollections();
    const collection = collections.find((each) => each.name === name);
    if (!collection) throw new SessionError(`The collection ${name} was removed.`);
    return collection;
  }

  async #remove(name: string): Promise<void> {
    const { documents } = await this.#collection(name);
    const remove = 'Remove';
    const text = `Remove the collection ${name}? Its index of ${documents} ${documents === 1 ? 'document' : 'documents'} is deleted. The documents themselves are not changed.`;
    if ((await vscode.window.showWarningMessage(notificationText(text), { modal: true }, remove)) !== remove) return;
    await (await this.#documents).remove(name);
    this.#lists.delete(name);
    await this.post();
  }

  async #useTemplate({ template, collection, document }: Extract<Request, { type: 'use_template' }>): Promise<void> {
    const first = document === undefined ? [] : [`${collection}/${document}`];
    const second = template === 'compare' ? await this.#chooseOther(collection, document) : undefined;
    if (template === 'compare' && second === undefined) return;
    const documents = [...first, ...(second ?? [])];
    this.#ports.send({ type: 'compose', text: templateText(template, { collection, documents }) });
    this.#ports.send({ type: 'add_mention', ref: { kind: 'collection', path: collection } });
  }

  /** Asks for the documents of a comparison that are not known yet. */
  async #chooseOther(collection: string, document: string | undefined): Promise<string[] | undefined> {
    const store = await (await this.#documents).store();
    const { documents } = await store.listDocuments(collection, { state: 'ready' });
    const others = documents.filter(({ key }) => key !== document);
    if (others.length + (document === undefined ? 0 : 1) < 2)
      throw new SessionError(`The collection ${collection} has no second document that can be read.`);
    const items = others.map(({ key, title }) => ({ label: key, description: title === key ? '' : title }));
    const placeHolder = document === undefined ? 'Select two documents' : `Select the document to compare with ${document}`;
    const options = { title: 'Compare Documents', placeHolder, matchOnDescription: true };
    const chosen =
      document === undefined
        ? await vscode.window.showQuickPick(items, { ...options, canPickMany: true })
        : [await vscode.window.showQuickPick(items, options)].filter((each) => each !== undefined);
    if (!chosen || chosen.length === 0) return undefined;
    if (document === undefined && chosen.length !== 2) throw new SessionError('Select exactly two documents to compare.');
    return chosen.map(({ label }) => `${collection}/${label}`);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#search.stop();
    clearTimeout(this.#timer);
    for (const watch of this.#watches) watch.dispose();
  }
}

/** Returns what can be done in this window. */
function surroundings(): Pick<DocumentsPage, 'notes' | 'canAdd' | 'needsTrust'> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  const { remoteName } = vscode.env;
  const notes = [
    !isTrusted && 'This workspace is not trusted. Runs can search the collections, but nothing can be added or updated here.',
    isTrusted && workspaceFolders.length === 0 && 'No folder is open, so a new collection is for all workspaces.',
    isTrusted &&
      workspaceFolders.some(({ uri }) => uri.scheme !== 'file') &&
      'The files of this workspace are not on a disk, so they cannot be added. Folders on the computer and web pages can.',
    remoteName !== undefined && `Documents are read and stored on the remote computer (${remoteName}).`,
  ];
  return { notes: notes.filter((note) => note !== false), canAdd: isTrusted, ...(!isTrusted && { needsTrust: true as const }) };
}

function entryOf({ name, scope, isFromNetwork, documents, failed, todo, sources }: CollectionSummary): CollectionEntry {
  return { name, isGlobal: scope === 'global', isFromNetwork, documents, failed, todo, sources: sources.map(sourceText) };
}

function sourceText(source: Source): string {
  if (source.kind === 'url') return source.pages > 1 ? `${source.url} and pages below` : source.url;
  return source.kind === 'glob' ? `${source.path}/${source.glob}` : source.path;
}

function documentEntry({ key, title, state, message, notes }: DocumentSummary): DocumentEntry {
  return { key, title, state, notes, ...(state === 'failed' && message !== undefined && { problem: message }) };
}

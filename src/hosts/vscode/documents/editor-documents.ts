/** The collections of documents in the editor: what runs read, and the updates that the user started in this window. */
import * as vscode from 'vscode';
import { breaks } from '../../../core/breaks.ts';
import type { Source } from '../../../documents/collections.ts';
import type { Embedder } from '../../../documents/embeddings/embedder.ts';
import { reportText, type UpdatePorts } from '../../../documents/store/sources.ts';
import type { DocumentStore } from '../../../documents/store/store.ts';
import { Collections, collectionDirectories } from '../../node/documents/collections.ts';
import { sourcePorts } from '../../node/documents/ports.ts';
import type { Models } from '../models/models.ts';
import { notificationText } from '../notification-text.ts';
import { readPolicy } from '../settings/policy-settings.ts';
import { editorEmbedder } from './embedder.ts';
import { localFolders } from './local-folders.ts';

type Storage = { readonly storage: string; readonly sharedStorage: string; readonly models: Pick<Models, 'configOf' | 'facts'> };

/** An update in progress. `todo` is missing until the sources have been listed. */
export type UpdateProgress = { done: number; todo?: number };
export type UpdateResult = { text: string; problems: readonly string[] };

/** The progress changes with every document, and each report is a message to the window. */
const PROGRESS_MS = 100;

export class EditorDocuments implements vscode.Disposable {
  readonly collections: Collections;
  readonly #updates = new Map<string, UpdateProgress & { abort: AbortController; ended: Promise<void> }>();
  readonly #results = new Map<string, UpdateResult>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires when a collection or an update has changed. */
  readonly onDidChange = this.#changed.event;

  constructor({ storage, sharedStorage, models }: Storage) {
    this.collections = new Collections(collectionDirectories(storage, sharedStorage), () => editorEmbedder(models));
  }

  store(): Promise<DocumentStore> {
    return this.collections.store();
  }

  progressOf(collection: string): UpdateProgress | undefined {
    const update = this.#updates.get(collection);
    return update && { done: update.done, ...(update.todo !== undefined && { todo: update.todo }) };
  }

  resultOf(collection: string): UpdateResult | undefined {
    return this.#results.get(collection);
  }

  /** Call this when a collection was added. */
  changed(): void {
    this.#changed.fire();
  }

  /** Reads what has changed in the sources of a collection. Resolves when that has ended, also if it failed or was cancelled. */
  update(collection: string): Promise<void> {
    const running = this.#updates.get(collection);
    if (running) return running.ended;
    const abort = new AbortController();
    const progress: UpdateProgress = { done: 0 };
    let shownAt = 0;
    const ended = Promise.resolve(
      vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: `Kedge: Indexing ${collection}` }, (shown) =>
        this.#update(collection, abort.signal, (done, todo) => {
          Object.assign(update, { done, todo });
          if (performance.now() - shownAt < PROGRESS_MS) return;
          shownAt = performance.now();
          shown.report({ message: `${done} of ${todo}` });
          this.#changed.fire();
        }),
      ),
    ).then((result) => {
      this.#updates.delete(collection);
      this.#results.set(collection, result);
      this.#changed.fire();
    });
    const update = { ...progress, abort, ended };
    this.#updates.set(collection, update);
    this.#results.delete(collection);
    this.#changed.fire();
    return ended;
  }

  async #update(collection: string, signal: AbortSignal, notify: (done: number, todo: number) => void): Promise<UpdateResult> {
    try {
      const store = await this.store();
      const report = await store.update(collection, this.#ports(), {
        signal,
        notify: (event) => event.type !== 'problem' && notify(event.type === 'listed' ? 0 : event.done, event.todo),
      });
      const embeddings = await this.#embed(collection, signal, notify);
      return {
        text: [reportText(report), embeddings?.problem ? '' : embeddings?.text].filter(Boolean).join(' '),
        problems: [...report.problems, ...(embeddings?.problem ? [embeddings.text] : [])],
      };
    } catch (error) {
      if (signal.aborted) return { text: 'Cancelled. Update the collection to continue.', problems: [] };
      return { text: '', problems: [`The update failed: ${(error as Error).message}`] };
    }
  }

  /** Computes the embeddings that are missing, if the user has configured a model for them and agrees to the cost. */
  async #embed(collection: string, signal: AbortSignal, notify: (done: number, todo: number) => void) {
    let embedder: Embedder | undefined;
    try {
      embedder = await this.collections.embedder();
    } catch (error) {
      return { text: `No embeddings were computed. ${(error as Error).message}`, problem: true };
    }
    if (!embedder) return undefined;
    const { costText, embeddingText } = await import('../../../documents/embeddings/cost.ts');
    const report = await (await this.store()).embed(collection, embedder, {
      signal,
      notify: (event) => event.type === 'embedding' && notify(event.done, event.todo),
      async confirm(cost) {
        const compute = 'Compute Embeddings';
        const options = { modal: true, detail: notificationText(costText(cost)) };
        const title = `Compute embeddings for ${collection}?`;
        return (await vscode.window.showInformationMessage(notificationText(title), options, compute)) === compute;
      },
    });
    if (report.embedded + report.todo === 0) return undefined;
    return { text: embeddingText(report, 'Update the collection to continue.'), problem: report.problem !== undefined };
  }

  #ports(): UpdatePorts {
    const { list, ...ports } = sourcePorts(localFolders(), readPolicy().rules);
    return { ...ports, list: (...given) => inSlices(list(...given)) };
  }

  /** Returns the text of a document for the read-only editor. */
  async textOf(uri: vscode.Uri): Promise<string> {
    return (await import('./open-source.ts')).textOf(uri, await this.store());
  }

  cancel(collection: string): void {
    this.#updates.get(collection)?.abort.abort();
  }

  /** Adds sources to a collection, which is created if it does not exist. @throws CollectionError */
  async define(collection: string, scope: 'workspace' | 'global', sources: readonly Source[]): Promise<void> {
    (await this.store()).define(collection, scope, sources);
    this.#changed.fire();
  }

  /** An update of the collection in this window is cancelled first. @throws CollectionBusy if another process updates the collection */
  async remove(collection: string): Promise<void> {
    this.cancel(collection);
    await this.#updates.get(collection)?.ended;
    await (await this.store()).remove(collection);
    this.#results.delete(collection);
    this.#changed.fire();
  }

  dispose(): void {
    for (const { abort } of this.#updates.values()) abort.abort();
    void Promise.all([...this.#updates.values()].map(({ ended }) => ended)).then(() => this.collections.close());
    this.#changed.dispose();
  }
}

/** Listing many files would otherwise block the other extensions of the window. */
async function* inSlices<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  const pause = breaks();
  for await (const each of all) {
    await pause();
    yield each;
  }
}

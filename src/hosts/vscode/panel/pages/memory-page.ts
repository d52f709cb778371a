/** The memory page: it lists the entries, which can be deleted, restored, and opened in their file. */
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { SessionError } from '../../../../app/session/session-error.ts';
import { type MemoryEntry, memoryEntries } from '../../../../core/words/memory-list.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import { type MemoryScope, SCOPES } from '../../../../tools/remember.ts';
import { insertLine, removeEntry } from '../../../node/memory-edits.ts';
import { memoryOf, openMemoryAt } from '../../memory.ts';
import type { Page, PagePorts } from './page.ts';

/** The maximum number of entries that are shown, newest first. */
const MAX_ENTRIES = 500;

export function memoryPage({ kedge, post }: PagePorts<'memory'>): Page<'memory'> {
  return new MemoryPage(kedge, post);
}

class MemoryPage implements Page<'memory'> {
  readonly #kedge: PagePorts<'memory'>['kedge'];
  readonly #post: PagePorts<'memory'>['post'];
  readonly #watcher: vscode.Disposable;
  #deleted: { scope: MemoryScope; line: number; raw: string; text: string } | undefined;

  constructor(kedge: PagePorts<'memory'>['kedge'], post: PagePorts<'memory'>['post']) {
    this.#kedge = kedge;
    this.#post = post;
    this.#watcher = this.#watch();
  }

  async handle(request: RequestOf<'memory'>): Promise<void> {
    switch (request.type) {
      case 'open_memory':
        return openMemoryAt(this.#kedge, request.scope, request.line);
      case 'delete_memory':
        this.#delete(request.scope, request.entry);
        return this.post();
      case 'restore_memory':
        this.#restore();
        return this.post();
    }
  }

  async post(): Promise<void> {
    const memory = memoryOf(this.#kedge);
    const lists = await Promise.all(
      SCOPES.map(async (scope) => ({ scope, entries: memoryEntries(await memory.read(scope)).slice(-MAX_ENTRIES) })),
    );
    const deleted = this.#deleted;
    this.#post({ lists, ...(deleted && { deleted: { scope: deleted.scope, text: deleted.text } }) });
  }

  #delete(scope: MemoryScope, entry: MemoryEntry): void {
    this.#expectSaved(scope);
    const removed = removeEntry(memoryOf(this.#kedge).path(scope), entry);
    if (!removed) throw new SessionError('This entry is no longer in the memory.');
    this.#deleted = { ...removed, scope, text: entry.text };
  }

  #restore(): void {
    const deleted = this.#deleted;
    if (!deleted) return;
    this.#expectSaved(deleted.scope);
    insertLine(memoryOf(this.#kedge).path(deleted.scope), deleted);
    this.#deleted = undefined;
  }

  /** @throws SessionError if the memory file has unsaved changes in an editor, because a change on disk would conflict with them. */
  #expectSaved(scope: MemoryScope): void {
    const path = memoryOf(this.#kedge).path(scope);
    if (vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.fsPath === path))
      throw new SessionError('The file of this memory has unsaved changes. Save it first.');
  }

  /** Watches the files with Node, because VS Code's own watchers do not report files in an extension's storage. */
  #watch(): vscode.Disposable {
    const memory = memoryOf(this.#kedge);
    const watchers = SCOPES.map((scope) => {
      const path = memory.path(scope);
      const watcher = watch(dirname(path), (_, name) => {
        if (name === basename(path)) void this.post();
      });
      // If the folder can no longer be watched, the list still works, but is not updated automatically.
      return watcher.on('error', () => watcher.close());
    });
    return new vscode.Disposable(() => {
      for (const watcher of watchers) watcher.close();
    });
  }

  dispose(): void {
    this.#watcher.dispose();
  }
}

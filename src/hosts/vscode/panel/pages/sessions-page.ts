/**
 * The sessions page: sessions can be found, shown, renamed, pinned, deleted and restored. Sessions of other workspaces can be found only by
 * their title and workspace, and are opened in their own window.
 */
import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { SessionElsewhere } from '../../../../app/library/elsewhere.ts';
import type { Library } from '../../../../app/library/library.ts';
import { SessionError } from '../../../../app/session/session-error.ts';
import { isDurable } from '../../../../core/session/events.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import type { SessionEntry, SessionLine, SessionsFound } from '../../../../protocol/sessions-page.ts';
import type { SessionInfo } from '../../../../sessions/session-list.ts';
import { modelName } from '../../models/model-label.ts';
import { openElsewhere } from './open-elsewhere.ts';
import type { Page, PagePorts } from './page.ts';

/** How long changes are collected before the list is sent again. */
const COLLECT_MS = 200;
const MIN_SEARCH = 3;
/** How often the sessions of other workspaces are listed again while they are shown. Their folders are not watched. */
const LOOK_MS = 5_000;

export function sessionsPage({ kedge, post }: PagePorts<'sessions'>): Page<'sessions'> {
  return new SessionsPage(kedge, post);
}

class SessionsPage implements Page<'sessions'> {
  readonly #kedge: PagePorts<'sessions'>['kedge'];
  readonly #send: PagePorts<'sessions'>['post'];
  readonly #disposables: vscode.Disposable[];
  #library: Promise<Library> | undefined;
  #deleted: { id: string; title: string; wasShown: boolean } | undefined;
  #found: SessionsFound | undefined;
  #search = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** The sessions of other workspaces, if they are listed. */
  #elsewhere: readonly SessionElsewhere[] | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(kedge: PagePorts<'sessions'>['kedge'], send: PagePorts<'sessions'>['post']) {
    this.#kedge = kedge;
    this.#send = send;
    const soon = () => this.#postSoon();
    this.#disposables = [
      new vscode.Disposable(kedge.assistant.watch((_, event) => isDurable(event) && soon())),
      kedge.sessions.onDidChange(soon),
      watchFolder(join(kedge.storage, 'sessions'), soon),
    ];
  }

  async handle(request: RequestOf<'sessions'>): Promise<void> {
    const { sessions } = this.#kedge;
    const library = await this.#load();
    switch (request.type) {
      case 'show_session':
        return sessions.show(await sessions.byId(request.id));
      case 'rename_session':
        await library.rename(request.id, request.title);
        break;
      case 'pin_session':
        await library.pin(request.id, request.pinned);
        break;
      case 'delete_session':
        await this.#delete(library, request.id);
        break;
      case 'restore_session':
        await this.#restore(library, request.id);
        break;
      case 'search_sessions':
        return this.#find(library, request.words.trim());
      case 'choose_workspaces':
        await this.#choose(library, request.everywhere);
        break;
      case 'open_elsewhere':
        return this.#open(library, request);
    }
    await this.post();
  }

  async #choose(library: Library, everywhere: boolean): Promise<void> {
    clearInterval(this.#looking);
    this.#elsewhere = everywhere ? await library.elsewhere() : undefined;
    if (this.#isDisposed || !everywhere) return;
    const look = async () => {
      const found = await library.elsewhere();
      if (this.#elsewhere) this.#elsewhere = found;
      this.#postSoon();
    };
    this.#looking = setInterval(() => void look().catch(console.error), LOOK_MS);
  }

  async #open(library: Library, { id, key }: { id: string; key: string }): Promise<void> {
    const session = (await library.elsewhere()).find((each) => each.id === id && each.key === key);
    if (!session) throw new SessionError('This session no longer exists. Open another session.');
    await openElsewhere(session, join(this.#kedge.sharedStorage, 'workspaces', key));
  }

  async post(): Promise<void> {
    const { shownId } = this.#kedge.sessions;
    const listed = await (await this.#load()).list();
    if (this.#isDisposed) return;
    const elsewhere = this.#elsewhere;
    const { folders } = this.#kedge;
    const own = listed.map((info) => ({
      ...entryOf(info, shownId),
      ...(elsewhere && { workspace: { name: info.workspace, folders } }),
    }));
    const others = (elsewhere ?? []).map((info) => ({
      ...entryOf(info),
      workspace: { key: info.key, name: info.workspace, folders: info.folders },
    }));
    const entries = others.length > 0 ? [...own, ...others].sort((a, b) => b.changedAt - a.changedAt) : own;
    const deleted = this.#deleted;
    this.#send({
      sessions: entries.toSorted((a, b) => Number(b.isPinned ?? false) - Number(a.isPinned ?? false)),
      ...(elsewhere && { everywhere: true as const }),
      ...(this.#found && { found: this.#found }),
      ...(deleted && { deleted: { id: deleted.id, title: deleted.title } }),
    });
  }

  #load(): Promise<Library> {
    this.#library ??= this.#kedge.assistant.library();
    return this.#library;
  }

  #postSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.post().catch(console.error);
    }, COLLECT_MS);
  }

  async #delete(library: Library, id: string): Promise<void> {
    const { assistant, sessions } = this.#kedge;
    const title = (await library.list()).find((info) => info.id === id)?.title ?? '';
    const wasShown = sessions.shownId === id;
    library.remove(id);
    this.#deleted = { id, title, wasShown };
    if (wasShown) await sessions.show(await assistant.newSession());
  }

  async #restore(library: Library, id: string): Promise<void> {
    const { sessions } = this.#kedge;
    library.restore(id);
    if (this.#deleted?.id === id && this.#deleted.wasShown) await sessions.show(await sessions.byId(id));
    this.#deleted = undefined;
  }

  async #find(library: Library, words: string): Promise<void> {
    this.#search.abort();
    this.#found = undefined;
    if (words.length < MIN_SEARCH) return;
    this.#search = new AbortController();
    const { signal } = this.#search;
    const ids = new Set<string>();
    const lines: SessionLine[] = [];
    const keep = (isComplete: boolean) => {
      this.#found = { words, ids: [...ids], lines: [...lines], isComplete };
    };
    try {
      for await (const { session, line, from } of library.search(words, signal)) {
        if (signal.aborted) return;
        if (ids.has(session.id)) continue;
        ids.add(session.id);
        if (line !== undefined && from) lines.push({ sessionId: session.id, line, from });
        keep(false);
        this.#postSoon();
      }
      if (signal.aborted) return;
      keep(true);
      await this.post();
    } catch (error) {
      // If a newer search has replaced this one, its errors are not reported.
      if (!signal.aborted) throw error;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#search.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function entryOf(
  { id, title, status, changedAt, mode, model, agent, isPinned, parent, isImported }: SessionInfo,
  shownId?: string,
): SessionEntry {
  return {
    id,
    title,
    status,
    changedAt,
    ...(mode && { mode }),
    ...(model && { model: modelName(model) }),
    ...(agent && { agent }),
    ...(isPinned && { isPinned }),
    ...(id === shownId && { isShown: true }),
    ...(parent && { isFork: true }),
    ...(isImported && { isImported }),
  };
}

/** Sessions can change in another window or in the terminal. */
function watchFolder(folder: string, onChange: () => void): vscode.Disposable {
  mkdirSync(folder, { recursive: true });
  const watcher = watch(folder, (_, name) => {
    if (name?.endsWith('.jsonl') !== false) onChange();
  });
  // If the folder can no longer be watched, the list still works, but is not updated automatically.
  watcher.on('error', () => watcher.close());
  return new vscode.Disposable(() => watcher.close());
}

/** Shows the list of sessions, in which the user finds, opens, pins, renames and deletes sessions. */
import * as vscode from 'vscode';
import type { SessionHit } from '../../app/library/search.ts';
import { MODE_NAME } from '../../core/session/events.ts';
import type { SessionInfo } from '../../sessions/session-list.ts';
import type { Kedge } from './kedge.ts';
import { notificationText } from './notification-text.ts';
import type { Panel } from './panel/panel.ts';

type Sources = Pick<Kedge, 'assistant' | 'sessions'>;
type Item = vscode.QuickPickItem & { info?: SessionInfo };

const PIN: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('pin'), tooltip: 'Pin Session' };
const UNPIN: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('pinned'), tooltip: 'Unpin Session' };
const RENAME: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Rename Session…' };
const DELETE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Delete Session' };

const ICON = { running: 'sync', waiting: 'bell', paused: 'debug-pause', failed: 'error', done: 'comment-discussion' } as const;
const STATE = { running: 'running', waiting: 'waiting for you', paused: 'paused', failed: 'failed', done: undefined } as const;
/** The shortest text that is searched in the messages and results of sessions. */
const MIN_SEARCH = 3;
const MAX_HITS = 30;

export async function openSession(kedge: Sources, panel: Panel): Promise<void> {
  const list = vscode.window.createQuickPick<Item>();
  list.title = 'Kedge: Open Session';
  list.placeholder = 'Select a session to open, or type words from its messages and results';
  list.matchOnDescription = true;
  const library = await kedge.assistant.library();
  let sessions: Item[] = [];
  let search = new AbortController();

  const fill = async () => {
    const currentId = (await kedge.sessions.current()).id;
    const infos = await library.list();
    const pinnedFirst = infos.toSorted((a, b) => Number(b.isPinned ?? false) - Number(a.isPinned ?? false));
    sessions = pinnedFirst.map((info) => itemOf(info, info.id === currentId));
    list.items = sessions;
    if (sessions.length === 0) list.placeholder = 'There are no sessions yet';
  };
  const find = async (words: string) => {
    search.abort();
    search = new AbortController();
    const { signal } = search;
    list.items = sessions;
    if (words.trim().length < MIN_SEARCH) return;
    const hits: Item[] = [];
    for await (const hit of library.search(words, signal)) {
      if (signal.aborted) return;
      if (hit.line !== undefined) hits.push(hitItem(hit));
      if (hits.length === MAX_HITS) break;
    }
    if (hits.length > 0 && !signal.aborted)
      list.items = [...sessions, { label: 'Messages and results', kind: vscode.QuickPickItemKind.Separator }, ...hits];
  };
  /** A dialog that a button opens hides the list, so the list is shown again afterwards. */
  const change = async (work: () => Promise<void>) => {
    list.ignoreFocusOut = true;
    try {
      await work();
      await fill();
    } catch (error) {
      void vscode.window.showWarningMessage(notificationText((error as Error).message));
    }
    list.ignoreFocusOut = false;
    list.show();
  };

  await fill();
  list.onDidChangeValue((words) => {
    find(words).catch((error) => {
      // A search ends with an error if the next one replaces it.
      if ((error as Error).name !== 'AbortError') void vscode.window.showWarningMessage(notificationText((error as Error).message));
    });
  });
  list.onDidTriggerItemButton(({ item: { info }, button }) => {
    if (!info) return;
    if (button === DELETE) return change(() => remove(kedge, info, fill));
    if (button === RENAME) return change(() => rename(info, (title) => library.rename(info.id, title)));
    return change(() => library.pin(info.id, button === PIN));
  });
  const chosen = await new Promise<Item | undefined>((resolve) => {
    list.onDidAccept(() => resolve(list.selectedItems[0]));
    list.onDidHide(() => {
      if (!list.ignoreFocusOut) resolve(undefined);
    });
    list.show();
  });
  search.abort();
  list.dispose();
  if (!chosen?.info) return;
  await kedge.sessions.show(await kedge.sessions.byId(chosen.info.id));
  await panel.reveal({ type: 'show_conversation' });
}

function itemOf(info: SessionInfo, isCurrent: boolean): Item {
  const { title, changedAt, status, mode, agent, model, isPinned } = info;
  const facts = [
    STATE[status],
    new Date(changedAt).toLocaleString(),
    mode && MODE_NAME[mode],
    agent,
    model?.model,
    isCurrent && 'current session',
  ];
  return {
    info,
    label: `$(${isPinned ? 'pinned' : ICON[status]}) ${title || 'Untitled'}`,
    description: facts.filter(Boolean).join(' · '),
    buttons: [isPinned ? UNPIN : PIN, RENAME, DELETE],
  };
}

function hitItem({ session, line = '' }: SessionHit): Item {
  // The words of the query may be scattered across the line. VS Code would hide such an item, because it searches for the whole query.
  return { info: session, label: `$(search) ${line}`, description: session.title || 'Untitled', alwaysShow: true };
}

async function rename({ title }: SessionInfo, save: (title: string) => Promise<void>): Promise<void> {
  const typed = await vscode.window.showInputBox({ title: 'Kedge: Rename Session', value: title, prompt: 'The title of the session' });
  if (typed?.trim()) await save(typed.trim());
}

/** Moves a session into the trash. @throws SessionError while a run or an undo is in progress in the session */
async function remove(kedge: Sources, { id, title }: SessionInfo, restored: () => Promise<void>): Promise<void> {
  const isCurrent = (await kedge.sessions.current()).id === id;
  await kedge.assistant.removeSession(id);
  if (isCurrent) await kedge.sessions.show(await kedge.assistant.newSession());
  const text = `The session "${title || 'Untitled'}" is in the trash. Files that it changed stay as they are.`;
  void vscode.window.showInformationMessage(notificationText(text), 'Undo').then(async (answer) => {
    if (answer !== 'Undo') return;
    (await kedge.assistant.library()).restore(id);
    if (isCurrent) await kedge.sessions.show(await kedge.sessions.byId(id));
    await restored();
  });
}

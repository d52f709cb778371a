/**
 * Shows the user what runs are doing while the panel is not visible: in the status bar item, with a badge and a progress bar on the view,
 * and with at most one notification at a time.
 */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import { type AgentEvent, isDurable, isSessionEvent } from '../../../core/session/events.ts';
import { isChatSession } from '../chat/chat-threads.ts';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';
import type { Panel } from '../panel/panel.ts';
import { type SessionStatus, statusOf } from './session-status.ts';
import type { StatusItem } from './status-item.ts';
import { tourStepOf } from './tour.ts';

/** The values of the `kedge.notifications` setting. */
type Level = 'all' | 'needed' | 'none';
type Call = Exclude<SessionStatus, { kind: 'idle' }>;

/** The kinds of status, the most urgent first. */
const URGENCY: readonly Call['kind'][] = ['waiting', 'failed', 'running', 'done'];

type Parts = { kedge: Kedge; panel: Panel; item: StatusItem };

export class Attention implements vscode.Disposable {
  readonly #kedge: Kedge;
  readonly #panel: Panel;
  readonly #item: StatusItem;
  /** The status of each session that is not idle, by session id. */
  readonly #calls = new Map<string, Call>();
  readonly #disposables: vscode.Disposable[];
  /** The notification that the user has not answered. */
  #told: object | undefined;
  #endProgress: (() => void) | undefined;

  constructor({ kedge, panel, item }: Parts) {
    this.#kedge = kedge;
    this.#panel = panel;
    this.#item = item;
    const look = () => this.#look();
    this.#disposables = [panel.onDidChangeVisibility(look), kedge.sessions.onDidChange(look)];
  }

  /** Call this for each event of a session. */
  follow(session: Session, event: AgentEvent): void {
    if (!isDurable(event) && event.type !== 'model_waiting') return;
    // Renaming or pinning a session does not change the status of its run.
    if (isSessionEvent(event)) return;
    const step = tourStepOf(session, event);
    if (step) void vscode.commands.executeCommand('setContext', `kedge.tour.${step}`, true);
    const before = this.#calls.get(session.id);
    const status = this.#statusOf(session);
    // An undo, for example, comes after the end of a run. It is no news of that end, which the user may have seen.
    if ((status.kind === 'failed' || status.kind === 'done') && event.type !== 'run_finished') return;
    this.#set(session.id, status);
    const isNew = status.kind !== before?.kind || (status.kind === 'waiting' && status.text !== before.text);
    if (isNew && status.kind !== 'idle' && status.kind !== 'running' && !isChatSession(this.#kedge, session)) this.#tell(session, status);
  }

  /** Notifies the user of sessions that were already waiting for an answer in an earlier window. */
  offer(sessions: readonly Session[]): void {
    const waiting = sessions.filter((session) => !session.running && !this.#isInSight(session.id) && statusOf(session).kind === 'waiting');
    for (const session of waiting) this.#set(session.id, statusOf(session));
    const [first] = waiting;
    if (first) this.#tell(first, statusOf(first) as Call);
  }

  /** Returns the status of a session. A run of the Chat that has ended counts as idle, because the Chat shows its end. */
  #statusOf(session: Session): SessionStatus {
    const status = statusOf(session);
    const isOver = !session.running || session.state.lastRun?.status === 'finished';
    return isOver && isChatSession(this.#kedge, session) ? { kind: 'idle' } : status;
  }

  #set(id: string, status: SessionStatus): void {
    const isSeen = (status.kind === 'failed' || status.kind === 'done') && this.#isInSight(id);
    if (status.kind === 'idle' || isSeen) this.#calls.delete(id);
    else this.#calls.set(id, status);
    this.#show();
  }

  #isInSight(id: string): boolean {
    return this.#panel.isVisible && this.#kedge.sessions.shownId === id;
  }

  /** Call this when the user views a session. The end of its run no longer needs a notification. */
  #look(): void {
    const id = this.#kedge.sessions.shownId;
    const call = id !== undefined && this.#isInSight(id) ? this.#calls.get(id) : undefined;
    if (this.#panel.isVisible) this.#told = undefined;
    if (id !== undefined && call) this.#set(id, call);
    else this.#show();
  }

  #show(): void {
    const calls = [...this.#calls].sort(([, a], [, b]) => URGENCY.indexOf(a.kind) - URGENCY.indexOf(b.kind));
    const [first] = calls;
    this.#item.show(first ? { status: first[1], sessionId: first[0] } : { status: { kind: 'idle' } });
    const unseen = calls.filter(([id, { kind }]) => kind !== 'running' && !this.#isInSight(id));
    this.#panel.setBadge(unseen.length, unseen[0]?.[1].text ?? '');
    const isRunning = calls.some(([, { kind }]) => kind === 'running');
    if (isRunning && !this.#endProgress) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#endProgress = resolve;
      void this.#panel.withProgress(promise);
    } else if (!isRunning) {
      this.#endProgress?.();
      this.#endProgress = undefined;
    }
  }

  #tell(session: Session, call: Call): void {
    const level = vscode.workspace.getConfiguration('kedge').get<Level>('notifications', 'all');
    if (level === 'none' || (level === 'needed' && call.kind === 'done')) return;
    if (this.#told || this.#isInSight(session.id)) return;
    const told = {};
    this.#told = told;
    const show = call.kind === 'failed' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    void show(notificationText(notificationOf(session, call)), 'Show').then(async (chosen) => {
      if (this.#told === told) this.#told = undefined;
      if (chosen) await vscode.commands.executeCommand('kedge.showInPanel', session.id);
    });
  }

  dispose(): void {
    this.#endProgress?.();
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function notificationOf({ state: { title: whole } }: Session, { kind, text }: Call): string {
  if (kind === 'waiting') return `Kedge is waiting for your answer: ${text}`;
  const title = whole.length <= 60 ? whole : `${whole.slice(0, 59)}…`;
  return kind === 'failed' ? `Kedge could not finish “${title}”: ${text}` : `Kedge has finished “${title}”.`;
}

/** The session that the panel shows, and access to other sessions by id. */
import * as vscode from 'vscode';
import type { Assistant } from '../../app/assistant.ts';
import type { Session } from '../../app/session/session.ts';
import { SessionError } from '../../app/session/session-error.ts';
import { notificationText } from './notification-text.ts';

const SESSION_KEY = 'kedge.session';

export class PanelSessions implements vscode.Disposable {
  readonly #assistant: Assistant;
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<Session>();
  /** Fires when the panel shows another session. */
  readonly onDidChange = this.#changed.event;
  readonly #warned = new WeakSet<Session>();
  #current: Promise<Session> | undefined;
  #shownId: string | undefined;

  constructor(assistant: Assistant, memory: vscode.Memento) {
    this.#assistant = assistant;
    this.#memory = memory;
  }

  /** Returns the session that the panel shows: the session that it showed before the reload, or a new session. */
  current(): Promise<Session> {
    this.#current ??= this.#restore().then((session) => {
      this.#shownId ??= session.id;
      return session;
    });
    return this.#current;
  }

  /** Returns the session that the panel shows, or undefined if there is none yet. Unlike `current`, it does not start a session. */
  async begun(): Promise<Session | undefined> {
    return this.#current || this.#memory.get(SESSION_KEY) !== undefined ? this.current() : undefined;
  }

  /** The id of the session that the panel shows, or undefined while no session was requested. */
  get shownId(): string | undefined {
    return this.#shownId;
  }

  async show(session: Session): Promise<void> {
    this.#current = Promise.resolve(session);
    this.#shownId = session.id;
    // The panel switches before the id is stored, because text that the user types is meant for the session that they see.
    this.#changed.fire(session);
    await this.#memory.update(SESSION_KEY, session.id);
  }

  async #restore(): Promise<Session> {
    const id = this.#memory.get<string>(SESSION_KEY);
    try {
      const session = id === undefined ? undefined : await this.#assistant.session(id);
      if (session) return session;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showWarningMessage(notificationText(`Kedge could not open the last session and started a new one: ${reason}`));
    }
    const session = await this.#assistant.newSession();
    await this.#memory.update(SESSION_KEY, session.id);
    return session;
  }

  /** Returns the session with this id. @throws SessionError if it no longer exists */
  async byId(id: string): Promise<Session> {
    const session = await this.#assistant.session(id);
    if (!session) throw new SessionError('This session no longer exists. Open another session.');
    return session;
  }

  /** Warns the user once that damaged lines of the session's log were skipped. */
  warnOfDamage(session: Session): void {
    if (!session.damage || this.#warned.has(session)) return;
    this.#warned.add(session);
    void vscode.window.showWarningMessage(notificationText(`Kedge session “${session.state.title}”: ${session.damage}`));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

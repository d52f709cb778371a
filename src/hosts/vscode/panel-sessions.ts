/** The sessions of the window: the one that the panel shows, and others by their id. */
import * as vscode from 'vscode';
import type { Assistant } from '../../app/assistant.ts';
import { type Session, SessionError } from '../../app/session/session.ts';

const SESSION_KEY = 'kedge.session';

export class PanelSessions implements vscode.Disposable {
  readonly #assistant: Assistant;
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<Session>();
  /** Another session is shown. */
  readonly onDidChange = this.#changed.event;
  readonly #warned = new WeakSet<Session>();
  #current: Promise<Session> | undefined;

  constructor(assistant: Assistant, memory: vscode.Memento) {
    this.#assistant = assistant;
    this.#memory = memory;
  }

  /** The session that the panel shows: the one that it showed before the reload, or a new one. */
  current(): Promise<Session> {
    this.#current ??= this.#restore();
    return this.#current;
  }

  async show(session: Session): Promise<void> {
    this.#current = Promise.resolve(session);
    // At once: what the user writes meanwhile is meant for what they see.
    this.#changed.fire(session);
    await this.#memory.update(SESSION_KEY, session.id);
  }

  async #restore(): Promise<Session> {
    const id = this.#memory.get<string>(SESSION_KEY);
    try {
      const known = id === undefined ? undefined : await this.#assistant.session(id);
      if (known) return known;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      void vscode.window.showWarningMessage(`Kedge could not open the last session, and began a new one: ${why}`);
    }
    const session = this.#assistant.newSession();
    await this.#memory.update(SESSION_KEY, session.id);
    return session;
  }

  /** @throws SessionError where a session of that id is no longer there. */
  async byId(id: string): Promise<Session> {
    const session = await this.#assistant.session(id);
    if (!session) throw new SessionError('This session is no longer stored.');
    return session;
  }

  /** Tells the user once that lines of the session's log were left out. */
  warnOfDamage(session: Session): void {
    if (!session.damage || this.#warned.has(session)) return;
    this.#warned.add(session);
    void vscode.window.showWarningMessage(`Kedge session “${session.state.title}”: ${session.damage}`);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** The composition root. Hosts create and open sessions through it. */

import type { AgentEvent } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { SessionInfo } from '../sessions/store.ts';
import type { Mentions } from './mentions/index.ts';
import type { AssistantPorts, LatePorts } from './ports.ts';
import { Session } from './session/session.ts';
import { SessionError } from './session/session-error.ts';
import { Work } from './work.ts';

export class Assistant {
  readonly #ports: AssistantPorts | LatePorts;
  readonly #sessions = new Map<string, Session>();
  readonly #work: Work;
  #mentions: Promise<Mentions> | undefined;

  constructor(ports: AssistantPorts | LatePorts) {
    this.#ports = ports;
    this.#work = new Work(ports);
  }

  newSession(): Session {
    return this.#open(this.#ports.store.newId(), []);
  }

  /** Returns the session with this id, up to date with its log, or undefined if there is no such session. */
  async session(id: string): Promise<Session | undefined> {
    const open = this.#sessions.get(id);
    open?.refresh();
    if (open) return open;
    const events = await this.#ports.store.load(id);
    // Another caller may have opened the session in the meantime.
    return this.#sessions.get(id) ?? (events && this.#open(id, events));
  }

  sessions(): Promise<SessionInfo[]> {
    return this.#ports.store.list();
  }

  /**
   * Deletes a session. Files that it changed are not affected. @throws SessionError while a run or an undo is in progress in the session,
   * in this or another process.
   */
  async removeSession(id: string): Promise<void> {
    const { store } = this.#ports;
    const open = this.#sessions.get(id);
    // The lock prevents other processes from starting a run in the session.
    const log = store.log(id);
    if (open?.busy || !log.lock())
      throw new SessionError('A run or an undo is in progress in this session. Stop it, or wait until it ends.');
    try {
      open?.close();
      this.#sessions.delete(id);
      await store.remove(id);
    } finally {
      log.unlock();
    }
  }

  /** Revokes a permission, or all permissions, in every open session. */
  revokeGrants(covers?: Permission): void {
    for (const session of this.#sessions.values()) session.revokeGrants(covers);
  }

  get openIds(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Stops all runs at once. They can be resumed. */
  close(): void {
    void this.shutDown();
  }

  /** Does the same as `close`. Resolves when everything that the runs have started, such as MCP servers, has ended, too. */
  async shutDown(): Promise<void> {
    for (const session of this.#sessions.values()) session.close();
    await this.#work.close();
  }

  #open(id: string, events: readonly AgentEvent[]): Session {
    const session = new Session(id, this.#ports.store.log(id), events, this.#ports, this.#work);
    this.#sessions.set(id, session);
    const last = events.at(-1);
    if (last && last.at <= (this.#ports.grants.revokedAt?.() ?? 0)) session.revokeGrants();
    return session;
  }

  /** Loads the code that completes and reads what the user points at. After a failure, the next call tries again. */
  mentions(): Promise<Mentions> {
    this.#mentions ??= this.#loadMentions().catch((error) => {
      this.#mentions = undefined;
      throw error;
    });
    return this.#mentions;
  }

  async #loadMentions(): Promise<Mentions> {
    const [{ Mentions }, { ports }] = await Promise.all([import('./mentions/index.ts'), this.#work.load()]);
    return new Mentions(ports);
  }

  /** Loads the code and ports that a run needs, if there is time before the first prompt. */
  async warmUp(): Promise<void> {
    await this.#work.load();
  }
}

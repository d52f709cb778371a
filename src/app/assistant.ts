/** The composition root: it knows every room, and hosts know only it. */

import type { AgentEvent } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { SessionInfo } from '../sessions/store.ts';
import type { AssistantPorts, LatePorts } from './ports.ts';
import { Session } from './session/session.ts';
import { SessionError } from './session/session-error.ts';
import { Work } from './work.ts';

export class Assistant {
  readonly #ports: AssistantPorts | LatePorts;
  readonly #sessions = new Map<string, Session>();
  readonly #work: Work;

  constructor(ports: AssistantPorts | LatePorts) {
    this.#ports = ports;
    this.#work = new Work(ports);
  }

  newSession(): Session {
    return this.#open(this.#ports.store.newId(), []);
  }

  /** The session as its log has it; undefined when there is none of that id. */
  async session(id: string): Promise<Session | undefined> {
    const open = this.#sessions.get(id);
    open?.refresh();
    if (open) return open;
    const events = await this.#ports.store.load(id);
    // Somebody else may have opened it in the meantime.
    return this.#sessions.get(id) ?? (events && this.#open(id, events));
  }

  sessions(): Promise<SessionInfo[]> {
    return this.#ports.store.list();
  }

  /** Deletes a session; what it wrote to files stays. @throws SessionError while a run or an undo works in it, here or in another process. */
  async removeSession(id: string): Promise<void> {
    const { store } = this.#ports;
    const open = this.#sessions.get(id);
    // Locked, so that nobody else begins in it meanwhile.
    const log = store.log(id);
    if (open?.busy || !log.lock()) throw new SessionError('A run or an undo works in this session: stop it, or wait for it.');
    try {
      open?.close();
      this.#sessions.delete(id);
      await store.remove(id);
    } finally {
      log.unlock();
    }
  }

  /** What was granted is asked for again in every session that is open; all of it, or one thing. */
  revokeGrants(covers?: Permission): void {
    for (const session of this.#sessions.values()) session.revokeGrants(covers);
  }

  get openIds(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Ends all runs at once. They can be resumed. */
  close(): void {
    void this.shutDown();
  }

  /** As `close`; resolves when what the runs have started, such as MCP servers, has ended too. */
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

  /** Loads what a run needs, where there is time for it before the first prompt. */
  async warmUp(): Promise<void> {
    await this.#work.load();
  }
}

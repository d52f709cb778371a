/** The composition root. Hosts create and open sessions through it. */

import type { AgentEvent } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { Location } from '../workspace/types.ts';
import type { ListedAgents } from './agents/agents.ts';
import type { Customizations } from './customizations/index.ts';
import type { Lessons } from './lessons/lessons.ts';
import type { Library, ListedSession } from './library/library.ts';
import type { AllMentions, MentioningSession, Mentions } from './mentions/index.ts';
import type { AssistantPorts, LatePorts } from './ports.ts';
import { revokeGrantsUntil } from './session/approvals.ts';
import type { EventLog, Session } from './session/session.ts';
import { SessionError } from './session/session-error.ts';
import { Work } from './work.ts';
import type { SessionWorktree } from './worktrees/session-worktree.ts';

/** The session code is half of the code that the editor would load at startup, so it is loaded when a session is first opened. */
const loadSession = () => import('./session/session.ts');
type SessionCode = Awaited<ReturnType<typeof loadSession>>;

/** Receives every new event of every open session. */
export type Watcher = (session: Session, event: AgentEvent) => void;

export class Assistant {
  readonly #ports: AssistantPorts | LatePorts;
  readonly #sessions = new Map<string, Session>();
  readonly #work: Work;
  readonly #watchers = new Set<Watcher>();
  #mentions: Promise<AllMentions> | undefined;
  /** The sessions for which the model was asked for a title. */
  readonly #titled = new WeakSet<Session>();
  readonly #closing = new AbortController();
  /** It is set when the first run starts. */
  #remembering: Promise<void> | undefined;

  constructor(ports: AssistantPorts | LatePorts) {
    this.#ports = ports;
    this.#work = new Work(ports);
  }

  async newSession(): Promise<Session> {
    const code = await loadSession();
    const id = this.#ports.store.newId();
    return this.#open(code, id, new code.EventLog(this.#ports.store.log(id), this.#now));
  }

  /** Returns the session with this id, up to date with its log, or undefined if there is no such session. */
  async session(id: string): Promise<Session | undefined> {
    const open = this.#sessions.get(id);
    open?.refresh();
    if (open) return open;
    const code = await loadSession();
    const log = await code.EventLog.open(this.#ports.store.log(id), this.#now);
    // Another caller may have opened the session in the meantime.
    return this.#sessions.get(id) ?? (log && this.#open(code, id, log));
  }

  /** Lists sessions, newest first. */
  async sessions(): Promise<ListedSession[]> {
    return (await this.library()).list();
  }

  /**
   * Moves a session into the trash. Files that it changed are not affected. @throws SessionError while a run or an undo is in progress in
   * the session, in this or another process.
   */
  async removeSession(id: string): Promise<void> {
    (await this.library()).remove(id);
  }

  /** Loads the code that lists, searches, forks, deletes and imports sessions. */
  async library(): Promise<Library> {
    const { Library } = await import('./library/library.ts');
    return new Library({
      ports: this.#ports,
      work: this.#work,
      open: this.#sessions,
      forget: (id) => this.#sessions.delete(id),
      session: async (id) => {
        const session = await this.session(id);
        if (session) return session;
        throw new SessionError(`There is no session ${id}. It may have been deleted.`);
      },
    });
  }

  /** Revokes one permission, or all permissions, in every open session. */
  revokeGrants(covers?: Permission): void {
    for (const session of this.#sessions.values()) session.revokeGrants(covers);
  }

  /** Calls `watcher` for the events of all sessions, including deltas. Returns a function that removes the watcher. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  get openIds(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Stops all runs immediately. They can be resumed. */
  close(): void {
    void this.shutDown();
  }

  /** Does the same as `close`, and resolves when everything that the runs have started, such as MCP servers, has ended. */
  async shutDown(): Promise<void> {
    this.#closing.abort();
    for (const session of this.#sessions.values()) session.close();
    await Promise.all([this.#work.close(), this.#remembering]);
  }

  get #now(): () => number {
    return this.#ports.now ?? Date.now;
  }

  #open({ Session }: SessionCode, id: string, log: EventLog): Session {
    const session = new Session(id, log, this.#ports, this.#work);
    this.#sessions.set(id, session);
    session.subscribe((event) => {
      this.#tell(session, event);
      if (event.type === 'run_started') this.#remembering ??= this.#rememberFolders();
      if (event.type === 'run_finished' && this.#ports.settings.titles?.()) void this.#giveTitle(session);
      if (event.type === 'run_finished' && session.state.worktree !== undefined && session.state.lastRun?.applies)
        void this.worktree(session)
          .then((worktree) => worktree.closeApplied())
          .catch(console.error);
    });
    revokeGrantsUntil(session, this.#ports.grants.revokedAt?.() ?? 0);
    return session;
  }

  #tell(session: Session, event: AgentEvent): void {
    for (const watcher of this.#watchers) {
      try {
        watcher(session, event);
      } catch (error) {
        // A watcher that fails must not prevent other watchers from receiving the event.
        console.error(error);
      }
    }
  }

  /** Stores which folders the sessions belong to, so that other workspaces can show these folders. */
  async #rememberFolders(): Promise<void> {
    const { workspaces } = this.#ports;
    if (workspaces) (await import('../sessions/workspaces.ts')).rememberFolders(workspaces);
  }

  /** The run does not wait for the title. After a failure, the title stays unchanged. */
  async #giveTitle(session: Session): Promise<void> {
    if (this.#titled.has(session)) return;
    const { giveTitle, needsTitle } = await import('./session/titles.ts');
    if (!needsTitle(session) || this.#titled.has(session)) return;
    this.#titled.add(session);
    await giveTitle(session, this.#work, this.#closing.signal);
  }

  /**
   * Loads the code that completes and reads the mentions of a message for a session. After a failure, the next call tries again. The rules
   * of the session also apply.
   */
  async mentions(session: MentioningSession): Promise<Mentions> {
    this.#mentions ??= this.#loadMentions().catch((error) => {
      this.#mentions = undefined;
      throw error;
    });
    return (await this.#mentions).of(session);
  }

  async #loadMentions(): Promise<AllMentions> {
    const [{ AllMentions }, { ports }] = await Promise.all([import('./mentions/index.ts'), this.#work.load()]);
    return new AllMentions(ports);
  }

  /** Loads the code that lists prompt files and skills. The rules of the session decide which files may be read. */
  async customizations({ state }: MentioningSession): Promise<Customizations> {
    const [{ Customizations }, { withSessionRules }, { ports }] = await Promise.all([
      import('./customizations/index.ts'),
      import('./run/judge.ts'),
      this.#work.load(),
    ]);
    return new Customizations(withSessionRules(ports, state));
  }

  /**
   * Returns the diff of the staged changes in the repository at `directory`, without files that may not be sent or that the rules of the session
   * deny. @throws SessionError if there is no such diff
   */
  async stagedChanges({ state }: MentioningSession, directory: Location, signal: AbortSignal): Promise<string> {
    const [{ stagedChanges }, { withSessionRules }, { ports }] = await Promise.all([
      import('./context/staged-changes.ts'),
      import('./run/judge.ts'),
      this.#work.load(),
    ]);
    return stagedChanges(withSessionRules(ports, state), directory, signal);
  }

  /** Loads the code that proposes what to remember after a run. */
  async lessons(): Promise<Lessons> {
    const [{ Lessons }, { ports }] = await Promise.all([import('./lessons/lessons.ts'), this.#work.load()]);
    return new Lessons(ports);
  }

  /** Loads the code for the worktree of a session. */
  async worktree(session: Session): Promise<SessionWorktree> {
    const [{ SessionWorktree }, { ports }] = await Promise.all([import('./worktrees/session-worktree.ts'), this.#work.load()]);
    return new SessionWorktree(session, ports);
  }

  /** Loads the code that lists the agents. The rules of a session also apply to their files. */
  async agents(): Promise<{ list(session?: MentioningSession): Promise<ListedAgents> }> {
    const [{ listAgents }, { ports }] = await Promise.all([import('./agents/agents.ts'), this.#work.load()]);
    return { list: (session) => listAgents(ports, session?.state) };
  }

  /** Returns the ports of the host, for code of the host that lists the user's agents, prompt files and skills. */
  async ports(): Promise<AssistantPorts> {
    return (await this.#work.load()).ports;
  }

  /** Loads the code and ports that a run needs, if there is time before the first prompt. */
  async warmUp(): Promise<void> {
    await this.#work.load();
  }
}

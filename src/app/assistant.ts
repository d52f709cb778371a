/** The composition root: it knows every room, and hosts know only it. */

import type { ModelRef } from '../core/model/messages.ts';
import type { ModelAdapter, ModelRequest } from '../core/model/model.ts';
import type { RunBudget } from '../core/run/budget.ts';
import type { Tool } from '../core/run/tool.ts';
import type { AgentEvent, Limits, Mode } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { RunRecord } from '../core/session/session-state.ts';
import type { GitSetting } from '../policy/commands/programs/git-programs.ts';
import type { ShellParsers } from '../policy/commands/shells/syntax.ts';
import type { ModelFacts } from '../providers/types.ts';
import type { SessionInfo, SessionStore } from '../sessions/store.ts';
import type { Fetcher } from '../tools/network/fetch-url.ts';
import type { CommandRunner } from '../workspace/commands.ts';
import type { FormatText } from '../workspace/format-changes.ts';
import type { WriteGate } from '../workspace/gate.ts';
import type { LanguageServices } from '../workspace/languages.ts';
import type { BlobStore, FileSystem, Location, Writer } from '../workspace/types.ts';
import type { Memory, PressureThresholds } from './models/memory-pressure.ts';
import { type Budgets, DayBudgets, type DayLedger } from './run/day-budget.ts';
import type { PolicySettings } from './run/judge.ts';
import type { BuiltRun } from './run/live-run.ts';
import { Session, type SessionPorts } from './session/session.ts';
import { SessionError } from './session/session-error.ts';

export type Settings = {
  model(mode: Mode): ModelRef;
  limits(mode: Mode): Limits;
  /** Of one run beyond its limits, and of all runs together. */
  budgets?(): Budgets & { run: RunBudget };
  /** When memory counts as short; without it the defaults do. */
  pressure?(): PressureThresholds;
  /** Agent mode proposes a plan, which the user confirms, before anything is changed. */
  requirePlan?(): boolean;
  /** How a model is to be asked, as far as the user decided. */
  tuning?(model: ModelRef): Tuning;
};

export type Tuning = Pick<ModelRequest, 'temperature' | 'maxOutputTokens' | 'reasoningEffort' | 'contextWindow'>;

/** What looking at sessions and starting runs needs. */
export type SessionsPorts = {
  /** Asked at the start of each run, since folders come and go. */
  fileSystem(): FileSystem;
  blobs: BlobStore;
  store: SessionStore;
  settings: Settings;
  adapter(model: ModelRef): Promise<ModelAdapter>;
  /** What is known about a model. Where nobody knows whether it sees, images are sent. */
  facts?(model: ModelRef): ModelFacts;
  /** What all runs of a day used; without it only the budgets of a run count. */
  ledger?: DayLedger;
  trusted(): boolean;
  /** Nobody can be asked: what would ask is denied. */
  unattended?(): boolean;
  /** What the user allowed for good in this workspace; kept by the host, outside the workspace. */
  grants: {
    list(): readonly Permission[];
    add(covers: Permission): void;
    /** When the user last took back all grants: one in the log of a session that is opened only later is older, too. */
    revokedAt?(): number;
  };
  now?(): number;
};

/** What only runs, undo and restore need. */
export type WorkPorts = {
  writer(): Writer;
  /** Of the machine that serves the model, where that is this one. */
  memory?(model: ModelRef): Promise<Memory | undefined>;
  /** Tools of other programs; those of Ask and Plan only read, by the user's own word. */
  mcp?: { toolsFor(mode: Mode): Promise<Tool[]>; close(): Promise<void> };
  /** Where the host has them. */
  languages?: LanguageServices;
  /** Where the host can format, and the user may want that. */
  format?: FormatText;
  /** Where the workspace is on a disk. Agent runs alone are handed it. */
  commands?(): CommandRunner | undefined;
  fetcher?: Fetcher;
  /** Grammars of shells, where the host has them: without one every command asks. */
  shellParsers?: ShellParsers;
  /** The own configuration of the repository there, which may name programs; undefined where it cannot be told. */
  gitSettings?(at: Location): Promise<readonly GitSetting[] | undefined>;
  /** What is allowed, asked for and denied beforehand; asked before each call. */
  policy?(): PolicySettings;
};

export type AssistantPorts = SessionsPorts & WorkPorts;
/** For a host that starts before there is work: the rest is loaded with the first of it. */
export type LatePorts = SessionsPorts & { forWork(): Promise<WorkPorts> };

type Work = typeof import('./engine.ts') & { ports: AssistantPorts };

export class Assistant {
  readonly #ports: AssistantPorts | LatePorts;
  readonly #sessions = new Map<string, Session>();
  readonly #day: DayBudgets | undefined;
  #gate: { fs: FileSystem; gate: WriteGate } | undefined;
  #loaded: Promise<Work> | undefined;

  constructor(ports: AssistantPorts | LatePorts) {
    this.#ports = ports;
    const { ledger, settings, now = Date.now } = ports;
    if (ledger) this.#day = new DayBudgets(ledger, () => settings.budgets?.() ?? { day: {} }, now);
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
    await this.#loaded?.then(({ ports }) => ports.mcp?.close()).catch(() => undefined);
  }

  #open(id: string, events: readonly AgentEvent[]): Session {
    const session = new Session(id, this.#ports.store.log(id), events, this.#sessionPorts());
    this.#sessions.set(id, session);
    const last = events.at(-1);
    if (last && last.at <= (this.#ports.grants.revokedAt?.() ?? 0)) session.revokeGrants();
    return session;
  }

  #sessionPorts(): SessionPorts {
    const { settings, grants } = this.#ports;
    return {
      modelFor: (mode) => settings.model(mode),
      limitsFor: (mode) => settings.limits(mode),
      build: (run, session) => this.#build(run, session),
      gate: () => this.#writeGate(),
      grantForGood: (covers) => grants.add(covers),
      raiseToday: (limit) => this.#day?.raise(limit),
      requirePlan: () => settings.requirePlan?.() ?? false,
      now: this.#ports.now ?? Date.now,
      newId: () => crypto.randomUUID(),
    };
  }

  async #build(run: RunRecord, session: Session): Promise<BuiltRun> {
    const { buildRun, ports } = await this.#work();
    return buildRun(run, session, ports, { gate: () => this.#writeGate(), share: () => this.#day?.share() });
  }

  /** Loads what a run needs, where there is time for it before the first prompt. */
  async warmUp(): Promise<void> {
    await this.#work();
  }

  #work(): Promise<Work> {
    this.#loaded ??= this.#loadWork();
    return this.#loaded;
  }

  async #loadWork(): Promise<Work> {
    const [engine, ports] = await Promise.all([import('./engine.ts'), 'forWork' in this.#ports ? this.#ports.forWork() : this.#ports]);
    return { ...engine, ports: { ...this.#ports, ...ports } };
  }

  /** One gate for a set of folders, so that changes of all sessions go through one queue. */
  async #writeGate(): Promise<WriteGate> {
    const { openGate, ports } = await this.#work();
    const fs = ports.fileSystem();
    if (this.#gate?.fs !== fs) this.#gate = { fs, gate: openGate(fs, ports) };
    return this.#gate.gate;
  }
}

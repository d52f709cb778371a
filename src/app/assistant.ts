/** The composition root: it knows every room, and hosts know only it. */
import type { RunBudget } from '../core/budget.ts';
import type { Covers } from '../core/covers.ts';
import type { AgentEvent, Limits, Mode } from '../core/events.ts';
import type { ModelRef } from '../core/messages.ts';
import type { ModelAdapter, ModelRequest } from '../core/model.ts';
import { systemPrompt } from '../core/prompts.ts';
import type { RunRecord } from '../core/session.ts';
import type { Tool } from '../core/tool.ts';
import type { ShellParsers } from '../policy/commands/syntax.ts';
import type { ModelFacts } from '../providers/types.ts';
import type { SessionInfo, SessionStore } from '../sessions/store.ts';
import type { Fetcher } from '../tools/fetch-url.ts';
import { type Reach, toolsFor } from '../tools/index.ts';
import { StepKeeper } from '../tools/plan-tools-steps.ts';
import type { CommandRunner } from '../workspace/commands.ts';
import { WriteGate } from '../workspace/gate.ts';
import { withIgnoreFiles } from '../workspace/ignore.ts';
import type { LanguageServices } from '../workspace/languages.ts';
import type { Tidy } from '../workspace/tidy.ts';
import type { BlobStore, FileSystem, Writer } from '../workspace/types.ts';
import { Workspace } from '../workspace/workspace.ts';
import { type Budgets, DayBudgets, type DayLedger } from './budgets.ts';
import { usdOf } from './cost.ts';
import { hookPlaces } from './hook-places.ts';
import { judgeFor, type PolicySettings } from './judge.ts';
import { checksFor, expectConfirmed } from './plan-run.ts';
import { type Memory, type PressureThresholds, pressureNotice, pressureOf, shrink } from './pressure.ts';
import { type BuiltRun, Session, type SessionPorts } from './session.ts';

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
  /** What is allowed, asked for and denied beforehand; asked before each call. */
  policy?(): PolicySettings;
};

export type Tuning = Pick<ModelRequest, 'temperature' | 'maxOutputTokens' | 'reasoningEffort' | 'contextWindow'>;

export type AssistantPorts = {
  /** Asked at the start of each run, since folders come and go. */
  fileSystem(): FileSystem;
  writer(): Writer;
  blobs: BlobStore;
  store: SessionStore;
  settings: Settings;
  adapter(model: ModelRef): Promise<ModelAdapter>;
  /** What is known about a model. Where nobody knows whether it sees, images are sent. */
  facts?(model: ModelRef): ModelFacts;
  /** Of the machine that serves the model, where that is this one. */
  memory?(model: ModelRef): Promise<Memory | undefined>;
  /** Tools of other programs; those of Ask and Plan only read, by the user's own word. */
  mcp?: { toolsFor(mode: Mode): Promise<Tool[]>; close(): Promise<void> };
  /** Where the host has them. */
  languages?: LanguageServices;
  /** Where the host can format, and the user may want that. */
  tidy?: Tidy;
  /** Where the workspace is on a disk. Agent runs alone are handed it. */
  commands?(): CommandRunner | undefined;
  fetcher?: Fetcher;
  /** What all runs of a day used; without it only the budgets of a run count. */
  ledger?: DayLedger;
  trusted(): boolean;
  /** Grammars of shells, where the host has them: without one every command asks. */
  shellParsers?: ShellParsers;
  /** Nobody can be asked: what would ask is denied. */
  unattended?(): boolean;
  /** What the user allowed for good in this workspace; kept by the host, outside the workspace. */
  grants: {
    list(): readonly Covers[];
    add(covers: Covers): void;
    /** When the user last took back all grants: one in the log of a session that is opened only later is older, too. */
    revokedAt?(): number;
  };
  now?(): number;
};

export class Assistant {
  readonly #ports: AssistantPorts;
  readonly #sessions = new Map<string, Session>();
  readonly #day: DayBudgets | undefined;
  #gate: { fs: FileSystem; gate: WriteGate } | undefined;

  constructor(ports: AssistantPorts) {
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
    if (open) return open;
    const events = await this.#ports.store.load(id);
    // Somebody else may have opened it in the meantime.
    return this.#sessions.get(id) ?? (events && this.#open(id, events));
  }

  sessions(): Promise<SessionInfo[]> {
    return this.#ports.store.list();
  }

  /** What was granted is asked for again in every session that is open; all of it, or one thing. */
  revokeGrants(covers?: Covers): void {
    for (const session of this.#sessions.values()) session.revokeGrants(covers);
  }

  get openIds(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Ends all runs, as on shutdown. They can be resumed. */
  close(): void {
    for (const session of this.#sessions.values()) session.close();
    void this.#ports.mcp?.close();
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
    await expectConfirmed(run);
    const { mode } = run;
    const fs = this.#ports.fileSystem();
    const { languages, settings } = this.#ports;
    const judge = judgeFor(run, session, this.#ports, {
      hookPlaces: mode === 'agent' ? await hookPlaces(fs) : [],
      tools: () => tools,
    });
    const workspace = new Workspace(await withIgnoreFiles(fs), judge.withholds);
    const checks = checksFor(judge, languages);
    // The one place where a run comes by the means to write: in Agent mode, and in a workspace the user trusts.
    const mayWrite = mode === 'agent' && this.#ports.trusted();
    const keeper = mayWrite && run.plan ? new StepKeeper({ run, state: session.state }, workspace, this.#writeGate(), checks) : undefined;
    const revises = session.state.plans.get(run.revises ?? '')?.plan;
    const builtin = mayWrite
      ? toolsFor(workspace, { mode, gate: this.#writeGate(), keeper, model: run.model, ...this.#reach() }, languages)
      : toolsFor(workspace, mode === 'plan' ? { mode, newId: () => crypto.randomUUID(), revises } : { mode: 'ask' }, languages);
    const others = (this.#ports.trusted() && (await this.#ports.mcp?.toolsFor(mode))) || [];
    // Of two tools of one name the last would be called: no other program's stands in the place of a built-in one.
    const tools: Tool[] = [...builtin, ...others.filter(({ name }) => !builtin.some((own) => own.name === name))];
    checks.runCommand = tools.find(({ name, source }) => name === 'run_command' && source === 'builtin');
    const { vision, prices } = this.#ports.facts?.(run.model) ?? {};
    const memory = await this.#ports.memory?.(run.model);
    const level = pressureOf(memory, this.#ports.settings.pressure?.());
    const shrunk = pressureNotice(memory, level);
    return {
      ...(settings.budgets && { budget: settings.budgets().run }),
      ...(this.#day && { shared: this.#day.share() }),
      limits: shrink(this.#ports.settings.limits(mode), level),
      ...(shrunk && { shrunk }),
      adapter: await this.#ports.adapter(run.model),
      blind: vision === false,
      price: (usage) => usdOf(usage, prices, new Date(this.#ports.now?.() ?? Date.now())),
      tools,
      request: {
        system: systemPrompt(
          mode,
          fs.folders.map(({ name }) => name),
        ),
        cacheKey: session.id,
        ...this.#ports.settings.tuning?.(run.model),
      },
      decide: judge.decide,
      ...(keeper && { closing: (context) => keeper.close(context) }),
      alike: judge.alike,
    };
  }

  #reach(): Reach {
    return { commands: this.#ports.commands?.(), fetcher: this.#ports.fetcher };
  }

  /** One gate for a set of folders, so that changes of all sessions go through one queue. */
  #writeGate(): WriteGate {
    const fs = this.#ports.fileSystem();
    if (this.#gate?.fs !== fs)
      this.#gate = { fs, gate: new WriteGate(new Workspace(fs), this.#ports.writer(), this.#ports.blobs, this.#ports.tidy) };
    return this.#gate.gate;
  }
}

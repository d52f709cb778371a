/** The composition root: it knows every room, and hosts know only it. */
import type { AgentEvent, Limits, Mode } from '../core/events.ts';
import type { ModelRef } from '../core/messages.ts';
import type { ModelAdapter, ModelRequest } from '../core/model.ts';
import { planScope } from '../core/plan.ts';
import { systemPrompt } from '../core/prompts.ts';
import type { Tool } from '../core/tool.ts';
import type { RunRecord } from '../core/session.ts';
import { decide } from '../policy/decide.ts';
import type { ModelFacts } from '../providers/types.ts';
import type { SessionInfo, SessionStore } from '../sessions/store.ts';
import { toolsFor } from '../tools/index.ts';
import { WriteGate } from '../workspace/gate.ts';
import type { BlobStore, FileSystem, Writer } from '../workspace/types.ts';
import { Workspace } from '../workspace/workspace.ts';
import { usdOf } from './cost.ts';
import { type Memory, type PressureThresholds, pressureNotice, pressureOf, shrink } from './pressure.ts';
import { type BuiltRun, Session, type SessionPorts } from './session.ts';

export type Settings = {
  model(mode: Mode): ModelRef;
  limits(mode: Mode): Limits;
  /** When memory counts as short; without it the defaults do. */
  pressure?(): PressureThresholds;
  /** How a model is to be asked, as far as the user decided. */
  tuning?(model: ModelRef): Tuning;
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
  trusted(): boolean;
  /** Whether the user chose not to be asked for edits in this workspace; kept by the host, outside the workspace. */
  workspaceEdits: {
    granted(): boolean;
    grant(): void;
    /** When the user last took back all grants: one in the log of a session that is opened only later is older, too. */
    revokedAt?(): number;
  };
  now?(): number;
};

export class Assistant {
  readonly #ports: AssistantPorts;
  readonly #sessions = new Map<string, Session>();
  #gate: { fs: FileSystem; gate: WriteGate } | undefined;

  constructor(ports: AssistantPorts) {
    this.#ports = ports;
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

  /** Edits are asked for again in every session that is open. */
  revokeGrants(): void {
    for (const session of this.#sessions.values()) session.revokeGrants();
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
    if (last && last.at <= (this.#ports.workspaceEdits.revokedAt?.() ?? 0)) session.revokeGrants();
    return session;
  }

  #sessionPorts(): SessionPorts {
    const { settings, workspaceEdits } = this.#ports;
    return {
      modelFor: (mode) => settings.model(mode),
      limitsFor: (mode) => settings.limits(mode),
      build: (run, session) => this.#build(run, session),
      gate: () => this.#writeGate(),
      grantWorkspaceEdits: () => workspaceEdits.grant(),
      now: this.#ports.now ?? Date.now,
      newId: () => crypto.randomUUID(),
    };
  }

  async #build(run: RunRecord, session: Session): Promise<BuiltRun> {
    const { mode, plan } = run;
    const fs = this.#ports.fileSystem();
    const workspace = new Workspace(fs);
    // The one place where a run comes by the means to write: in Agent mode, and in a workspace the user trusts.
    const builtin =
      mode === 'agent' && this.#ports.trusted()
        ? toolsFor(workspace, { mode, gate: this.#writeGate(), plan, model: run.model })
        : toolsFor(workspace, mode === 'plan' ? { mode, newId: () => crypto.randomUUID() } : { mode: 'ask' });
    const tools = [...builtin, ...((this.#ports.trusted() && (await this.#ports.mcp?.toolsFor(mode))) || [])];
    const scope = plan && planScope(plan);
    const { vision, prices } = this.#ports.facts?.(run.model) ?? {};
    const memory = await this.#ports.memory?.(run.model);
    const level = pressureOf(memory, this.#ports.settings.pressure?.());
    const shrunk = pressureNotice(memory, level);
    return {
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
      decide: (call, tool, prepared) =>
        decide({
          mode,
          tool,
          name: call.name,
          targets: prepared?.targets ?? [],
          trusted: this.#ports.trusted(),
          editsGranted: run.editsGranted || session.state.sessionEditsGranted || this.#ports.workspaceEdits.granted(),
          planScope: scope,
        }),
    };
  }

  /** One gate for a set of folders, so that changes of all sessions go through one queue. */
  #writeGate(): WriteGate {
    const fs = this.#ports.fileSystem();
    if (this.#gate?.fs !== fs) this.#gate = { fs, gate: new WriteGate(new Workspace(fs), this.#ports.writer(), this.#ports.blobs) };
    return this.#gate.gate;
  }
}

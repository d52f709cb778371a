/** The objects that all parts of the extension share: the assistant for this window's folders, its sessions, models and settings. */
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { Assistant } from '../../app/assistant.ts';
import type { WorkPorts } from '../../app/ports.ts';
import type { Session } from '../../app/session/session.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import type { Mode } from '../../core/session/events.ts';
import type { Permission } from '../../core/session/grant-scope.ts';
import type { McpServers } from '../../mcp/servers.ts';
import { DiskBlobs } from '../../sessions/blobs.ts';
import { Ledger } from '../../sessions/ledger.ts';
import { SessionStore } from '../../sessions/store.ts';
import { LearnedWindows } from '../../sessions/windows.ts';
import type { EditorDocuments } from './documents/editor-documents.ts';
import { VsCodeFileSystem } from './files/file-system.ts';
import { ProblemKinds } from './languages/problem-kinds.ts';
import { Models } from './models/models.ts';
import { SessionModels } from './models/session-models.ts';
import { PanelSessions } from './panel-sessions.ts';
import { WorkspaceGrants } from './settings/grants.ts';
import { Keys, VsCodeSettings } from './settings/settings.ts';
import { storageOf } from './storage.ts';
import { LastOutput } from './terminal/last-output.ts';
import type { Terminals } from './terminal/terminal.ts';
import { TERMINAL_NAME } from './terminal/terminal-name.ts';

const MODE_KEY = 'kedge.mode';

export class Kedge implements vscode.Disposable {
  readonly context: vscode.ExtensionContext;
  /** The directory for the data of this workspace's sessions. */
  readonly storage: string;
  /** The directory for the data of all workspaces. */
  readonly sharedStorage: string;
  /** The real path of the only folder. The list is empty for windows that do not share their data with the terminal program. */
  readonly folders: readonly string[];
  readonly settings = new VsCodeSettings();
  readonly keys: Keys;
  readonly models: Models;
  readonly blobs: DiskBlobs;
  readonly assistant: Assistant;
  readonly sessions: PanelSessions;
  readonly sessionModels: SessionModels;
  readonly grants: WorkspaceGrants;
  readonly problemKinds = new ProblemKinds();
  readonly lastOutput = new LastOutput(TERMINAL_NAME);
  /** The terminals in which runs execute commands. They are created with the first run. */
  terminals: Terminals | undefined;
  /** The MCP servers. They are created when the code for runs is loaded. */
  mcp: McpServers | undefined;
  #documents: Promise<EditorDocuments> | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires when something changes that the panel's state shows. */
  readonly onDidChange = this.#changed.event;
  readonly #disposables: vscode.Disposable[];
  /** The agents that the user chose for the next message, by the id of the session. */
  readonly #agents = new Map<string, string>();
  #fs: VsCodeFileSystem | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.context = context;
    this.keys = new Keys(context.secrets);
    this.models = new Models(this.settings, this.keys, context.globalState);
    const { storage, sharedStorage, root } = storageOf(context);
    this.storage = storage;
    this.sharedStorage = sharedStorage;
    this.folders = root === undefined ? [] : [root];
    this.blobs = new DiskBlobs(join(this.storage, 'blobs'));
    this.grants = new WorkspaceGrants(context.workspaceState, () => this.#changed.fire());
    this.assistant = new Assistant({
      fileSystem: () => this.fs,
      blobs: this.blobs,
      store: new SessionStore(join(this.storage, 'sessions')),
      workspaces: {
        directory: join(this.sharedStorage, 'workspaces'),
        ...(root !== undefined && { key: basename(storage) }),
        folders: this.folders,
      },
      // All windows share one ledger, because a day's limits apply to the user and not to a folder.
      ledger: new Ledger(join(this.sharedStorage, 'ledger')),
      windows: new LearnedWindows(join(this.sharedStorage, 'windows.json')),
      settings: {
        model: (mode) => this.settings.model(mode),
        limits: (mode) => this.settings.limits(mode),
        budgets: () => this.settings.budgets(),
        pressure: () => this.settings.pressure(),
        requirePlan: () => this.settings.requirePlan(),
        memory: () => this.settings.memoryTokens(),
        titles: () => this.settings.titles(),
        contextTokens: () => this.settings.contextTokens(),
        delegation: () => this.settings.delegation(),
        lessons: () => this.settings.lessons(),
        tuning: (model) => this.settings.tuning(model, this.models.facts(model)),
      },
      facts: (model) => this.models.facts(model),
      adapter: (model) => this.models.adapter(model),
      trusted: () => vscode.workspace.isTrusted,
      grants: this.grants,
      forWork: () => this.#workPorts(),
    });
    this.sessions = new PanelSessions(this.assistant, context.workspaceState);
    this.sessionModels = new SessionModels(context.workspaceState);
    const fire = () => this.#changed.fire();
    const revised = () => void this.models.dropStaleLists().then(fire, fire);
    this.#disposables = [
      this.problemKinds,
      this.lastOutput,
      this.#changed,
      this.sessions,
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#fs = undefined;
        fire();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(fire),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('kedge.model') || event.affectsConfiguration('kedge.modelFor')) void this.followSettings();
        if (event.affectsConfiguration('kedge')) revised();
      }),
      this.keys.onChange(revised),
    ];
  }

  get fs(): VsCodeFileSystem {
    this.#fs ??= new VsCodeFileSystem(vscode.workspace.workspaceFolders ?? []);
    return this.#fs;
  }

  /** Returns the collections of documents. */
  documents(): Promise<EditorDocuments> {
    this.#documents ??= import('./documents/editor-documents.ts').then(({ EditorDocuments }) => {
      const documents = new EditorDocuments(this);
      this.#disposables.push(documents);
      return documents;
    });
    return this.#documents;
  }

  async #workPorts(): Promise<WorkPorts> {
    const { workPorts } = await import('./work-ports.ts');
    const ports = workPorts(this);
    this.#disposables.push(ports);
    this.terminals = ports.terminals;
    this.mcp = ports.mcp;
    return ports;
  }

  /** Call this after a package was imported, updated or removed. */
  packagesChanged(): void {
    this.#changed.fire();
  }

  /** Call this after facts about models have changed. */
  modelsChanged(): void {
    this.#changed.fire();
  }

  /** Makes the session of the panel use the models of the settings, which the user has just changed. */
  async followSettings(): Promise<void> {
    await this.sessionModels.forget((await this.sessions.current()).id);
    this.#changed.fire();
  }

  /** Returns the model for the next message of a session in the panel. */
  modelFor(sessionId: string, mode: Mode): ModelRef {
    return this.sessionModels.modelOf(sessionId, mode) ?? this.settings.model(mode);
  }

  /** Revokes the permissions of this workspace in all of its sessions and runs: all of them, or only `covers`. */
  async revokeGrants(covers?: Permission): Promise<void> {
    this.assistant.revokeGrants(covers);
    await this.grants.revoke(covers);
  }

  /** Returns the agent of the next message of a session: the user's choice, or that of the last run. */
  agentOf({ id, state }: Pick<Session, 'id' | 'state'>): string | undefined {
    return this.#agents.get(id) ?? state.agent;
  }

  /** Sets the agent of a session. An empty name means none. */
  setAgent({ id }: Pick<Session, 'id'>, name: string): void {
    this.#agents.set(id, name);
    this.#changed.fire();
  }

  /** The mode of the panel. In an untrusted workspace, only Ask mode is available. */
  get mode(): Mode {
    if (!vscode.workspace.isTrusted) return 'ask';
    return this.context.workspaceState.get<Mode>(MODE_KEY, 'ask');
  }

  async setMode(mode: Mode): Promise<void> {
    if (mode === this.mode) return;
    await this.context.workspaceState.update(MODE_KEY, mode);
    this.#changed.fire();
  }

  dispose(): void {
    this.assistant.close();
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

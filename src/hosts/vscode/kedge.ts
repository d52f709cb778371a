/** What the editor's parts share: the assistant on this window's folders, and the session that the panel shows. */
import { totalmem } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Assistant, type WorkPorts } from '../../app/assistant.ts';
import { isServedHere, loadAdapter } from '../../app/models/models.ts';
import { type Session, SessionError } from '../../app/session/session.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import type { ModelAdapter } from '../../core/model/model.ts';
import type { Mode } from '../../core/session/events.ts';
import type { Permission } from '../../core/session/grant-scope.ts';
import { EDITOR } from '../../providers/catalog.ts';
import { withRetry } from '../../providers/retry.ts';
import type { ProviderConfig } from '../../providers/types.ts';
import { DiskBlobs } from '../../sessions/blobs.ts';
import { Ledger } from '../../sessions/ledger.ts';
import { SessionStore } from '../../sessions/store.ts';
import { VsCodeFileSystem } from './files/file-system.ts';
import { ProblemKinds } from './languages/problem-kinds.ts';
import type { PickedModels } from './models/lm-adapter.ts';
import { Models } from './models/models.ts';
import { WorkspaceGrants } from './settings/grants.ts';
import { Keys, providerConfig, VsCodeSettings } from './settings/settings.ts';

const SESSION_KEY = 'kedge.session';
const MODE_KEY = 'kedge.mode';

export class Kedge implements vscode.Disposable {
  readonly context: vscode.ExtensionContext;
  /** The directory for what this workspace's sessions leave behind. */
  readonly storage: string;
  readonly settings = new VsCodeSettings();
  readonly keys: Keys;
  readonly models: Models;
  readonly blobs: DiskBlobs;
  readonly assistant: Assistant;
  readonly grants: WorkspaceGrants;
  readonly problemKinds = new ProblemKinds();
  /** Models that the editor handed over itself. */
  readonly pickedModels: PickedModels = new Map();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #sessionChanged = new vscode.EventEmitter<Session>();
  /** Something that the panel's state shows has changed. */
  readonly onDidChange = this.#changed.event;
  readonly onDidChangeSession = this.#sessionChanged.event;
  readonly #disposables: vscode.Disposable[];
  readonly #warned = new WeakSet<Session>();
  #fs: VsCodeFileSystem | undefined;
  #session: Promise<Session> | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.context = context;
    this.keys = new Keys(context.secrets);
    this.models = new Models(this.settings, this.keys, context.globalState);
    this.storage = (context.storageUri ?? context.globalStorageUri).fsPath;
    this.blobs = new DiskBlobs(join(this.storage, 'blobs'));
    this.grants = new WorkspaceGrants(context.workspaceState);
    this.assistant = new Assistant({
      fileSystem: () => this.fs,
      blobs: this.blobs,
      store: new SessionStore(join(this.storage, 'sessions')),
      // Of all windows: the day's money is the user's, not a folder's.
      ledger: new Ledger(join(context.globalStorageUri.fsPath, 'ledger')),
      settings: {
        model: (mode) => this.settings.model(mode),
        limits: (mode) => this.settings.limits(mode),
        budgets: () => this.settings.budgets(),
        pressure: () => this.settings.pressure(),
        requirePlan: () => this.settings.requirePlan(),
        tuning: (model) => this.settings.tuning(model, this.models.facts(model)),
      },
      facts: (model) => this.models.facts(model),
      adapter: (model) => this.adapter(model),
      trusted: () => vscode.workspace.isTrusted,
      grants: this.grants,
      forWork: () => this.#workPorts(),
    });
    const fire = () => this.#changed.fire();
    const revised = () => void this.models.revise().then(fire, fire);
    this.#disposables = [
      this.problemKinds,
      this.#changed,
      this.#sessionChanged,
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#fs = undefined;
        fire();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(fire),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('kedge')) revised();
      }),
      this.keys.onChange(revised),
    ];
  }

  get fs(): VsCodeFileSystem {
    this.#fs ??= new VsCodeFileSystem(vscode.workspace.workspaceFolders ?? []);
    return this.#fs;
  }

  async #workPorts(): Promise<WorkPorts> {
    const { workPorts } = await import('./work-ports.ts');
    const ports = workPorts(this);
    this.#disposables.push(ports);
    return ports;
  }

  async adapter(model: ModelRef): Promise<ModelAdapter> {
    if (model.provider === EDITOR) return withRetry((await import('./models/lm-adapter.ts')).createEditorAdapter(this.pickedModels));
    const { calls } = this.models.facts(model);
    return loadAdapter(model, (provider) => this.configOf(provider), { memoryBytes: totalmem(), ...(calls && { calls }) });
  }

  configOf(provider: string): Promise<ProviderConfig> {
    return providerConfig(provider, this.settings, this.keys);
  }

  /** Whether this machine's memory is the model's. */
  async isServedHere({ provider }: ModelRef): Promise<boolean> {
    return isServedHere(provider, await this.configOf(provider));
  }

  /** More is known about models than before. */
  modelsChanged(): void {
    this.#changed.fire();
  }

  /** What was allowed in this workspace is asked for again, in all of its sessions and their runs; all of it, or one thing. */
  async revokeGrants(covers?: Permission): Promise<void> {
    this.assistant.revokeGrants(covers);
    await this.grants.revoke(covers);
  }

  get mode(): Mode {
    return this.context.workspaceState.get<Mode>(MODE_KEY, 'ask');
  }

  async setMode(mode: Mode): Promise<void> {
    if (mode === this.mode) return;
    await this.context.workspaceState.update(MODE_KEY, mode);
    this.#changed.fire();
  }

  /** The session that the panel shows: the one that it showed before the reload, or a new one. */
  session(): Promise<Session> {
    this.#session ??= this.#restore();
    return this.#session;
  }

  async show(session: Session): Promise<void> {
    this.#session = Promise.resolve(session);
    // At once: what the user writes meanwhile is meant for what they see.
    this.#sessionChanged.fire(session);
    await this.context.workspaceState.update(SESSION_KEY, session.id);
  }

  async #restore(): Promise<Session> {
    const id = this.context.workspaceState.get<string>(SESSION_KEY);
    try {
      const known = id === undefined ? undefined : await this.assistant.session(id);
      if (known) return known;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      void vscode.window.showWarningMessage(`Kedge could not open the last session, and began a new one: ${why}`);
    }
    const session = this.assistant.newSession();
    await this.context.workspaceState.update(SESSION_KEY, session.id);
    return session;
  }

  /** @throws SessionError where a session of that id is no longer there. */
  async sessionById(id: string): Promise<Session> {
    const session = await this.assistant.session(id);
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
    this.assistant.close();
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

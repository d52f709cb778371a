/** What the editor's parts share: the assistant on this window's folders, the session that the panel shows, and the answers to questions about them. */
import { totalmem } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Assistant } from '../../app/assistant.ts';
import { isServedHere, loadAdapter } from '../../app/models.ts';
import { type Session, SessionError } from '../../app/session.ts';
import type { Covers } from '../../core/covers.ts';
import type { Mode } from '../../core/events.ts';
import type { ModelRef } from '../../core/messages.ts';
import type { ModelAdapter } from '../../core/model.ts';
import type { PanelState, Readiness } from '../../protocol/panel.ts';
import { catalogEntry, EDITOR, missingConfig } from '../../providers/catalog.ts';
import { withRetry } from '../../providers/retry.ts';
import { DiskBlobs } from '../../sessions/blobs.ts';
import { Ledger } from '../../sessions/ledger.ts';
import { SessionStore } from '../../sessions/store.ts';
import { Commands } from '../node/commands.ts';
import { PageFetcher } from '../node/fetch.ts';
import { readMemory } from '../node/memory.ts';
import { VsCodeFileSystem } from './file-system.ts';
import { WorkspaceGrants } from './grants.ts';
import { VsCodeLanguages } from './languages.ts';
import { createEditorAdapter } from './lm-adapter.ts';
import { editorMcpServers } from './mcp.ts';
import { Models } from './models.ts';
import { readPolicy } from './policy-settings.ts';
import { editorRipgrep } from './ripgrep.ts';
import { Keys, providerConfig, VsCodeSettings } from './settings.ts';
import { Terminals } from './terminal.ts';
import { Tidier } from './tidy.ts';
import { VsCodeWriter } from './writer.ts';

const SESSION_KEY = 'kedge.session';
const MODE_KEY = 'kedge.mode';

export class Kedge implements vscode.Disposable {
  readonly context: vscode.ExtensionContext;
  readonly settings = new VsCodeSettings();
  readonly keys: Keys;
  readonly models: Models;
  readonly blobs: DiskBlobs;
  readonly assistant: Assistant;
  readonly grants: WorkspaceGrants;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #sessionChanged = new vscode.EventEmitter<Session>();
  /** Something that the panel's state shows has changed. */
  readonly onDidChange = this.#changed.event;
  readonly onDidChangeSession = this.#sessionChanged.event;
  readonly #disposables: vscode.Disposable[];
  #fs: VsCodeFileSystem | undefined;
  #session: Promise<Session> | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.context = context;
    this.keys = new Keys(context.secrets);
    this.models = new Models(this.settings, this.keys, context.globalState);
    const storage = (context.storageUri ?? context.globalStorageUri).fsPath;
    this.blobs = new DiskBlobs(join(storage, 'blobs'));
    const languages = new VsCodeLanguages(() => this.fs);
    const tidier = new Tidier();
    this.grants = new WorkspaceGrants(context.workspaceState);
    const terminals = new Terminals();
    const commands = new Commands({ storage: join(storage, 'commands'), directory: (at) => this.fs.onDisk(at), launch: terminals.launch });
    this.assistant = new Assistant({
      languages,
      tidy: (at, text) => tidier.tidied(this.fs.uri(at), text),
      commands: () => (this.fs.folders.some(({ root }) => root !== undefined) ? commands : undefined),
      fetcher: new PageFetcher(),
      // A grammar weighs as much as all else: it is loaded for the first command.
      shellParsers: async (shell) => (await import('../node/shell-parser.ts')).nodeShellParsers(shell),
      fileSystem: () => this.fs,
      writer: () => new VsCodeWriter(this.fs),
      blobs: this.blobs,
      store: new SessionStore(join(storage, 'sessions')),
      // Of all windows: the day's money is the user's, not a folder's.
      ledger: new Ledger(join(context.globalStorageUri.fsPath, 'ledger')),
      settings: {
        model: (mode) => this.settings.model(mode),
        limits: (mode) => this.settings.limits(mode),
        budgets: () => this.settings.budgets(),
        pressure: () => this.settings.pressure(),
        requirePlan: () => this.settings.requirePlan(),
        tuning: (model) => this.settings.tuning(model, this.models.facts(model)),
        policy: () => readPolicy(),
      },
      facts: (model) => this.models.facts(model),
      adapter: (model) => this.adapter(model),
      memory: async ({ provider }) =>
        isServedHere(provider, await providerConfig(provider, this.settings, this.keys)) ? readMemory() : undefined,
      mcp: editorMcpServers(),
      trusted: () => vscode.workspace.isTrusted,
      grants: this.grants,
    });
    const fire = () => this.#changed.fire();
    const revised = () => void this.models.revise().then(fire, fire);
    this.#disposables = [
      languages,
      tidier,
      commands,
      terminals,
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
    this.#fs ??= new VsCodeFileSystem(vscode.workspace.workspaceFolders ?? [], editorRipgrep);
    return this.#fs;
  }

  async adapter(model: ModelRef): Promise<ModelAdapter> {
    if (model.provider === EDITOR) return withRetry(createEditorAdapter());
    const { calls } = this.models.facts(model);
    const configOf = (provider: string) => providerConfig(provider, this.settings, this.keys);
    return loadAdapter(model, configOf, { memoryBytes: totalmem(), ...(calls && { calls }) });
  }

  /** More is known about models than before. */
  modelsChanged(): void {
    this.#changed.fire();
  }

  /** What was allowed in this workspace is asked for again, in all of its sessions and their runs; all of it, or one thing. */
  async revokeGrants(covers?: Covers): Promise<void> {
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
      void vscode.window.showWarningMessage(`Kedge could not open the last conversation, and began a new one: ${why}`);
    }
    const session = this.assistant.newSession();
    await this.context.workspaceState.update(SESSION_KEY, session.id);
    return session;
  }

  /** @throws SessionError where a session of that id is no longer there. */
  async sessionById(id: string): Promise<Session> {
    const session = await this.assistant.session(id);
    if (!session) throw new SessionError('This conversation is no longer stored.');
    return session;
  }

  async panelState(): Promise<PanelState> {
    const model = this.settings.model(this.mode);
    return {
      mode: this.mode,
      modelName: modelName(model),
      blind: model.provider === 'offline' || this.models.facts(model).vision === false,
      readiness: await this.#readiness(model),
      folders: this.fs.folders.map(({ name }) => name),
      trusted: vscode.workspace.isTrusted,
    };
  }

  async #readiness(model: ModelRef): Promise<Readiness> {
    const connect = { label: 'Connect', message: { type: 'connect_model' as const } };
    const [broken] = readPolicy().problems;
    if (broken) return { level: 'attention', text: broken };
    const problem = this.settings.modelProblem(this.mode);
    if (problem) return { level: 'attention', text: problem, action: connect };
    const entry = catalogEntry(model.provider);
    if (model.provider === 'offline') {
      return {
        level: 'ready',
        text: 'Offline answers a small set of requests without a language model.',
        action: { ...connect, label: 'Connect a model' },
      };
    }
    const missing = entry && missingConfig(entry, await providerConfig(entry.id, this.settings, this.keys));
    if (missing) return { level: 'attention', text: `There is no ${missing} for ${entry.label}.`, action: connect };
    return { level: 'ready', text: `${modelName(model)} is connected.` };
  }

  dispose(): void {
    this.assistant.close();
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

export function modelName({ provider, model }: ModelRef): string {
  return provider === 'offline' ? 'Offline' : model;
}

/** The real assistant on real folders. Only the model's answers are scripted. */
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Assistant } from '../../src/app/assistant.ts';
import type { AssistantPorts, PolicySettings } from '../../src/app/ports.ts';
import type { Budgets } from '../../src/app/run/day-budget.ts';
import type { Session } from '../../src/app/session/session.ts';
import type { List } from '../../src/core/list.ts';
import { type ModelRef, resultText, type ToolResult } from '../../src/core/model/messages.ts';
import type { ModelAdapter } from '../../src/core/model/model.ts';
import type { AgentEvent, EventBody, Mode } from '../../src/core/session/events.ts';
import type { Permission } from '../../src/core/session/grant-scope.ts';
import type { Limits, RunBudget, SessionLimits } from '../../src/core/session/limits.ts';
import { NO_ENVIRONMENT_RULES } from '../../src/hosts/node/commands/command-environment.ts';
import { Commands } from '../../src/hosts/node/commands/commands.ts';
import { gitChanges } from '../../src/hosts/node/commands/git-changes.ts';
import { gitSettings } from '../../src/hosts/node/commands/git-settings.ts';
import { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { findHooks } from '../../src/hosts/node/hooks/find-hooks.ts';
import { userFiles } from '../../src/hosts/node/user-files.ts';
import { worktreesPort } from '../../src/hosts/node/worktrees/port.ts';
import { type ScriptedAdapter, type ScriptedTurn, scriptedAdapter } from '../../src/providers/scripted/index.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { Ledger } from '../../src/sessions/ledger.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { LearnedWindows } from '../../src/sessions/windows.ts';
import type { Fetcher } from '../../src/tools/network/fetch-url.ts';
import type { LanguageServices } from '../../src/workspace/languages.ts';
import type { BlobStore, Writer } from '../../src/workspace/types.ts';

export const GENEROUS: Limits = { turns: 100, callsPerTurn: 1_000, callsPerRun: 10_000, minutes: 60 };

/** Contents by path. `-> target` creates a symbolic link, and a path with a slash at the end an empty directory. */
export type Files = Record<string, string | Uint8Array>;

export type HarnessOptions = {
  /** Additional open folders, by name. The first folder is `workspace`. */
  folders?: Record<string, Files>;
  /** The files of the user's own folder, such as `prompts/a.md`. */
  userFolder?: Files;
  /** Whether hooks run, in real processes. */
  hooks?: boolean;
  /** Files outside the workspace, in its parent directory. */
  beside?: Files;
  limits?: Partial<Limits> | ((mode: Mode) => Limits);
  runLimits?: SessionLimits;
  /** With budgets, the usage of runs is recorded in a ledger across reloads. */
  budgets?: () => Budgets & { run: RunBudget };
  trusted?: boolean;
  policy?: () => PolicySettings;
  requirePlan?: boolean;
  /** Whether the model gives sessions their titles. */
  titles?: boolean;
  mcp?: AssistantPorts['mcp'];
  now?: () => number;
  facts?: AssistantPorts['facts'];
  memory?: AssistantPorts['memory'];
  surroundings?: AssistantPorts['surroundings'];
  remembered?: AssistantPorts['remembered'];
  /** The maximum size of the memory in a conversation. */
  memoryTokens?: number;
  workspaces?: AssistantPorts['workspaces'];
  terminalOutput?: AssistantPorts['terminalOutput'];
  adapter?: ModelAdapter;
  /** Replaces the connection to the model. */
  connect?: (model: ModelRef) => Promise<ModelAdapter>;
  /** Replaces the session store. */
  store?: (directory: string) => SessionStore;
  fileSystem?: (roots: string[]) => NodeFileSystem;
  writer?: (real: NodeWriter) => Writer;
  blobs?: (real: BlobStore) => BlobStore;
  /** Commands run in real processes. Without this option, the assistant cannot run commands. */
  commands?: boolean;
  shellParsers?: AssistantPorts['shellParsers'];
  fetcher?: Fetcher;
  browser?: AssistantPorts['browser'];
  documents?: AssistantPorts['documents'];
  /** Simulates the language services of an editor. */
  languages?: (fs: NodeFileSystem) => LanguageServices;
  answerFormat?: AssistantPorts['answerFormat'];
  /** Sessions can work in Git worktrees of the first folder. */
  worktrees?: boolean;
  /** How deep runs may delegate. */
  delegation?: number;
  agents?: AssistantPorts['agents'];
  /** Whether approvals and questions cannot be answered. */
  unattended?: boolean;
};

export type Harness = AsyncDisposable & {
  assistant: Assistant;
  /** A new session of the assistant or, after `reload`, the same session as read from its log. */
  session: Session;
  adapter: ScriptedAdapter;
  store: SessionStore;
  storage: string;
  /** The workspace folder, and the directory that contains it and everything beside it. */
  root: string;
  parent: string;
  fs: NodeFileSystem;
  /** The permissions that the host stores. They survive a reload. */
  granted: Place['granted'];
  /** All events that the session of this assistant published, including deltas. */
  events: AgentEvent[];
  read(path: string): Promise<string>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Returns every name, content, link and directory in the parent directory. */
  snapshot(): Promise<Record<string, string>>;
  /** Simulates a restart of the program: memory is lost, and the log is read. */
  reload(changes?: { adapter?: ModelAdapter }): Promise<Harness>;
  /** Opens the same session in another process, like another window. */
  beside(): Promise<Harness>;
  /** Opens another session of the same assistant. */
  show(id: string): Promise<Harness>;
};

export async function assistantOn(files: Files, script: readonly ScriptedTurn[] = [], options: HarnessOptions = {}): Promise<Harness> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'kedge-test-')));
  const storage = await mkdtemp(join(tmpdir(), 'kedge-storage-'));
  const roots = [join(parent, 'workspace')];
  await layOut(roots[0] as string, files);
  await layOut(parent, options.beside ?? {});
  if (options.userFolder) await layOut(join(storage, 'user'), options.userFolder);
  for (const [name, content] of Object.entries(options.folders ?? {})) {
    roots.push(join(parent, name));
    await layOut(join(parent, name), content);
  }
  const store = (options.store ?? ((directory) => new SessionStore(directory)))(join(storage, 'sessions'));
  return start({ parent, storage, roots, options, store, adapter: scriptedAdapter(script), granted: { covers: [], revokedAt: 0 } });
}

/** State that survives a restart. `granted` are the permissions that the host stores. */
type Place = {
  parent: string;
  storage: string;
  roots: string[];
  options: HarnessOptions;
  adapter: ScriptedAdapter;
  store: SessionStore;
  granted: { covers: Permission[]; revokedAt: number };
};

async function start(place: Place, sessionId?: string): Promise<Harness> {
  const { parent, storage, roots, options, adapter, store, granted } = place;
  const fs = options.fileSystem?.(roots) ?? new NodeFileSystem(roots);
  const realWriter = new NodeWriter(fs);
  const writer = options.writer?.(realWriter) ?? realWriter;
  const realBlobs = new DiskBlobs(join(storage, 'blobs'));
  const { limits = {} } = options;
  const commands = options.commands ? new Commands({ storage: join(storage, 'commands'), directory: (at) => fs.directory(at) }) : undefined;
  const worktrees = worktreesPort({ folder: roots[0] as string, storage });
  const ports: AssistantPorts = {
    fileSystem: () => fs,
    writer: () => writer,
    blobs: options.blobs?.(realBlobs) ?? realBlobs,
    store,
    settings: {
      model: () => ({ provider: 'scripted', model: 'scripted' }),
      ...(options.requirePlan && { requirePlan: () => true }),
      ...(options.titles && { titles: () => true }),
      ...(options.memoryTokens !== undefined && { memory: () => options.memoryTokens ?? 0 }),
      ...(options.delegation !== undefined && { delegation: () => options.delegation ?? 0 }),
      limits: (mode) => (typeof limits === 'function' ? limits(mode) : { ...GENEROUS, ...limits }),
      ...(options.runLimits && { runLimits: options.runLimits }),
      ...(options.budgets && { budgets: options.budgets }),
    },
    adapter: options.connect ?? (async () => options.adapter ?? adapter),
    trusted: () => options.trusted ?? true,
    ...(options.mcp && { mcp: options.mcp }),
    grants: {
      list: () => granted.covers,
      add: (covers) => granted.covers.push(covers),
      revokedAt: () => granted.revokedAt,
    },
    ...(options.policy && { policy: options.policy }),
    ...(commands && { commands: () => commands, gitSettings: (at) => gitSettings(fs.absolute(at)) }),
    changes: (at, isWithheld, signal, staged) => gitChanges(fs.absolute(at), isWithheld, signal, staged),
    ...(options.shellParsers && { shellParsers: options.shellParsers }),
    ...(options.fetcher && { fetcher: options.fetcher }),
    ...(options.browser && { browser: options.browser }),
    ...(options.documents && { documents: options.documents }),
    ...(options.budgets && { ledger: new Ledger(join(storage, 'ledger')) }),
    windows: new LearnedWindows(join(storage, 'windows.json')),
    ...(options.languages && { languages: options.languages(fs) }),
    ...(options.worktrees && { worktrees: async () => worktrees }),
    ...(options.unattended && { unattended: () => true }),
    ...(options.now && { now: options.now }),
    ...(options.facts && { facts: options.facts }),
    ...(options.memory && { memory: options.memory }),
    ...(options.surroundings && { surroundings: options.surroundings }),
    ...(options.answerFormat && { answerFormat: options.answerFormat }),
    ...(options.agents && { agents: options.agents }),
    ...(options.terminalOutput && { terminalOutput: options.terminalOutput }),
    ...(options.workspaces && { workspaces: options.workspaces }),
    ...(options.remembered && { remembered: options.remembered }),
    ...(options.hooks && {
      hooks: () =>
        findHooks({
          folders: fs.folders.map(({ root: each }) => each),
          storage,
          environment: () => NO_ENVIRONMENT_RULES,
          env: { ...process.env, KEDGE_HOME: join(storage, 'user') },
        }),
    }),
    ...(options.userFolder && { userFiles: async (kind) => userFiles(kind, { KEDGE_HOME: join(storage, 'user') }) }),
  };
  const assistant = new Assistant(ports);
  const root = roots[0] as string;
  const open = async (id: string): Promise<Harness> => {
    const session = await assistant.session(id);
    if (!session) throw new Error(`There is no session ${id}.`);
    return of(session);
  };
  const of = (session: Session): Harness => {
    const events: AgentEvent[] = [];
    session.subscribe((event) => events.push(event), { withChildren: true });
    return {
      assistant,
      session,
      adapter,
      store,
      storage,
      root,
      parent,
      fs,
      granted,
      events,
      read: (path) => readFile(join(root, path), 'utf8'),
      write: async (path, content) => {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      },
      snapshot: () => snapshotOf(parent),
      reload: (changes) => {
        assistant.close();
        return start({ ...place, options: { ...options, ...changes } }, session.id);
      },
      beside: () => start(place, session.id),
      show: open,
      [Symbol.asyncDispose]: async () => {
        assistant.close();
        commands?.dispose();
        await rm(parent, { recursive: true, force: true });
        await chmod(storage, 0o700);
        await rm(storage, { recursive: true, force: true });
      },
    };
  };
  return sessionId === undefined ? of(await assistant.newSession()) : open(sessionId);
}

export async function layOut(root: string, files: Files): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const full = join(root, path);
    await mkdir(path.endsWith('/') ? full : dirname(full), { recursive: true });
    if (path.endsWith('/')) continue;
    if (typeof content === 'string' && content.startsWith('-> ')) await symlink(content.slice(3), full);
    else await writeFile(full, content);
  }
}

/**
 * With `times`, the result includes the time of the last write to each file. It shows a write of the same bytes and a write that was
 * undone.
 */
export async function snapshotOf(root: string, { times = false } = {}): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = async (path: string): Promise<void> => {
    const full = join(root, path);
    const stat = await lstat(full, { bigint: true });
    const written = times ? ` @${stat.mtimeNs}` : '';
    if (stat.isSymbolicLink()) found[path] = `-> ${await readlink(full)}${written}`;
    else if (stat.isFile()) found[path] = (await readFile(full)).toString('latin1') + written;
    else if (stat.isDirectory()) {
      found[`${path}/`] = `directory${written}`;
      for (const name of (await readdir(full)).sort()) await visit(path ? `${path}/${name}` : name);
    }
  };
  await visit('');
  return found;
}

export type EventOf<Type extends EventBody['type']> = Extract<AgentEvent, { type: Type }>;

export function eventsOf<Type extends EventBody['type']>(events: List<AgentEvent>, type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

export function lastOf<Type extends EventBody['type']>(events: List<AgentEvent>, type: Type): EventOf<Type> {
  const last = eventsOf(events, type).at(-1);
  if (!last) throw new Error(`No ${type} among: ${events.map((event) => event.type).join(', ')}`);
  return last;
}

/** Returns the tool results that the model received, in the order of the history. */
export function resultsOf({ state }: Session): ToolResult[] {
  return state.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
}

/** Returns the tool results as text, with failures marked. */
export function resultTexts(session: Session): string[] {
  return resultsOf(session).map((result) => (result.isError ? `ERROR ${resultText(result)}` : resultText(result)));
}

/** Resolves with the next event of a type. */
export function nextEvent<Type extends EventBody['type']>(session: Session, type: Type): Promise<EventOf<Type>> {
  return new Promise((resolve) => {
    const end = session.subscribe((event) => {
      if (event.type !== type) return;
      end();
      resolve(event as EventOf<Type>);
    });
  });
}

/** Answers every approval request immediately. */
export function answerAll(session: Session, answer: Parameters<Session['answerApproval']>[1]): void {
  session.subscribe((event) => {
    if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, answer);
  });
}

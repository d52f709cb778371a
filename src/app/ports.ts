/** The ports that a host implements for the app. The app itself does not depend on any host. */

import type { AgentDefinition } from '../agents/definition.ts';
import type { ReadFile } from '../agents/files.ts';
import type { ModelRef } from '../core/model/messages.ts';
import type { JsonSchema, ModelAdapter, ModelRequest } from '../core/model/model.ts';
import type { Tool } from '../core/run/tool.ts';
import type { Mode } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { Limits, RunBudget, SessionLimits } from '../core/session/limits.ts';
import type { DocumentCollections } from '../documents/collections.ts';
import type { HookExit } from '../hooks/answer.ts';
import type { Hook, HookFile } from '../hooks/config.ts';
import type { IsDenied, Joining, ServerResource } from '../mcp/types.ts';
import type { GitSetting } from '../policy/commands/programs/git-programs.ts';
import type { ShellParsers } from '../policy/commands/shells/syntax.ts';
import type { RuleSet } from '../policy/rules.ts';
import type { ModelFacts } from '../providers/types.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { WorkspacePlaces } from '../sessions/workspaces.ts';
import type { ElsewhereChanges } from '../tools/edit/apply-worktree.ts';
import type { Browser } from '../tools/network/browse.ts';
import type { Fetcher } from '../tools/network/fetch-url.ts';
import type { MemoryStore } from '../tools/remember.ts';
import type { CommandRunner } from '../workspace/commands.ts';
import type { FormatText } from '../workspace/format-changes.ts';
import type { LanguageServices } from '../workspace/languages.ts';
import type { BlobStore, FileSystem, Location, Writer } from '../workspace/types.ts';
import type { Surroundings } from './context/surroundings.ts';
import type { Memory, PressureThresholds } from './models/memory-pressure.ts';
import type { Budgets, DayLedger } from './run/day-budget.ts';

export type Settings = {
  model(mode: Mode): ModelRef;
  limits(mode: Mode): Limits;
  /** Limits that the user set for this run only. They also replace those that were set for its session. */
  runLimits?: SessionLimits;
  /** The budget of one run, in addition to its limits, and the budgets of all runs together. */
  budgets?(): Budgets & { run: RunBudget };
  /** The thresholds at which memory is considered short. The default thresholds apply without it. */
  pressure?(): PressureThresholds;
  /** The maximum number of tokens of a model's context window that are used. */
  contextTokens?(): number | undefined;
  /** Whether Agent mode must propose a plan, which the user confirms, before anything is changed. */
  requirePlan?(): boolean;
  /** The request parameters that the user has set for a model. */
  tuning?(model: ModelRef): Tuning;
  /** Words of the user that are added to the system prompt of runs. */
  instructions?(): string | undefined;
  /** The maximum size of the memory in a conversation, in tokens. */
  memory?(): number;
  /** Whether a lesson may be proposed after a run. It is, unless this returns false. */
  lessons?(): boolean;
  /** Whether the model gives sessions their titles. */
  titles?(): boolean;
  /** How deep runs may give tasks to child runs: 0 not at all, 1 without further ones. */
  delegation?(): number;
};

export type Tuning = Pick<ModelRequest, 'temperature' | 'maxOutputTokens' | 'reasoningEffort' | 'contextWindow'>;

/** The user's policy settings. A workspace can only make them stricter. */
export type PolicySettings = RuleSet & {
  /** Whether read-only commands need no approval. */
  readOnlyCommands?: boolean;
};

/** The ports that are needed to read sessions and start runs. */
export type SessionsPorts = {
  /** This is called at the start of each run, because folders may have been added or removed. */
  fileSystem(): FileSystem;
  blobs: BlobStore;
  store: SessionStore;
  settings: Settings;
  adapter(model: ModelRef): Promise<ModelAdapter>;
  /** Returns the known properties of a model. If it is unknown whether the model supports images, images are sent. */
  facts?(model: ModelRef): ModelFacts;
  /** The context windows, in tokens, that services reported in overflow errors. */
  windows?: { of(model: ModelRef): number | undefined; learn(model: ModelRef, tokens: number): void };
  /** Records the usage of all runs of a day. Without it, only the budgets of single runs apply. */
  ledger?: DayLedger;
  trusted(): boolean;
  /** Whether the user is unavailable. A call that needs approval is then denied. */
  unattended?(): boolean;
  /** The permissions that the user granted for this workspace. The host stores them outside the workspace. */
  grants: {
    list(): readonly Permission[];
    /** `title` names the call that the user approved. */
    add(covers: Permission, title?: string): void;
    /** The time at which the user last revoked all grants. Older grants in the log of a session that is opened later are revoked, too. */
    revokedAt?(): number;
  };
  /** Where the data of all workspaces is stored. Without it, only the sessions of this workspace are listed. */
  workspaces?: WorkspacePlaces;
  now?(): number;
};

/** The ports that only runs, undo and restore need. */
export type WorkPorts = {
  writer(): Writer;
  /** The memory of the computer that serves the model, if it is this computer. */
  memory?(model: ModelRef): Promise<Memory | undefined>;
  /** MCP servers. */
  mcp?: {
    /**
     * Returns the tools for a run, without the tools and servers that are denied. A denied server is not started. Ask and Plan mode get
     * only tools that the user declared as read-only. A server that does not answer soon does not delay the run: its tools
     * join when it answers, and again when they change.
     */
    toolsFor(mode: Mode, isDenied: IsDenied, joining?: Joining): Promise<Tool[]>;
    /** Lists the resources of the servers that are connected. */
    resources?(): Promise<ServerResource[]>;
    /**
     * Describes the servers and their tools, so that a model can answer questions about them. Only Agent mode starts servers, except denied servers.
     */
    overview?(mode: Mode, isDenied: IsDenied): Promise<string>;
    /** Returns the tool that reads the resources of a server, or undefined if no server with this name is configured. */
    resourceReader?(server: string): Tool | undefined | Promise<Tool | undefined>;
    close(): Promise<void>;
  };
  /** Returns the collections of documents for the runs of a session, in every mode, or undefined if there are none. */
  documents?(sessionId: string): Promise<DocumentsPort | undefined>;
  /** The language services, if the host has them. */
  languages?: LanguageServices;
  /** Formats text, if the host can. It is used only if the user has turned formatting on. */
  format?: FormatText;
  /** Returns undefined if the workspace is not on disk. Only runs in Agent mode use it. */
  commands?(): CommandRunner | undefined;
  fetcher?: Fetcher;
  /** Returns a browser for a run in Agent mode, or undefined if the user has not turned the tool on. */
  browser?(): Promise<Browser | undefined>;
  /** The parsers of shell grammars. Without the parser of a shell, every command in it needs approval. */
  shellParsers?: ShellParsers;
  /** Returns the settings in the configuration of a git repository that can name programs, or undefined if they cannot be determined. */
  gitSettings?(at: Location): Promise<readonly GitSetting[] | undefined>;
  /**
   * Returns the uncommitted changes of a directory as a diff, without the files for which `isWithheld` returns true. With `staged`, only
   * staged changes are included. Returns undefined outside a repository, or if `staged` is set and nothing is staged. @throws ToolError if Git would
   * run a program that the repository's configuration names
   */
  changes?(directory: Location, isWithheld: (path: string) => boolean, signal: AbortSignal, staged?: boolean): Promise<string | undefined>;
  /** The output of the last command in one of the user's terminals, if the host knows it. */
  terminalOutput?(): string | undefined;
  /** The rules that allow, deny or require approval for a call. They are read before each call. */
  policy?(): PolicySettings;
  /** The user's agents, and which agents of the workspace the user has accepted. Without it, only shipped agents can be used. */
  agents?(): Promise<AgentsPort>;
  /** The memory: entries that the user asked Kedge to remember. */
  remembered?: MemoryStore;
  /** Loads the Git worktrees in which sessions can work. It is missing unless exactly one folder is open, on this computer. */
  worktrees?(): Promise<WorktreesPort>;
  /** The directories with the user's prompt files or skills, the own one first, or undefined if there are none. No link may lead out of them. */
  userFiles?(kind: 'prompts' | 'skills'): Promise<FileSystem | undefined>;
  /** Returns the hooks of the user and of the folders, or undefined if there are none. */
  hooks?(): Promise<HooksPort | undefined>;
  /** The required form of the final answers of runs. */
  answerFormat?: AnswerFormat;
  /** Returns the known facts about the user's surroundings. This is called at the start of each run. */
  surroundings?(): Promise<Surroundings>;
};

export type WorktreesPort = {
  /** Creates a worktree with the user's files as they are now, and returns its id. @throws SessionError that says why it is not possible */
  create(sessionId: string, signal: AbortSignal): Promise<string>;
  /** Returns the ports with which runs work in the worktree. @throws SessionError if this session has no such worktree */
  open(id: string, sessionId: string): Promise<FilePorts>;
  /** Compares the worktree with the files with which it was created. @throws SessionError if this session has no such worktree */
  changes(id: string, sessionId: string, signal: AbortSignal): Promise<ElsewhereChanges>;
  /** Deletes the worktree. Does nothing if it does not exist. */
  remove(id: string): Promise<void>;
  /** Leaves the worktree to the user, so that it is no longer listed. Returns its directory, or undefined if it does not exist. */
  keep(id: string): Promise<string | undefined>;
  /** Lists the worktrees, with the sessions for which they were created. */
  list(): Promise<{ id: string; session: string; createdAt: number }[]>;
};

/** The ports that belong to the files on disk. */
export type FilePorts = Pick<AssistantPorts, 'fileSystem' | 'writer' | 'commands' | 'gitSettings' | 'changes' | 'surroundings'>;

export type AgentsPort = {
  /** Reads the agent files in the user's folder. */
  userFiles(): Promise<ReadFile[]>;
  /** Returns the digest of the workspace's agent that the user accepted last. It is stored outside the workspace. */
  accepted(path: string): string | undefined;
  accept(path: string, digest: string): void;
  /** Shows an agent of the workspace to the user, who accepts it or not. A host without a user accepts none. */
  review(agent: AgentDefinition & { review?: 'new' | 'changed' }, sessionId: string): Promise<boolean>;
  /** Whether an agent may choose this model. Without it, every known model can be chosen. */
  hasModel?(model: ModelRef): boolean;
};

export type HooksPort = {
  /** Reads the user's own file. */
  user(): HookFile | undefined;
  /** Reads the files of the open folders. */
  workspace(): HookFile[];
  /** Whether the user has accepted or refused workspace hooks with these contents. A refusal is forgotten when the program ends. */
  isAccepted(digest: string): boolean;
  accept(digest: string): void;
  isRefused(digest: string): boolean;
  refuse(digest: string): void;
  /** Runs a command in a directory or, without `cwd`, in the user's own folder of Kedge. */
  start(hook: Pick<Hook, 'command' | 'timeoutMs'> & { cwd: string | undefined }, input: string, signal: AbortSignal): Promise<HookExit>;
};

export type DocumentsPort = {
  collections: DocumentCollections;
  /** The collections that runs may read. Without it, they may read all. */
  names?: readonly string[];
  /** Whether runs read nothing else. */
  alone?: boolean;
};

/** The required form of final answers. `problemWith` says what is wrong with an answer, in sentences. */
export type AnswerFormat = { schema: JsonSchema; problemWith(answer: string): string | undefined };

export type AssistantPorts = SessionsPorts & WorkPorts;
/** The ports of a host that starts before a run is needed. The ports for runs are loaded when they are first used. */
export type LatePorts = SessionsPorts & { forWork(): Promise<WorkPorts> };

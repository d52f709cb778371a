/** What a host gives the app: the app is made of these ports, and knows no host. */

import type { ModelRef } from '../core/model/messages.ts';
import type { ModelAdapter, ModelRequest } from '../core/model/model.ts';
import type { Tool } from '../core/run/tool.ts';
import type { Mode } from '../core/session/events.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import type { Limits, RunBudget } from '../core/session/limits.ts';
import type { GitSetting } from '../policy/commands/programs/git-programs.ts';
import type { ShellParsers } from '../policy/commands/shells/syntax.ts';
import type { RuleSet } from '../policy/rules.ts';
import type { ModelFacts } from '../providers/types.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { Fetcher } from '../tools/network/fetch-url.ts';
import type { CommandRunner } from '../workspace/commands.ts';
import type { FormatText } from '../workspace/format-changes.ts';
import type { LanguageServices } from '../workspace/languages.ts';
import type { BlobStore, FileSystem, Location, Writer } from '../workspace/types.ts';
import type { Memory, PressureThresholds } from './models/memory-pressure.ts';
import type { Budgets, DayLedger } from './run/day-budget.ts';

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

/** What users set. A workspace only tightens it. */
export type PolicySettings = RuleSet & {
  /** Commands that only read need no leave. */
  readOnlyCommands?: boolean;
};

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

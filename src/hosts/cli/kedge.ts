/** Builds the assistant for folders on this computer. */
import { statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Assistant } from '../../app/assistant.ts';
import { PARTS } from '../../app/context/surroundings-parts.ts';
import { DEFAULT_LIMITS } from '../../app/limits.ts';
import { isServedHere, loadAdapter } from '../../app/models/models.ts';
import type { AgentsPort, AssistantPorts, Tuning } from '../../app/ports.ts';
import { priceOf } from '../../app/run/cost.ts';
import type { Session } from '../../app/session/session.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import { ModelError } from '../../core/model/model.ts';
import { catalogEntry, factsOf, modelText } from '../../providers/catalog.ts';
import type { ModelFacts, ProviderConfig } from '../../providers/types.ts';
import { DiskBlobs } from '../../sessions/blobs.ts';
import { Ledger } from '../../sessions/ledger.ts';
import { SessionStore } from '../../sessions/store.ts';
import { LearnedWindows } from '../../sessions/windows.ts';
import type { FileSystem, Writer } from '../../workspace/types.ts';
import type { AgentFiles } from '../node/agent-files.ts';
import { Commands } from '../node/commands/commands.ts';
import type { Launch } from '../node/commands/process.ts';
import { Collections, collectionDirectories } from '../node/documents/collections.ts';
import { lazyFetcher } from '../node/fetch/lazy-fetcher.ts';
import { NodeFileSystem } from '../node/files/file-system.ts';
import { NodeWriter } from '../node/files/writer.ts';
import { StoredKeys } from '../node/keyring.ts';
import { MemoryFiles } from '../node/memory.ts';
import { configDirectory, storageDirectory, workspaceStorage } from '../node/storage.ts';
import { StoredGrants } from './grants.ts';
import type { ProbedModel } from './local-models.ts';
import { type Addresses, bareAddress, readAddresses, writeAddresses } from './options/addresses.ts';
import { type Options, UsageError } from './options/arguments.ts';
import { dayBudgetOf } from './options/day-budget.ts';
import {
  browserOf,
  contextTokensOf,
  delegationOf,
  environmentRules,
  lessonsOf,
  memoryTokensOf,
  missingKey,
  providerConfig,
} from './options/environment.ts';
import { mcpServersOf } from './options/mcp.ts';
import { readPolicy } from './options/policy.ts';
import { oneLine } from './output/terminal.ts';

/** The parts that a host uses in place of the files on disk, and in addition to the configured MCP servers. */
export type HostParts = {
  /** Asks the user whether an agent of the workspace may run, in place of the terminal. */
  reviewAgent?: AgentsPort['review'];
  files?(fs: NodeFileSystem, writer: Writer): { fs: FileSystem; writer: Writer };
  mcpServers?: Readonly<Record<string, unknown>>;
  /** Starts commands elsewhere than in this program. */
  launch?: Launch;
  /** Changes the other ports. */
  adapt?(ports: AssistantPorts): AssistantPorts;
};

export type Kedge = {
  assistant: Assistant;
  grants: StoredGrants;
  memory: MemoryFiles;
  agentFiles(): Promise<AgentFiles>;
  /** The directory of the data for these folders. */
  storage: string;
  /** The real paths of the folders. */
  folders: readonly string[];
  /** The folders on disk. */
  fs: NodeFileSystem;
  documents: Collections;
  /** Git worktrees of the folder, if only one is open. */
  worktrees?: AssistantPorts['worktrees'];
  /** Deletes stored file contents for undo that are too old, or too large in total. Runs at most once a day. */
  pruneCheckpoints(): Promise<void>;
  /** @throws UsageError if a cost limit is set but the price of the model is unknown, because the limit could not be enforced. */
  expectPrice(model: ModelRef): void;
  /**
   * Sets the model for the next runs of this session. A local model that is used for the first time is tested first.
   * @returns the connection, the address that this or an earlier command line set with `--base-url`, and, for a local model that is
   * not suitable for Agent mode, the reason.
   * @throws UsageError if the stored addresses of the session cannot be read
   */
  use(
    model: ModelRef,
    session: Session,
    signal?: AbortSignal,
  ): Promise<{ config: ProviderConfig; explicitAddress: string | undefined; agentProblem: string | undefined }>;
};

/** @throws UsageError if a folder does not exist, or if the value of an environment variable is invalid. */
export function openKedge(
  options: Options,
  env = process.env,
  keys = new StoredKeys(storageDirectory(env)),
  { files, mcpServers, launch, adapt = (ports) => ports, reviewAgent }: HostParts = {},
): Kedge {
  for (const folder of options.folders) expectDirectory(folder);
  const day = dayBudgetOf(env);
  const fs = new NodeFileSystem(options.folders);
  const roots = fs.folders.map(({ root }) => root);
  const storage = workspaceStorage(storageDirectory(env), roots);
  const writer = new NodeWriter(fs, { journal: join(storage, 'journal') });
  void writer.recover();
  const shown = files?.(fs, writer) ?? { fs, writer };
  const logs = join(storage, 'sessions');
  const storedGrants = new StoredGrants(join(storage, 'grants.json'));
  const memory = new MemoryFiles({
    workspace: join(storage, 'memory.md'),
    user: join(storageDirectory(env), 'memory.md'),
    lessons: join(storage, 'lessons.md'),
  });
  const agentFiles = async () => {
    const { AgentFiles } = await import('../node/agent-files.ts');
    return new AgentFiles({ directory: join(configDirectory(env), 'agents'), accepted: join(storage, 'agents.json') });
  };
  const documents = new Collections(collectionDirectories(storage, storageDirectory(env)), async () =>
    env.KEDGE_EMBEDDING_MODEL ? (await import('./documents/embedder.ts')).configuredEmbedder(env, keys) : undefined,
  );
  const memoryTokens = memoryTokensOf(env);
  const contextTokens = contextTokensOf(env);
  const delegation = delegationOf(env);
  const browser = browserOf(env);
  const lessons = lessonsOf(env);
  let chosen: ModelRef = { provider: 'offline', model: 'offline' };
  let addresses: Addresses = {};
  /** The test result of `chosen`, if it is a local model. */
  let probed: ProbedModel | undefined;
  const probedOf = ({ provider, model }: ModelRef) => (provider === chosen.provider && model === chosen.model ? probed : undefined);
  const keychainReads = new Map<string, Promise<string | undefined>>();
  const storedKey = (provider: string) => {
    const read = keychainReads.get(provider) ?? keys.get(provider);
    keychainReads.set(provider, read);
    return read;
  };
  const configOf = async (provider: string): Promise<ProviderConfig> => {
    const stored = addresses[provider];
    const config = providerConfig(provider, options.baseUrl ?? (stored?.given ? stored.baseUrl : undefined), env);
    const apiKey = config.apiKey ?? (await storedKey(provider));
    const headers = env.KEDGE_HEADERS && provider === chosen.provider ? await headersFor(env, apiKey) : undefined;
    return { ...(stored && { baseUrl: stored.baseUrl }), ...config, ...(apiKey && { apiKey }), ...(headers && { headers }) };
  };
  const facts = (model: ModelRef) => factsOf(model, probedOf(model), options.price && { prices: options.price });
  const warn = (problem: string) => void process.stderr.write(`kedge: ${oneLine(problem, 1_000)}\n`);
  const policy = readPolicy(options, roots, warn);
  const commands = new Commands({
    storage: join(storage, 'commands'),
    directory: (at) => fs.directory(at),
    environment: () => environmentRules(env),
    ...(launch && { launch }),
  });
  const surroundingsOf = async (root: string) =>
    (await import('../node/surroundings.ts')).terminalSurroundings(root, new Set(options.surroundings ?? PARTS));
  const loadWorktrees = async (folder: string) =>
    (await import('../node/worktrees/port.ts')).worktreesPort({
      ...{ folder, storage, surroundings: surroundingsOf },
      environment: () => environmentRules(env),
      ...(launch && { launch }),
    });
  let loadedWorktrees: ReturnType<typeof loadWorktrees> | undefined;
  const worktrees = () => (loadedWorktrees ??= loadWorktrees(roots[0] as string));
  const mcp = mcpServersOf(options.mcpConfig, { folders: roots, storage }, warn, mcpServers);
  const assistant = new Assistant(
    adapt({
      commands: () => commands,
      fetcher: lazyFetcher(),
      ...(browser && {
        browser: async () => {
          const { RunBrowser } = await import('../node/browser/run-browser.ts');
          return new RunBrowser({ data: storageDirectory(env), ...browser, environment: () => environmentRules(env) });
        },
      }),
      ...(mcp && { mcp }),
      // The grammars are as large as the rest of the program, so they are loaded only when the first command runs.
      shellParsers: async (shell) => (await import('../node/shell/shell-parser.ts')).nodeShellParsers(shell),
      gitSettings: async (at) => (await import('../node/commands/git-settings.ts')).gitSettings(fs.absolute(at)),
      fileSystem: () => shown.fs,
      writer: () => shown.writer,
      blobs: new DiskBlobs(join(storage, 'blobs')),
      store: new SessionStore(logs),
      workspaces: { directory: dirname(storage), key: basename(storage), folders: roots },
      ledger: new Ledger(join(storageDirectory(env), 'ledger')),
      windows: new LearnedWindows(join(storageDirectory(env), 'windows.json')),
      settings: {
        model: () => chosen,
        requirePlan: () => options.requirePlan ?? false,
        limits: (mode) => DEFAULT_LIMITS[mode],
        runLimits: { ...options.limits, ...options.budget },
        budgets: () => ({ run: {}, day }),
        memory: () => memoryTokens,
        contextTokens: () => contextTokens,
        delegation: () => delegation,
        lessons: () => lessons,
        tuning: (model) => tuningOf(options, facts(model)),
        instructions: () => options.system,
      },
      policy: () => policy,
      remembered: memory,
      // A model on the command line is for all runs.
      agents: async () => (await import('./agents/review.ts')).agentsPort(await agentFiles(), options.model === undefined, reviewAgent),
      hooks: async () =>
        (await import('../node/hooks/find-hooks.ts')).findHooks({ folders: roots, storage, environment: () => environmentRules(env), env }),
      userFiles: async (kind) => (await import('../node/user-files.ts')).userFiles(kind, env),
      documents: () => documents.forRuns(),
      surroundings: () => surroundingsOf(roots[0] as string),
      ...(roots.length === 1 && !files && { worktrees }),
      facts,
      changes: async (at, isWithheld, signal) =>
        (await import('../node/commands/git-changes.ts')).gitChanges(fs.absolute(at), isWithheld, signal),
      adapter: async (model) => {
        const config = await configOf(model.provider);
        const missing = missingKey(model, config);
        if (missing) throw new ModelError('auth', missing);
        const calls = probedOf(model)?.calls;
        return loadAdapter(model, async () => config, { memoryBytes: totalmem(), ...(calls && { calls }) });
      },
      memory: async ({ provider }) =>
        isServedHere(provider, await configOf(provider)) ? (await import('../node/system-memory.ts')).readMemory() : undefined,
      // A user who starts the program in a folder and gives it a task trusts that folder.
      trusted: () => true,
      grants: {
        list: () => (options.yes ? [{ kind: 'edits' as const }, ...storedGrants.list()] : storedGrants.list()),
        add: (covers) => storedGrants.add(covers),
        revokedAt: () => storedGrants.revokedAt(),
      },
    }),
  );
  return {
    assistant,
    grants: storedGrants,
    memory,
    agentFiles,
    documents,
    ...(roots.length === 1 && { worktrees }),
    storage,
    folders: roots,
    fs,
    async pruneCheckpoints() {
      const { pruneBlobs } = await import('../../sessions/prune.ts');
      await pruneBlobs({ blobs: join(storage, 'blobs'), sessions: logs, keep: assistant.openIds });
    },
    expectPrice(model) {
      const limit = options.budget.usd !== undefined ? '--max-usd' : day.usd !== undefined ? 'the usd of KEDGE_DAY_BUDGET' : undefined;
      if (!limit || priceOf(model, facts(model), Date.now)) return;
      throw new UsageError(
        `The price of ${modelText(model)} is unknown, so ${limit} cannot be enforced. Set the price with --price IN/OUT, in US dollars per million tokens, such as --price 0.5/2, or limit tokens instead (--max-tokens).`,
      );
    },
    async use(model, { id }, signal = new AbortController().signal) {
      chosen = model;
      addresses = readAddresses(logs, id, options.baseUrl !== undefined);
      const config = await configOf(model.provider);
      const stored = addresses[model.provider];
      const isExplicit = options.baseUrl !== undefined || stored?.given === true;
      const address = config.baseUrl && URL.canParse(config.baseUrl) ? bareAddress(config.baseUrl) : undefined;
      if (address && (address !== stored?.baseUrl || isExplicit !== stored.given)) {
        addresses = { ...addresses, [model.provider]: { baseUrl: address, given: isExplicit } };
        writeAddresses(logs, id, addresses);
      }
      const local = catalogEntry(model.provider)?.local ? await import('./local-models.ts') : undefined;
      probed = local?.isLocal(model.provider, config)
        ? await local.probeOnce(probedModelsFile(env), model, config, (text) => void process.stderr.write(`${oneLine(text)}\n`), signal)
        : undefined;
      return { config, explicitAddress: isExplicit ? address : undefined, agentProblem: probed && local?.agentProblem(probed) };
    },
  };
}

/** Returns the path of the file that stores the test results of local models. */
export function probedModelsFile(env = process.env): string {
  return join(storageDirectory(env), 'local-models.json');
}

/** Returns the headers in KEDGE_HEADERS. The code for headers is loaded on demand, because few users set headers. */
async function headersFor(env: NodeJS.ProcessEnv, apiKey: string | undefined): Promise<Record<string, string>> {
  const [{ headersOf }, { filledHeaders }] = await Promise.all([import('./options/headers.ts'), import('../../providers/headers.ts')]);
  return filledHeaders(headersOf(env), apiKey);
}

/** Returns the parameters that the user has set. No request asks for a longer answer than the model can give. */
function tuningOf({ temperature, maxOutputTokens: most }: Options, { maxOutput = most }: ModelFacts): Tuning {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(most !== undefined && { maxOutputTokens: Math.min(most, maxOutput ?? most) }),
  };
}

function expectDirectory(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) throw new UsageError(`The folder ${folder} does not exist. Create it, or choose another folder with --folder.`);
  if (!stats.isDirectory()) throw new UsageError(`${folder} is a file, not a folder. Choose a folder with --folder.`);
}

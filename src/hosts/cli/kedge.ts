/** The assistant on folders of this computer. */
import { statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { Assistant } from '../../app/assistant.ts';
import { DEFAULT_LIMITS } from '../../app/limits.ts';
import { isServedHere, loadAdapter } from '../../app/models/models.ts';
import { priceOf } from '../../app/run/cost.ts';
import type { Session } from '../../app/session/session.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import { ModelError } from '../../core/model/model.ts';
import { catalogEntry, factsOf, modelText } from '../../providers/catalog.ts';
import type { ProviderConfig } from '../../providers/types.ts';
import { DiskBlobs } from '../../sessions/blobs.ts';
import { Ledger } from '../../sessions/ledger.ts';
import { SessionStore } from '../../sessions/store.ts';
import { Commands } from '../node/commands/commands.ts';
import { PageFetcher } from '../node/fetch/fetch.ts';
import { NodeFileSystem } from '../node/files/file-system.ts';
import { NodeWriter } from '../node/files/writer.ts';
import { StoredKeys } from '../node/keyring.ts';
import { storageDirectory, workspaceStorage } from '../node/storage.ts';
import { KeptGrants } from './grants.ts';
import type { Tried } from './local-models.ts';
import { type Addresses, bareAddress, readAddresses, writeAddresses } from './options/addresses.ts';
import { type Options, UsageError } from './options/arguments.ts';
import { dayBudgetOf } from './options/day-budget.ts';
import { environmentRules, missingKey, providerConfig } from './options/environment.ts';
import { mcpServersOf } from './options/mcp.ts';
import { readPolicy } from './options/policy.ts';
import { oneLine } from './output/terminal.ts';

export type Kedge = {
  assistant: Assistant;
  grants: KeptGrants;
  /** Removes earlier contents of files that are too old or too many, at most once a day. */
  prune(): Promise<void>;
  /** @throws UsageError where a limit of money is set and what the model costs is not known, so that it would limit nothing. */
  expectPrice(model: ModelRef): void;
  /**
   * The model of runs that are started from now on, in this session.
   * @returns how it is spoken to, the address that was given for it on this or an earlier command line, and where it is a local one
   * that does not do for Agent mode, why not. A local model that is new is tried first.
   * @throws UsageError when the session's addresses cannot be read
   */
  use(
    model: ModelRef,
    session: Session,
    signal?: AbortSignal,
  ): Promise<{ config: ProviderConfig; given: string | undefined; unsuitable: string | undefined }>;
};

/** @throws UsageError when a folder is not there, or a setting of the environment cannot be read. */
export function openKedge(options: Options, env = process.env, keys = new StoredKeys(storageDirectory(env))): Kedge {
  for (const folder of options.folders) expectDirectory(folder);
  const day = dayBudgetOf(env);
  const fs = new NodeFileSystem(options.folders);
  const roots = fs.folders.map(({ root }) => root);
  const storage = workspaceStorage(storageDirectory(env), roots);
  const writer = new NodeWriter(fs, { journal: join(storage, 'journal') });
  void writer.recover();
  const logs = join(storage, 'sessions');
  const kept = new KeptGrants(join(storage, 'grants.json'));
  let chosen: ModelRef = { provider: 'offline', model: 'offline' };
  let known: Addresses = {};
  /** Where `chosen` is a local model. */
  let tried: Tried | undefined;
  const triedOf = ({ provider, model }: ModelRef) => (provider === chosen.provider && model === chosen.model ? tried : undefined);
  const stored = new Map<string, Promise<string | undefined>>();
  const storedKey = (provider: string) => {
    const asked = stored.get(provider) ?? keys.get(provider);
    stored.set(provider, asked);
    return asked;
  };
  const configOf = async (provider: string): Promise<ProviderConfig> => {
    const kept = known[provider];
    const config = providerConfig(provider, options.baseUrl ?? (kept?.given ? kept.baseUrl : undefined), env);
    const apiKey = config.apiKey ?? (await storedKey(provider));
    const headers = env.KEDGE_HEADERS && provider === chosen.provider ? await headersFor(env, apiKey) : undefined;
    return { ...(kept && { baseUrl: kept.baseUrl }), ...config, ...(apiKey && { apiKey }), ...(headers && { headers }) };
  };
  const facts = (model: ModelRef) => factsOf(model, triedOf(model), options.price && { prices: options.price });
  const say = (problem: string) => void process.stderr.write(`kedge: ${oneLine(problem, 1_000)}\n`);
  const policy = readPolicy(options, roots, say);
  const commands = new Commands({
    storage: join(storage, 'commands'),
    directory: (at) => fs.directory(at),
    environment: () => environmentRules(env),
  });
  const assistant = new Assistant({
    commands: () => commands,
    fetcher: new PageFetcher(),
    ...(options.mcpConfig !== undefined && { mcp: mcpServersOf(options.mcpConfig, say) }),
    // A grammar weighs as much as all else: it is loaded for the first command.
    shellParsers: async (shell) => (await import('../node/shell/shell-parser.ts')).nodeShellParsers(shell),
    gitSettings: async (at) => (await import('../node/commands/git-settings.ts')).gitSettings(fs.absolute(at)),
    fileSystem: () => fs,
    writer: () => writer,
    blobs: new DiskBlobs(join(storage, 'blobs')),
    store: new SessionStore(logs),
    ledger: new Ledger(join(storageDirectory(env), 'ledger')),
    settings: {
      model: () => chosen,
      requirePlan: () => options.requirePlan ?? false,
      limits: (mode) => ({ ...DEFAULT_LIMITS[mode], ...options.limits }),
      budgets: () => ({ run: options.budget, day }),
    },
    policy: () => policy,
    facts,
    adapter: async (model) => {
      const config = await configOf(model.provider);
      const missing = missingKey(model, config);
      if (missing) throw new ModelError('auth', missing);
      const calls = triedOf(model)?.calls;
      return loadAdapter(model, async () => config, { memoryBytes: totalmem(), ...(calls && { calls }) });
    },
    memory: async ({ provider }) =>
      isServedHere(provider, await configOf(provider)) ? (await import('../node/system-memory.ts')).readMemory() : undefined,
    // Who starts a program in a folder and hands it a task trusts it with the folder.
    trusted: () => true,
    grants: {
      list: () => (options.yes ? [{ kind: 'edits' as const }, ...kept.list()] : kept.list()),
      add: (covers) => kept.add(covers),
      revokedAt: () => kept.revokedAt(),
    },
  });
  return {
    assistant,
    grants: kept,
    async prune() {
      const { DEFAULT_BOUNDS, pruneBlobs } = await import('../../sessions/prune.ts');
      await pruneBlobs({ blobs: join(storage, 'blobs'), sessions: logs, bounds: DEFAULT_BOUNDS, keep: assistant.openIds });
    },
    expectPrice(model) {
      const limit = options.budget.usd !== undefined ? '--max-usd' : day.usd !== undefined ? 'the usd of KEDGE_DAY_BUDGET' : undefined;
      if (!limit || priceOf(model, facts(model), Date.now)) return;
      throw new UsageError(
        `The price of ${modelText(model)} is not known, so ${limit} would not stop it. Give it with --price IN/OUT, in US dollars for a million tokens, such as --price 0.5/2, or limit tokens instead (--max-tokens).`,
      );
    },
    async use(model, { id }, signal = new AbortController().signal) {
      chosen = model;
      known = readAddresses(logs, id, options.baseUrl !== undefined);
      const config = await configOf(model.provider);
      const kept = known[model.provider];
      const given = options.baseUrl !== undefined || kept?.given === true;
      const address = config.baseUrl && URL.canParse(config.baseUrl) ? bareAddress(config.baseUrl) : undefined;
      if (address && (address !== kept?.baseUrl || given !== kept.given)) {
        known = { ...known, [model.provider]: { baseUrl: address, given } };
        writeAddresses(logs, id, known);
      }
      const local = catalogEntry(model.provider)?.local ? await import('./local-models.ts') : undefined;
      tried = local?.isLocal(model.provider, config)
        ? await local.getToKnow(triedModels(env), model, config, (text) => void process.stderr.write(`${oneLine(text)}\n`), signal)
        : undefined;
      return { config, given: given ? address : undefined, unsuitable: tried && local?.unsuitable(tried) };
    },
  };
}

/** Where it is kept what local models showed. */
export function triedModels(env = process.env): string {
  return join(storageDirectory(env), 'local-models.json');
}

/** Loaded where there are some. */
async function headersFor(env: NodeJS.ProcessEnv, apiKey: string | undefined): Promise<Record<string, string>> {
  const [{ headersOf }, { filledHeaders }] = await Promise.all([import('./options/headers.ts'), import('../../providers/headers.ts')]);
  return filledHeaders(headersOf(env), apiKey);
}

function expectDirectory(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no folder ${folder}.`);
  if (!found.isDirectory()) throw new UsageError(`${folder} is a file. Give the folder to work in with --folder.`);
}

/** The session with that id or that begins so, or the last one. @throws UsageError */
export async function findSession(assistant: Assistant, wanted: string): Promise<Session> {
  const infos = await assistant.sessions();
  const found = wanted === 'last' ? infos.slice(0, 1) : infos.filter(({ id }) => id.startsWith(wanted));
  if (found.length > 1) throw new UsageError(`${found.length} sessions begin with ${wanted}. Give more of the id: see kedge sessions.`);
  const session = found[0] && (await assistant.session(found[0].id));
  if (session) return session;
  throw new UsageError(
    wanted === 'last' ? 'There is no session in this folder yet.' : `There is no session ${wanted} in this folder. See kedge sessions.`,
  );
}

/** The models of the connected services: their lists, cached for the session, and the facts about each model. */
import { totalmem } from 'node:os';
import type * as vscode from 'vscode';
import { isServedHere, knownModels, listModels, loadAdapter } from '../../../app/models/models.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import type { ModelAdapter } from '../../../core/model/model.ts';
import { CATALOG, type CatalogEntry, EDITOR, factsOf, modelText } from '../../../providers/catalog.ts';
import { withRetry } from '../../../providers/retry.ts';
import type { ModelFacts, ModelInfo, ProviderConfig } from '../../../providers/types.ts';
import { type Keys, providerConfig, type VsCodeSettings } from '../settings/settings.ts';
import type { PickedModels } from './lm-adapter.ts';

const FACTS_KEY = 'kedge.facts';
/** How long Ollama may take to list its models. */
const LOCAL_MS = 1_500;

export class Models {
  /** The models that the Chat passed to Kedge, by name. */
  readonly picked: PickedModels = new Map();
  readonly #settings: VsCodeSettings;
  readonly #keys: Keys;
  readonly #memory: vscode.Memento;
  /** The lists by provider, each with the configuration that was used to load it. */
  readonly #lists = new Map<string, { models: readonly ModelInfo[]; config: string }>();

  constructor(settings: VsCodeSettings, keys: Keys, memory: vscode.Memento) {
    this.#settings = settings;
    this.#keys = keys;
    this.#memory = memory;
  }

  /** Returns the models of a service and caches them. @throws ModelError if the service does not list them */
  async list(provider: string, signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const cached = this.#lists.get(provider);
    if (cached) return cached.models;
    const config = await this.configOf(provider);
    const models = await listModels(provider, config, signal);
    this.#lists.set(provider, { models, config: JSON.stringify(config) });
    return models;
  }

  /** Caches a list that was loaded elsewhere, under the current configuration. */
  async keep(provider: string, models: readonly ModelInfo[]): Promise<void> {
    if (models.length > 0) this.#lists.set(provider, { models, config: JSON.stringify(await this.configOf(provider)) });
  }

  /** Returns the cached list, or else the models that the catalogue and the settings name. It sends no request. */
  known(provider: string): readonly ModelInfo[] {
    return this.#lists.get(provider)?.models ?? knownModels(provider, this.#settings.facts);
  }

  facts(ref: ModelRef): ModelFacts {
    const name = modelText(ref);
    const { id: _, ...live } = this.#live(ref) ?? ({ id: '' } as ModelInfo);
    const remembered = this.#memory.get<Record<string, ModelFacts>>(FACTS_KEY, {})[name];
    const isReplaced = live.digest !== undefined && live.digest !== remembered?.digest;
    return factsOf(ref, { ...(isReplaced ? {} : remembered), ...live }, this.#settings.facts[name]);
  }

  /** Stores the facts about a chosen model and how it calls tools, so that they are known after a restart without asking the service. */
  async remember(ref: ModelRef, calls?: ModelFacts['calls']): Promise<void> {
    const { id: _, ...facts } = this.#live(ref) ?? ({ id: '' } as ModelInfo);
    const name = modelText(ref);
    const all = this.#memory.get<Record<string, ModelFacts>>(FACTS_KEY, {});
    const rememberedCalls = all[name]?.digest === facts.digest ? all[name]?.calls : undefined;
    const newCalls = calls ?? rememberedCalls;
    await this.#memory.update(FACTS_KEY, { ...all, [name]: { ...facts, ...(newCalls && { calls: newCalls }) } });
  }

  /** Returns the services that have a key, an address or a loaded list of models, and the services in use that need no key. */
  async connected(): Promise<CatalogEntry[]> {
    const inUse = new Set([undefined, 'ask', 'plan', 'agent'].map((mode) => this.#settings.model(mode as 'ask' | undefined).provider));
    const addresses = this.#settings.baseUrls;
    const entries = await Promise.all(
      CATALOG.filter(({ id }) => id !== 'offline').map(async (entry) => {
        const { id, keyless } = entry;
        const isConnected = this.#lists.has(id) || (keyless && inUse.has(id)) || addresses[id] !== undefined;
        return isConnected || (await this.#keys.get(id)) !== undefined ? entry : undefined;
      }),
    );
    return entries.filter((entry) => entry !== undefined);
  }

  /** Returns the number of models if Ollama is running on this computer. */
  async ollama(): Promise<number | undefined> {
    try {
      return (await this.list('ollama', AbortSignal.timeout(LOCAL_MS))).length;
    } catch {
      return undefined;
    }
  }

  /** Drops the lists whose configuration has changed, because they may be from another service or account. */
  async dropStaleLists(): Promise<void> {
    for (const [provider, { config }] of [...this.#lists]) {
      if (JSON.stringify(await this.configOf(provider)) !== config) this.#lists.delete(provider);
    }
  }

  #live({ provider, model }: ModelRef): ModelInfo | undefined {
    return this.#lists.get(provider)?.models.find(({ id }) => id === model);
  }

  async adapter(model: ModelRef): Promise<ModelAdapter> {
    if (model.provider === EDITOR) return withRetry((await import('./lm-adapter.ts')).createEditorAdapter(this.picked));
    const { calls } = this.facts(model);
    return loadAdapter(model, (provider) => this.configOf(provider), { memoryBytes: totalmem(), ...(calls && { calls }) });
  }

  configOf(provider: string): Promise<ProviderConfig> {
    return providerConfig(provider, this.#settings, this.#keys);
  }

  /** Returns true if the model runs on this machine and therefore uses its memory. */
  async isServedHere({ provider }: ModelRef): Promise<boolean> {
    return isServedHere(provider, await this.configOf(provider));
  }
}

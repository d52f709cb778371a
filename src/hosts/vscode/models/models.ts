/** The models of the services that are connected: their live lists, kept for the session, and what is known about each. */
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
/** How long a program on this computer may take to say that it is there. */
const LOCAL_MS = 1_500;

export class Models {
  /** Models that the editor handed over itself. */
  readonly picked: PickedModels = new Map();
  readonly #settings: VsCodeSettings;
  readonly #keys: Keys;
  readonly #memory: vscode.Memento;
  /** Each with the configuration that it was asked for with. */
  readonly #lists = new Map<string, { models: readonly ModelInfo[]; config: string }>();

  constructor(settings: VsCodeSettings, keys: Keys, memory: vscode.Memento) {
    this.#settings = settings;
    this.#keys = keys;
    this.#memory = memory;
  }

  /** The service's list; asked for once. @throws ModelError */
  async list(provider: string, signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const before = this.#lists.get(provider);
    if (before) return before.models;
    const config = await this.configOf(provider);
    const models = await listModels(provider, config, signal);
    this.#lists.set(provider, { models, config: JSON.stringify(config) });
    return models;
  }

  /** A list that was asked for elsewhere, with what is configured by now. */
  async keep(provider: string, models: readonly ModelInfo[]): Promise<void> {
    if (models.length > 0) this.#lists.set(provider, { models, config: JSON.stringify(await this.configOf(provider)) });
  }

  /** What can be said without asking: the list, if it was asked for, else what catalogue and settings name. */
  known(provider: string): readonly ModelInfo[] {
    return this.#lists.get(provider)?.models ?? knownModels(provider, this.#settings.facts);
  }

  facts(ref: ModelRef): ModelFacts {
    const name = modelText(ref);
    const { id: _, ...live } = this.#live(ref) ?? ({ id: '' } as ModelInfo);
    const before = this.#memory.get<Record<string, ModelFacts>>(FACTS_KEY, {})[name];
    const isAnother = live.digest !== undefined && live.digest !== before?.digest;
    return factsOf(ref, { ...(isAnother ? {} : before), ...live }, this.#settings.facts[name]);
  }

  /** What the service said of a model that was chosen is wanted after a restart too, when nobody has asked it yet; and how it calls tools. */
  async remember(ref: ModelRef, calls?: ModelFacts['calls']): Promise<void> {
    const { id: _, ...facts } = this.#live(ref) ?? ({ id: '' } as ModelInfo);
    const name = modelText(ref);
    const all = this.#memory.get<Record<string, ModelFacts>>(FACTS_KEY, {});
    const same = all[name]?.digest === facts.digest ? all[name]?.calls : undefined;
    const known = calls ?? same;
    await this.#memory.update(FACTS_KEY, { ...all, [name]: { ...facts, ...(known && { calls: known }) } });
  }

  /** Those that have a key or an address of the user's, those that answered, and those in use. */
  async connected(): Promise<CatalogEntry[]> {
    const used = new Set([undefined, 'ask', 'plan', 'agent'].map((mode) => this.#settings.model(mode as 'ask' | undefined).provider));
    const addresses = this.#settings.baseUrls;
    const entries = await Promise.all(
      CATALOG.filter(({ id }) => id !== 'offline').map(async (entry) => {
        const { id, keyless } = entry;
        const known = this.#lists.has(id) || (keyless && used.has(id)) || addresses[id] !== undefined;
        return known || (await this.#keys.get(id)) !== undefined ? entry : undefined;
      }),
    );
    return entries.filter((entry) => entry !== undefined);
  }

  /** Whether an Ollama runs on this computer: the number of its models, if it does. */
  async ollama(): Promise<number | undefined> {
    try {
      return (await this.list('ollama', AbortSignal.timeout(LOCAL_MS))).length;
    } catch {
      return undefined;
    }
  }

  /** Keys or addresses have changed: what another service or account said counts no more. */
  async revise(): Promise<void> {
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

  /** Whether this machine's memory is the model's. */
  async isServedHere({ provider }: ModelRef): Promise<boolean> {
    return isServedHere(provider, await this.configOf(provider));
  }
}

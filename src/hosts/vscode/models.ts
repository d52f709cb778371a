/** The models of the services that are connected: their live lists, kept for the session, and what is known about each. */
import type * as vscode from 'vscode';
import { knownModels, listModels } from '../../app/models.ts';
import type { ModelRef } from '../../core/messages.ts';
import { CATALOG, type CatalogEntry, factsOf, modelText } from '../../providers/catalog.ts';
import type { ModelFacts, ModelInfo } from '../../providers/types.ts';
import { type Keys, providerConfig, type VsCodeSettings } from './settings.ts';

const FACTS_KEY = 'kedge.facts';
/** How long a program on this computer may take to say that it is there. */
const LOCAL_MS = 1_500;

export class Models {
  readonly #settings: VsCodeSettings;
  readonly #keys: Keys;
  readonly #memory: vscode.Memento;
  readonly #lists = new Map<string, readonly ModelInfo[]>();

  constructor(settings: VsCodeSettings, keys: Keys, memory: vscode.Memento) {
    this.#settings = settings;
    this.#keys = keys;
    this.#memory = memory;
  }

  /** The service's list; asked for once. @throws ModelError */
  async list(provider: string, signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const before = this.#lists.get(provider);
    if (before) return before;
    const list = await listModels(provider, await providerConfig(provider, this.#settings, this.#keys), signal);
    this.#lists.set(provider, list);
    return list;
  }

  keep(provider: string, list: readonly ModelInfo[]): void {
    if (list.length > 0) this.#lists.set(provider, list);
  }

  /** What can be said without asking: the list, if it was asked for, else what catalogue and settings name. */
  known(provider: string): readonly ModelInfo[] {
    return this.#lists.get(provider) ?? knownModels(provider, this.#settings.facts);
  }

  facts(ref: ModelRef): ModelFacts {
    const name = modelText(ref);
    const { id: _, ...live } = this.#lists.get(ref.provider)?.find(({ id }) => id === ref.model) ?? { id: '' };
    const remembered = this.#memory.get<Record<string, ModelFacts>>(FACTS_KEY, {})[name];
    return factsOf(ref, { ...remembered, ...live }, this.#settings.facts[name]);
  }

  /** What the service said of a model that was chosen is wanted after a restart too, when nobody has asked it yet. */
  async remember(ref: ModelRef): Promise<void> {
    const info = this.#lists.get(ref.provider)?.find(({ id }) => id === ref.model);
    if (!info) return;
    const { id: _, ...facts } = info;
    const before = this.#memory.get<Record<string, ModelFacts>>(FACTS_KEY, {});
    await this.#memory.update(FACTS_KEY, { ...before, [modelText(ref)]: facts });
  }

  /** Those that have a key or an address of the user's, those that answered, and those in use. */
  async connected(): Promise<CatalogEntry[]> {
    const used = new Set([undefined, 'ask', 'plan', 'agent'].map((mode) => this.#settings.model(mode as 'ask' | undefined).provider));
    const entries = await Promise.all(
      CATALOG.filter(({ id }) => id !== 'offline').map(async (entry) => {
        const { id, keyless } = entry;
        const known = this.#lists.has(id) || (keyless && used.has(id)) || this.#settings.server(id).baseUrl !== undefined;
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

  forget(): void {
    this.#lists.clear();
  }
}

/** Creates adapters for models, lists the models of a service, and tests models. */
import type { ModelRef } from '../../core/model/messages.ts';
import type { ModelAdapter } from '../../core/model/model.ts';
import { ModelError } from '../../core/model/model.ts';
import { type CatalogEntry, catalogEntry, catalogModels, completeConfig, loadTextTools, missingConfig } from '../../providers/catalog.ts';
import { withRetry } from '../../providers/retry.ts';
import type { ModelFacts, ModelInfo, ProviderConfig, ProviderModule } from '../../providers/types.ts';
import { isThisMachine } from './memory-pressure.ts';
import type { Probe } from './probe.ts';

/**
 * Creates the adapter of a model. The code of its provider is loaded on first use. `configOf` returns the user's configuration of a
 * provider.
 */
export async function loadAdapter(
  model: ModelRef,
  configOf: (provider: string) => Promise<ProviderConfig>,
  { calls, memoryBytes }: { calls?: ModelFacts['calls'] /** The memory of this computer. */; memoryBytes?: number } = {},
): Promise<ModelAdapter> {
  const entry = entryOf(model.provider);
  const [provider, config] = await Promise.all([entry.load(), configOf(entry.id)]);
  expectConfig(entry, config);
  const here = memoryBytes !== undefined && isServedHere(entry.id, config) ? { memoryBytes } : {};
  const adapter = withRetry(provider.createAdapter({ ...completeConfig(entry, config), ...here }));
  if (calls === 'none') return { ...adapter, stream: (request, signal) => adapter.stream({ ...request, tools: [] }, signal) };
  // Whether a local server recognizes the tool calls of a model depends on the model's template. Some templates leave the calls in the
  // text.
  if (calls !== 'text' && !entry.local) return adapter;
  const { withTextTools } = await loadTextTools();
  return { ...adapter, ...withTextTools(adapter, { mode: calls === 'text' ? 'text' : 'rescue' }) };
}

/**
 * Lists the models of a service in the service's order, without duplicates. With `only`, models other than that one may be missing. @throws
 * ModelError
 */
export async function listModels(provider: string, config: ProviderConfig, signal: AbortSignal, only?: string): Promise<ModelInfo[]> {
  const [module, complete] = await opened(provider, config);
  const found = await module.listModels(complete, signal, only);
  return [...new Map(found.map((info) => [info.id, info])).values()];
}

/** Returns the models that the catalogue and the user's settings name, without a request to the service. */
export function knownModels(provider: string, users: Readonly<Record<string, ModelFacts>> = {}): ModelInfo[] {
  const own = Object.keys(users).filter((key) => key.startsWith(`${provider}/`));
  const ids = new Set([...catalogModels(provider), ...own.map((key) => key.slice(provider.length + 1))]);
  return [...ids].map((id) => ({ id }));
}

/** Tests how a model calls a tool. Returns undefined if the test takes longer than `timeoutMs`. @throws ModelError */
export async function tryModel(ref: ModelRef, config: ProviderConfig, signal: AbortSignal, timeoutMs: number): Promise<Probe | undefined> {
  const [[module, complete], { probeModel }] = await Promise.all([opened(ref.provider, config), import('./probe.ts')]);
  return await probeModel(module.createAdapter(complete), ref.model, signal, timeoutMs);
}

async function opened(provider: string, config: ProviderConfig): Promise<[ProviderModule, ProviderConfig]> {
  const entry = entryOf(provider);
  expectConfig(entry, config);
  return [await entry.load(), completeConfig(entry, config)];
}

function entryOf(provider: string): CatalogEntry {
  const entry = catalogEntry(provider);
  if (!entry) throw new ModelError('unknown_model', `There is no provider ${provider}. Choose another model.`);
  return entry;
}

/** Requires the key and the address, so that no key is sent to a wrong address. @throws ModelError if one of them is missing */
function expectConfig(entry: CatalogEntry, config: ProviderConfig): void {
  const missing = missingConfig(entry, config);
  if (missing) throw new ModelError('auth', `There is no ${missing} for ${entry.label}. To add it, run "Kedge: Connect a Model".`);
}

/** Returns true if the model runs on this computer and therefore uses its memory. */
export function isServedHere(provider: string, config: ProviderConfig): boolean {
  const entry = catalogEntry(provider);
  return entry?.local === true && isThisMachine(completeConfig(entry, config).baseUrl ?? 'http://localhost');
}

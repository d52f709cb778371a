/** Models by name: their adapters, the lists that their services have, and whether one of them answers. */
import type { ModelRef } from '../core/messages.ts';
import { user } from '../core/messages.ts';
import type { ModelAdapter, ModelRequest } from '../core/model.ts';
import { ModelError } from '../core/model.ts';
import { type CatalogEntry, catalogEntry, catalogModels, completeConfig, missingConfig } from '../providers/catalog.ts';
import { withRetry } from '../providers/retry.ts';
import type { ModelFacts, ModelInfo, ProviderConfig, ProviderModule } from '../providers/types.ts';

/** The adapter of a model, its provider loaded when it is first asked for. `configOf` gives what the user configured. */
export async function loadAdapter(model: ModelRef, configOf: (provider: string) => Promise<ProviderConfig>): Promise<ModelAdapter> {
  const entry = entryOf(model.provider);
  const [provider, config] = await Promise.all([entry.load(), configOf(entry.id)]);
  expectConfig(entry, config);
  return withRetry(provider.createAdapter(completeConfig(entry, config)));
}

/** What the service has and says, in its order; a model that it names twice once. @throws ModelError */
export async function listModels(provider: string, config: ProviderConfig, signal: AbortSignal): Promise<ModelInfo[]> {
  const [module, complete] = await opened(provider, config);
  const found = await module.listModels(complete, signal);
  return [...new Map(found.map((info) => [info.id, info])).values()];
}

/** Without asking anybody: the models that the catalogue and the user's settings name. */
export function knownModels(provider: string, users: Readonly<Record<string, ModelFacts>> = {}): ModelInfo[] {
  const own = Object.keys(users).filter((key) => key.startsWith(`${provider}/`));
  const ids = new Set([...catalogModels(provider), ...own.map((key) => key.slice(provider.length + 1))]);
  return [...ids].map((id) => ({ id }));
}

const WORD = 'ahoy';
const TEST: Omit<ModelRequest, 'model'> = {
  system: 'You check whether tools can be called.',
  messages: [user(`Call the tool "signal" with the word "${WORD}".`)],
  tools: [
    {
      name: 'signal',
      description: 'Shows that tools can be called.',
      inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    },
  ],
};

/** Asks for one tool call, once. `text` is a model that answered without one. @throws ModelError */
export async function tryModel({ provider, model }: ModelRef, config: ProviderConfig, signal: AbortSignal): Promise<'tools' | 'text'> {
  const [module, complete] = await opened(provider, config);
  let called = false;
  for await (const event of module.createAdapter(complete).stream({ ...TEST, model }, signal)) {
    if (event.type === 'part' && event.part.type === 'tool_call') called ||= event.part.name === 'signal';
  }
  return called ? 'tools' : 'text';
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

/** A key goes to the address that it is for, so without one nothing is sent. */
function expectConfig(entry: CatalogEntry, config: ProviderConfig): void {
  const missing = missingConfig(entry, config);
  if (missing) throw new ModelError('auth', `There is no ${missing} for ${entry.label}. Connect it with "Kedge: Connect a Model".`);
}

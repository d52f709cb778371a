import type { ModelRef } from '../core/messages.ts';
import type { ModelAdapter } from '../core/model.ts';
import { ModelError } from '../core/model.ts';
import { catalogEntry } from '../providers/catalog.ts';
import { withRetry } from '../providers/retry.ts';
import type { ProviderConfig } from '../providers/types.ts';

/** The adapter of a model, its provider loaded when it is first asked for. `configOf` gives what the user configured. */
export async function loadAdapter(model: ModelRef, configOf: (provider: string) => Promise<ProviderConfig>): Promise<ModelAdapter> {
  const entry = catalogEntry(model.provider);
  if (!entry) throw new ModelError('unknown_model', `There is no provider ${model.provider}. Choose another model.`);
  const [provider, config] = await Promise.all([entry.load(), configOf(entry.id)]);
  if (!entry.keyless && !config.apiKey && !config.baseUrl)
    throw new ModelError('auth', `There is no key for ${entry.label}. Connect it with "Kedge: Connect a Model".`);
  return withRetry(provider.createAdapter(config));
}

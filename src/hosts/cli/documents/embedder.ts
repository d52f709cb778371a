/** The embedding model that the user has configured for the terminal program. */
import { createEmbedder } from '../../../app/models/embedder.ts';
import type { Embedder } from '../../../documents/embeddings/embedder.ts';
import { parseModelRef } from '../../../providers/catalog.ts';
import type { StoredKeys } from '../../node/keyring.ts';
import { UsageError } from '../options/arguments.ts';
import { type Environment, providerConfig } from '../options/environment.ts';

/**
 * The address and the key are those of the provider. KEDGE_BASE_URL and KEDGE_API_KEY belong to the model of runs, so documents are never sent there.
 * @throws UsageError if the setting is invalid @throws ModelError if the model cannot be used
 */
export async function configuredEmbedder(env: Environment, keys: StoredKeys): Promise<Embedder | undefined> {
  const name = env.KEDGE_EMBEDDING_MODEL?.trim();
  if (!name) return undefined;
  if (!name.includes('/'))
    throw new UsageError(`The embedding model must be a provider and a model, such as openai/text-embedding-3-small.`);
  const model = modelOf(name);
  const { KEDGE_BASE_URL: _url, KEDGE_API_KEY: _key, ...own } = env;
  const config = providerConfig(model.provider, undefined, own);
  const apiKey = config.apiKey ?? (await keys.get(model.provider));
  return createEmbedder(model, { ...config, ...(apiKey && { apiKey }) });
}

function modelOf(name: string) {
  try {
    return parseModelRef(name);
  } catch (error) {
    throw new UsageError(`The embedding model is not valid. ${(error as Error).message}`);
  }
}

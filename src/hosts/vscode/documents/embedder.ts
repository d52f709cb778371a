/** The embedding model of the settings. */
import type { Embedder } from '../../../documents/embeddings/embedder.ts';
import { parseModelRef } from '../../../providers/catalog.ts';
import type { Models } from '../models/models.ts';
import { userSetting } from '../settings/settings.ts';

/**
 * A workspace cannot set the model, because the text of documents is sent to it.
 * @throws Error with a message for the user if the model cannot be used
 */
export async function editorEmbedder(models: Pick<Models, 'configOf' | 'facts'>): Promise<Embedder | undefined> {
  const value = userSetting<unknown>('documents.embeddingModel');
  const name = typeof value === 'string' ? value.trim() : '';
  if (name === '') return undefined;
  if (!name.includes('/'))
    throw new Error('The setting kedge.documents.embeddingModel must be a provider and a model, such as openai/text-embedding-3-small.');
  const model = parseModelRef(name);
  const { createEmbedder } = await import('../../../app/models/embedder.ts');
  return createEmbedder(model, await models.configOf(model.provider), { usdPerMillion: models.facts(model).prices?.input });
}

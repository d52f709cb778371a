/** Creates the model that computes the embeddings of passages. */

import { holdsKey } from '../../core/keys.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import { ModelError, type ModelWaiting } from '../../core/model/model.ts';
import type { Embedder } from '../../documents/embeddings/embedder.ts';
import { catalogEntry, completeConfig, missingConfig, modelText } from '../../providers/catalog.ts';
import { createEmbed } from '../../providers/embeddings/embeddings.ts';
import { embeddingFacts } from '../../providers/embeddings/models.ts';
import { retried } from '../../providers/embeddings/retried.ts';
import type { RetryOptions } from '../../providers/retry.ts';
import type { ProviderConfig } from '../../providers/types.ts';
import { isServedHere } from './models.ts';

/** The services accept at least 100 texts in a request. A local server computes them one after another. */
const BATCH = { texts: 100, tokens: 40_000 };
const LOCAL_BATCH = { texts: 16, tokens: 8_000 };
/** A text that is too long for the model is shortened again and again, to no less than this. */
const MIN_TEXT = 400;

/**
 * `usdPerMillion` is the price that the user has set, in US dollars per million tokens.
 * @throws ModelError if the provider has no embedding models, or if its key or address is missing
 */
export function createEmbedder(
  model: ModelRef,
  config: ProviderConfig,
  { usdPerMillion, retry }: { usdPerMillion?: number | undefined; retry?: RetryOptions } = {},
): Embedder {
  const name = modelText(model);
  const entry = catalogEntry(model.provider);
  if (!entry) throw new ModelError('unknown_model', `There is no provider ${model.provider} with embedding models: choose another model.`);
  const missing = missingConfig(entry, config);
  if (missing)
    throw new ModelError(
      'auth',
      `There is no ${missing} for ${entry.label}, which computes the embeddings: add it, or choose another model.`,
    );
  const complete = { ...completeConfig(entry, config), provider: { id: entry.id, label: entry.label } };
  const isLocal = isServedHere(entry.id, config);
  const embed = createEmbed(model.model, complete);
  const price = isLocal ? 0 : (usdPerMillion ?? embeddingFacts(name).usdPerMillion);
  return {
    name,
    label: `${entry.label} (${model.model})`,
    ...(price !== undefined && { usdPerMillion: price }),
    isLocal,
    batch: entry.local ? LOCAL_BATCH : BATCH,
    isWithheld: holdsKey,
    // A search does not wait for a server that fails.
    async embed(texts, kind, signal, notify) {
      const wait = (waiting: ModelWaiting) => notify?.(waitingText(entry.label, waiting));
      for (let most = Math.max(...texts.map((text) => text.length)); ; most = Math.floor(most / 2)) {
        try {
          const shortened = texts.map((text) => text.slice(0, most).toWellFormed());
          return await retried(
            (either) => embed({ texts: shortened, kind }, either),
            signal,
            wait,
            kind === 'query' ? { ...retry, tries: 1 } : retry,
          );
        } catch (error) {
          if (!(error instanceof ModelError) || error.kind !== 'context_overflow' || most / 2 < MIN_TEXT) throw error;
        }
      }
    },
  };
}

function waitingText(label: string, { reason, waitMs, silent }: ModelWaiting): string {
  const seconds = Math.ceil(waitMs / 1_000);
  if (silent) return `${label} has not answered yet.`;
  return `${label} ${reason === 'rate_limit' ? 'receives too many requests' : 'failed'}. The next attempt is in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

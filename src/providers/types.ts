import type { ModelAdapter } from '../core/model.ts';

/** What the user configured for a provider. Nothing is taken from the environment behind the user's back. */
export type ProviderConfig = { apiKey?: string; baseUrl?: string; headers?: Record<string, string> };

/** Every provider folder's `index.ts` exports this. */
export interface ProviderModule {
  createAdapter(config: ProviderConfig): ModelAdapter;
}

export type ModelInfo = { id: string; label?: string; contextWindow?: number; maxOutput?: number };

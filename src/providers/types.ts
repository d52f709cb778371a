import type { ModelAdapter } from '../core/model/model.ts';

/** The user's configuration of a provider. Adapters read nothing from the environment. */
export type ProviderConfig = {
  apiKey?: string;
  baseUrl?: string;
  headers?: Record<string, string>;
  /** How long the server may send nothing before the request is aborted, in milliseconds. */
  silenceMs?: number;
  /**
   * Whether requests are sent with `fetch` instead of `node:http`. An editor replaces the functions of `node:http` to support its proxies,
   * and the replacements open a new connection for each request.
   */
  usesFetch?: boolean;
  /** The memory of this computer, in bytes, if the model runs on it. */
  memoryBytes?: number;
  /** The provider's name, for adapters that serve several providers with the same API. */
  provider?: { id: string; label: string };
};

/** The exports of every provider folder's `index.ts`. */
export interface ProviderModule {
  createAdapter(config: ProviderConfig): ModelAdapter;
  /** Lists the models available to the user. `only` restricts the list to one model. @throws ModelError */
  listModels(config: ProviderConfig, signal: AbortSignal, only?: string): Promise<ModelInfo[]>;
}

/** Prices in US dollars per million tokens. If `cached` or `cacheWrite` is missing, the price of `input` applies. */
export type Rates = { input: number; output: number; cached?: number; cacheWrite?: number };

/**
 * If a request has more than `long.above` input tokens, the `long` prices apply to all of it. From the date `later.from` on, the `later`
 * prices apply.
 */
export type Prices = Rates & { long?: Rates & { above: number }; later?: Rates & { from: string } };

/** Facts about a model; undefined if unknown. */
export type ModelFacts = {
  label?: string;
  contextWindow?: number;
  maxOutput?: number;
  vision?: boolean;
  tools?: boolean;
  reasoning?: boolean;
  /** How the model called tools when it was tested: natively, in its text, or not at all. */
  calls?: 'native' | 'text' | 'none';
  /** Distinguishes versions of a model with the same name. */
  digest?: string;
  prices?: Prices;
};

export type ModelInfo = ModelFacts & { id: string };

import type { ModelAdapter } from '../core/model/model.ts';

/** What the user configured for a provider. Nothing is taken from the environment behind the user's back. */
export type ProviderConfig = {
  apiKey?: string;
  baseUrl?: string;
  headers?: Record<string, string>;
  /** How long the server may send nothing before a request is given up. */
  silenceMs?: number;
  /** Of the machine that serves the model, where that is this one. */
  memoryBytes?: number;
  /** Under whose name the adapter works, where that is not its folder's: one wire serves many providers. */
  provider?: { id: string; label: string };
};

/** Every provider folder's `index.ts` exports this. */
export interface ProviderModule {
  createAdapter(config: ProviderConfig): ModelAdapter;
  /** The models that the service has for this user, with what it says about them; `only` where one alone is of interest. @throws ModelError */
  listModels(config: ProviderConfig, signal: AbortSignal, only?: string): Promise<ModelInfo[]>;
}

/** US dollars for a million tokens; without a price of its own, input that is read from a cache or written to it costs as much as any. */
export type Rates = { input: number; output: number; cached?: number; cacheWrite?: number };

/** A whole request costs the `long` rates where its input is above that many tokens; from a day on the `later` ones hold. */
export type Prices = Rates & { long?: Rates & { above: number }; later?: Rates & { from: string } };

/** What is known about a model. Unknown is undefined. */
export type ModelFacts = {
  label?: string;
  contextWindow?: number;
  maxOutput?: number;
  vision?: boolean;
  tools?: boolean;
  reasoning?: boolean;
  /** How it was found to call tools: as the wire has it, written in its text, or not at all. */
  calls?: 'native' | 'text' | 'none';
  /** Tells this model from another of the same name. */
  digest?: string;
  prices?: Prices;
};

export type ModelInfo = ModelFacts & { id: string };

import { silenceOf } from '../connection.ts';
import { numberOf, withoutEmpty } from '../listing.ts';
import { Client, modelEntries } from '../openai/client.ts';
import { checkConfig, serverOf } from '../server.ts';
import type { ModelInfo, Prices, ProviderConfig } from '../types.ts';

const OTHER = /embed|whisper|\btts\b|rerank|moderation|guard/i;

export async function listModels(config: ProviderConfig, signal: AbortSignal): Promise<ModelInfo[]> {
  const name = config.provider?.label ?? 'the chat server';
  checkConfig(name, config);
  const server = serverOf(name, config);
  const entries = await modelEntries(new Client(config, server, silenceOf(config, true)), server, signal);
  return entries.filter(writesText).map(toInfo);
}

/** An entry of a server's model list. Servers differ in which fields they send and how they name them. */
type Entry = {
  id?: unknown;
  name?: unknown;
  /** OpenRouter, Groq, Mistral, vLLM and llama.cpp name the context window differently. Their fields follow in this order. */
  context_length?: unknown;
  context_window?: unknown;
  max_context_length?: unknown;
  max_model_len?: unknown;
  meta?: { n_ctx?: unknown; n_ctx_train?: unknown } | null;
  max_completion_tokens?: unknown;
  top_provider?: { max_completion_tokens?: unknown } | null;
  capabilities?: { completion_chat?: boolean; function_calling?: boolean; vision?: boolean } | null;
  architecture?: { input_modalities?: string[]; output_modalities?: string[] } | null;
  supported_parameters?: string[];
  pricing?: { prompt?: unknown; completion?: unknown; input_cache_read?: unknown } | null;
};

function writesText({ id, capabilities, architecture }: Entry): boolean {
  if (capabilities?.completion_chat === false) return false;
  if (architecture?.output_modalities && !architecture.output_modalities.includes('text')) return false;
  return typeof id === 'string' && !OTHER.test(id);
}

/** Exported for its test. */
export function toInfo(entry: Entry): ModelInfo {
  const { capabilities, architecture, supported_parameters: parameters, meta } = entry;
  const context = [
    entry.context_length,
    entry.context_window,
    entry.max_context_length,
    entry.max_model_len,
    meta?.n_ctx,
    meta?.n_ctx_train,
  ];
  return {
    id: String(entry.id),
    ...withoutEmpty({
      label: typeof entry.name === 'string' && entry.name !== entry.id ? entry.name : undefined,
      contextWindow: context.map(numberOf).find((number) => number !== undefined),
      maxOutput: numberOf(entry.max_completion_tokens) ?? numberOf(entry.top_provider?.max_completion_tokens),
      vision: capabilities?.vision ?? architecture?.input_modalities?.includes('image'),
      tools: capabilities?.function_calling ?? parameters?.includes('tools'),
      reasoning: parameters?.includes('reasoning'),
      prices: pricesOf(entry.pricing),
    }),
  };
}

/** OpenRouter gives prices in US dollars per token, as strings. 0 means free; a negative price means that it varies. */
function pricesOf(pricing: Entry['pricing']): Prices | undefined {
  const perMillion = (value: unknown) => {
    const dollars = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
    return dollars >= 0 ? Number((dollars * 1_000_000).toFixed(6)) : undefined;
  };
  const input = perMillion(pricing?.prompt);
  const output = perMillion(pricing?.completion);
  if (input === undefined || output === undefined) return undefined;
  const cached = perMillion(pricing?.input_cache_read);
  return { input, output, ...(cached !== undefined && { cached }) };
}

import type { ModelRef, Usage } from '../../core/model/messages.ts';
import { catalogEntry } from '../../providers/catalog.ts';
import type { ModelFacts, Prices } from '../../providers/types.ts';

const MILLION = 1_000_000;

/**
 * Returns a function that computes the cost of an answer in US dollars, or undefined if the price is unknown. Models on the user's computer
 * cost nothing unless the user has set a price.
 */
export function priceOf(
  { provider }: ModelRef,
  { prices }: ModelFacts,
  now: () => number,
): ((usage: Usage) => number | undefined) | undefined {
  if (prices) return (usage) => usdOf(usage, prices, new Date(now()));
  return provider === 'offline' || catalogEntry(provider)?.local ? () => 0 : undefined;
}

/**
 * Returns the cost of one answer in US dollars, or undefined if the prices or token counts are unknown. Reasoning tokens cost as much as
 * output tokens.
 */
export function usdOf({ input, output, cached = 0, cacheWrite = 0 }: Usage, prices: Prices | undefined, day: Date): number | undefined {
  if (!prices || input === undefined || output === undefined) return undefined;
  const current = prices.later && day.toISOString() >= prices.later.from ? prices.later : prices;
  const rates = prices.long && input > prices.long.above ? prices.long : current;
  const hit = Math.min(cached, input);
  const written = Math.min(cacheWrite, input - hit);
  const inputs = (input - hit - written) * rates.input + hit * (rates.cached ?? rates.input) + written * (rates.cacheWrite ?? rates.input);
  return (inputs + output * rates.output) / MILLION;
}

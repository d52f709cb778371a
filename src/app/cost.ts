import type { Usage } from '../core/messages.ts';
import type { Prices } from '../providers/types.ts';

const MILLION = 1_000_000;

/** US dollars for one answer; undefined where the prices, or the tokens that they are for, are not known. Reasoning is paid as output. */
export function usdOf({ input, output, cached = 0, cacheWrite = 0 }: Usage, prices: Prices | undefined, day: Date): number | undefined {
  if (!prices || input === undefined || output === undefined) return undefined;
  const current = prices.later && day.toISOString() >= prices.later.from ? prices.later : prices;
  const rates = prices.long && input > prices.long.above ? prices.long : current;
  const hit = Math.min(cached, input);
  const written = Math.min(cacheWrite, input - hit);
  const inputs = (input - hit - written) * rates.input + hit * (rates.cached ?? rates.input) + written * (rates.cacheWrite ?? rates.input);
  return (inputs + output * rates.output) / MILLION;
}

/** Formats token counts and costs the same way in all hosts. */
import type { Cost } from '../model/messages.ts';

/** Examples: 950, 12.3k, 1.2M. */
export function tokens(number: number): string {
  if (number < 1000) return String(number);
  return number < 999_950 ? `${(number / 1000).toFixed(1)}k` : `${(number / 1_000_000).toFixed(1)}M`;
}

/** Examples: $0.0042, $0.37, $12.40. A lower bound is marked with ≥. */
export function dollars({ usd, unpriced }: Cost): string {
  const digits = usd === 0 || usd >= 0.1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(usd)));
  return `${unpriced ? '≥ ' : ''}$${usd.toFixed(digits)}`;
}

/** Published facts about models, by provider and model (November 2026). Values from the service or the user's settings take precedence. */
import type { ModelFacts, Rates } from './types.ts';

const CAPABLE = { vision: true, tools: true, reasoning: true };
const OPENAI = { ...CAPABLE, contextWindow: 1_050_000, maxOutput: 128_000 };
const ANTHROPIC = { ...CAPABLE, contextWindow: 1_000_000, maxOutput: 128_000 };
const GEMINI = { ...CAPABLE, contextWindow: 1_048_576, maxOutput: 65_536 };

/** OpenAI charges more for long inputs. */
const above272k = (input: number, output: number, cached: number) => ({
  input,
  output,
  cached,
  long: { above: 272_000, input: input * 2, output: output * 1.5, cached: cached * 2 },
});

/** Anthropic charges 25% more for input that is written to the five-minute cache. */
const writing = (rates: Rates): Rates => ({ ...rates, cacheWrite: rates.input * 1.25 });

export const FACTS: Readonly<Record<string, ModelFacts>> = {
  'openai/gpt-6-astra': { ...OPENAI, prices: above272k(10, 50, 1) },
  'openai/gpt-6.1-sol': { ...OPENAI, prices: above272k(2, 10, 0.1) },
  'openai/gpt-6.1-terra': { ...OPENAI, prices: above272k(1, 5, 0.05) },
  'openai/gpt-6-luna': { ...OPENAI, prices: above272k(0.1, 0.5, 0.01) },
  'anthropic/claude-opus-5-5': { ...ANTHROPIC, prices: writing({ input: 4, output: 20, cached: 0.2 }) },
  'anthropic/claude-sonnet-5-5': { ...ANTHROPIC, prices: writing({ input: 2, output: 10, cached: 0.2 }) },
  'anthropic/claude-haiku-5-5': {
    ...ANTHROPIC,
    prices: {
      ...writing({ input: 0.1, output: 0.5, cached: 0.01 }),
      long: { above: 100_000, ...writing({ input: 0.5, output: 2.5, cached: 0.05 }) },
    },
  },
  'gemini/gemini-4-argon': {
    ...GEMINI,
    prices: { input: 2, output: 10, cached: 0.1, later: { from: '2026-12-01', input: 4, output: 20, cached: 0.2 } },
  },
  'gemini/gemini-3.8-flash': { ...GEMINI, prices: { input: 0.75, output: 3.75 } },
};

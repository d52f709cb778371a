/** Formats a model's name, and its facts in a few words. */
import type { ModelRef } from '../../../core/model/messages.ts';
import type { ModelFacts } from '../../../providers/types.ts';

export function modelName({ provider, model }: ModelRef): string {
  return provider === 'offline' ? 'Offline' : model;
}

export function describeFacts({ label, contextWindow, vision, tools, prices }: ModelFacts): { description?: string; detail?: string } {
  const facts = [
    contextWindow !== undefined && `${size(contextWindow)} context`,
    vision && 'accepts images',
    tools === false && 'no tools',
    prices && `$${prices.input} in, $${prices.output} out per million tokens`,
  ].filter(Boolean);
  return { ...(label && { description: label }), ...(facts.length > 0 && { detail: facts.join(' · ') }) };
}

/** Formats a number of tokens: 8k, 128k, 1.05M. */
function size(tokens: number): string {
  return tokens < 999_500 ? `${Math.round(tokens / 1000)}k` : `${Number((tokens / 1_000_000).toFixed(2))}M`;
}

/** The context window of a model, as far as it is known. */

import type { ModelRef } from '../../core/model/messages.ts';
import { contextSize } from '../../providers/ollama/convert.ts';
import type { SessionsPorts } from '../ports.ts';
import type { Memory } from './memory-pressure.ts';

export type WindowPorts = Pick<SessionsPorts, 'facts' | 'windows' | 'settings'>;

/**
 * Returns the window in tokens. What the user has set counts most. Ollama allocates memory for the window, so it is limited by the memory
 * of the computer, and Ollama cuts off longer requests without an error.
 */
export function windowOf(model: ModelRef, ports: WindowPorts, memory?: Memory): number | undefined {
  const set = ports.settings.tuning?.(model).contextWindow;
  const contextLength = ports.facts?.(model).contextWindow;
  const known = smallest(contextLength, ports.windows?.of(model));
  const usual =
    model.provider === 'ollama'
      ? contextSize({ ...(known && { contextLength: known }), ...(memory && { memoryBytes: memory.total }) })
      : known;
  return smallest(set ?? usual, ports.settings.contextTokens?.());
}

function smallest(...sizes: readonly (number | undefined)[]): number | undefined {
  const known = sizes.filter((size) => size !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

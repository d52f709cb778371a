/** Determines the context window of a model, if it is known. */

import type { ModelRef } from '../../core/model/messages.ts';
import { contextSize } from '../../providers/ollama/convert.ts';
import type { SessionsPorts } from '../ports.ts';
import type { Memory } from './memory-pressure.ts';

export type WindowPorts = Pick<SessionsPorts, 'facts' | 'windows' | 'settings'>;

/**
 * Returns true if the server allocates memory for the window, as Ollama does. The window is then limited by the memory of the computer and
 * sent with each request, and the server cuts off longer requests without an error.
 */
export function isAllocated({ provider }: ModelRef): boolean {
  return provider === 'ollama';
}

/** Returns the window in tokens. A window that the user has set takes precedence. `memory` is used only if the window is allocated. */
export function windowOf(model: ModelRef, ports: WindowPorts, memory?: Memory): number | undefined {
  const set = ports.settings.tuning?.(model).contextWindow;
  const contextLength = ports.facts?.(model).contextWindow;
  const known = smallest(contextLength, ports.windows?.of(model));
  const usual = isAllocated(model)
    ? contextSize({ ...(known && { contextLength: known }), ...(memory && { memoryBytes: memory.total }) })
    : known;
  return smallest(set ?? usual, ports.settings.contextTokens?.());
}

function smallest(...sizes: readonly (number | undefined)[]): number | undefined {
  const known = sizes.filter((size) => size !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

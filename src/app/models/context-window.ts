/** How many tokens fit into the context window of a model. */
import type { ModelRef } from '../../core/model/messages.ts';
import type { AssistantPorts } from '../ports.ts';

export type WindowPorts = Pick<AssistantPorts, 'settings' | 'facts' | 'windows'>;

/** Returns the smallest size in tokens that the settings, the service or an overflow error gave. Undefined if the size is not known. */
export function contextWindow(model: ModelRef, { settings, facts, windows }: WindowPorts): number | undefined {
  const sizes = [
    settings.tuning?.(model).contextWindow,
    facts?.(model).contextWindow,
    windows?.of(model),
    settings.contextTokens?.(),
  ].filter((size) => size !== undefined);
  return sizes.length > 0 ? Math.min(...sizes) : undefined;
}

import type { ModelEvent } from '../../src/core/model/model.ts';

/** Collects every event that an adapter yields, up to its end or its error. */
export async function listen(events: AsyncIterable<ModelEvent>, seen: ModelEvent[] = []): Promise<ModelEvent[]> {
  for await (const event of events) seen.push(event);
  return seen;
}

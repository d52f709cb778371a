import type { ModelAdapter, ModelRequest, ModelWaiting } from '../../core/model/model.ts';
import { type RetryOptions, withRetry } from '../retry.ts';

/** Sends a request that has a single answer, with the policy that all adapters have. `notify` is called with each wait. */
export async function retried<Answer>(
  send: (signal: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
  notify: (waiting: ModelWaiting) => void = () => undefined,
  options?: RetryOptions,
): Promise<Answer> {
  let answer: Answer | undefined;
  const adapter: ModelAdapter = {
    // biome-ignore lint/correctness/useYield: the answer is not an event
    async *stream(_, either) {
      answer = await send(either);
    },
  };
  for await (const event of withRetry(adapter, options).stream({} as ModelRequest, signal))
    if (event.type === 'model_waiting') notify(event);
  return answer as Answer;
}

import type { ModelRef } from '../../../src/core/model/messages.ts';
import type { RunView } from '../../../src/core/view/run-view.ts';
import { dollars, tokens } from '../../format.ts';

type Finished = Pick<NonNullable<RunView['finished']>, 'usage' | 'cost' | 'sessionCost'>;

/** Shows the model, tokens and cost of a run, if they are known. */
export function RunFooter({ model, usage, cost, sessionCost }: Finished & { model: ModelRef | undefined }) {
  const { input, output, cached, cacheWrite, reasoning } = usage;
  const detail = [
    cached !== undefined && `${tokens(cached)} input tokens were cached`,
    cacheWrite !== undefined && `${tokens(cacheWrite)} tokens were written to the cache`,
    reasoning !== undefined && `${tokens(reasoning)} output tokens were reasoning`,
    (cost?.unpriced || sessionCost?.unpriced) && 'the price of some answers is unknown',
  ].filter(Boolean);
  const facts = [
    model?.model,
    input !== undefined && `${tokens(input)} tokens in`,
    output !== undefined && `${tokens(output)} out`,
    cost && dollars(cost),
    sessionCost && sessionCost.usd !== cost?.usd && `${dollars(sessionCost)} in this session`,
  ].filter(Boolean);
  return facts.length === 0 ? null : (
    <p class="run-footer" title={detail.join(', ') || undefined}>
      {facts.join(' · ')}
    </p>
  );
}

import type { Usage } from '../../src/core/messages.ts';
import { tokens } from '../format.ts';
import type { RunView } from '../run-view.ts';

/** Model and tokens, as far as they are known. */
export function RunFooter({ run, usage }: { run: RunView; usage: Usage }) {
  const { input, output, cached, reasoning } = usage;
  const detail = [
    cached !== undefined && `${tokens(cached)} of the input were cached`,
    reasoning !== undefined && `${tokens(reasoning)} of the output were reasoning`,
  ].filter(Boolean);
  const facts = [
    run.model?.model,
    input !== undefined && `${tokens(input)} tokens in`,
    output !== undefined && `${tokens(output)} out`,
  ].filter(Boolean);
  return facts.length === 0 ? null : (
    <p class="run-footer" title={detail.join(', ') || undefined}>
      {facts.join(' · ')}
    </p>
  );
}

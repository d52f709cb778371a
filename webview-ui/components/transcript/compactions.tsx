import type { CompactionView } from '../../../src/core/view/run-view.ts';
import { COMPACTING, compactedText } from '../../../src/core/words/context-text.ts';
import { Expandable } from '../expandable.tsx';
import { Icon } from '../icon.tsx';

/** Shows the compactions of a run, each with the text that replaced the earlier messages. */
export function Compactions({ compactions, compacting }: { compactions: readonly CompactionView[]; compacting: boolean }) {
  return (
    <>
      {compactions.map((compaction) => (
        <Expandable
          key={compaction.seq}
          class="compaction"
          summary={compactedText(compaction)}
          children={() => (
            <>
              <p class="dim">
                Nothing is lost: the model can read every earlier message again. The conversation now begins with your messages and this:
              </p>
              <pre>{[compaction.summary, compaction.carried].filter(Boolean).join('\n\n') || 'Only tool results were shortened.'}</pre>
            </>
          )}
        />
      ))}
      {compacting && (
        <p class="ending dim" role="status">
          <Icon name="loading" spin />
          <span>{COMPACTING}</span>
        </p>
      )}
    </>
  );
}

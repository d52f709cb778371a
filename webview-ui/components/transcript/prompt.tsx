import { useState } from 'preact/hooks';
import type { RunView } from '../../../src/core/view/run-view.ts';
import { MODE } from '../../modes.ts';
import { RestoreHere } from '../changes/restore.tsx';
import { Icon } from '../icon.tsx';
import { SentChips } from '../mentions/chips.tsx';
import { Thumbnails } from './thumbnails.tsx';

const LONG = 600;

export function Prompt({ run, canRestore }: { run: RunView; canRestore: boolean }) {
  const [showsAll, setShowsAll] = useState(false);
  const text = run.plan ? `Run the plan: ${run.plan.goal}` : run.prompt;
  const isLong = text.length > LONG;
  return (
    <div class="prompt">
      <h3 class="sr-only">You, in {MODE[run.mode].label} mode</h3>
      <Thumbnails images={run.images ?? []} />
      <SentChips refs={run.mentions ?? []} />
      <p>{isLong && !showsAll ? `${text.slice(0, LONG)} …` : text}</p>
      {isLong && (
        <button type="button" class="button link" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show less' : 'Show all'}
        </button>
      )}
      {canRestore && <RestoreHere to={{ runId: run.id }} label="Restore the files to their state before this prompt" />}
      <span class="prompt-mode" title={`${MODE[run.mode].label} mode`} aria-hidden="true">
        <Icon name={run.plan ? 'run-all' : MODE[run.mode].icon} />
      </span>
    </div>
  );
}

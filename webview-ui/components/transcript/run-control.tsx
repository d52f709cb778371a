import { useEffect, useState } from 'preact/hooks';
import type { RunView } from '../../../src/core/view/run-view.ts';
import { activityOf } from '../../activity.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo.ts';
import { IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** Holds the run that is under way, lets it go on, or one step at a time, or ends it. */
export const RunControl = memo(({ run, held }: { run: RunView; held: boolean }) => {
  const [asked, setAsked] = useState(false);
  useEffect(() => setAsked(false), [held, run.id]);

  const pause = () => {
    setAsked(true);
    post({ type: 'pause' });
  };
  const resume = () => {
    setAsked(false);
    post({ type: 'continue' });
  };
  const waiting = activityOf(run).waiting;
  const isHolding = asked && !held;
  return (
    <div class="run-control" role="toolbar" aria-label="Run">
      {held || isHolding ? <Icon name="debug-pause" tone="warn" /> : <Icon name={waiting ? 'bell-dot' : 'pulse'} tone="dim" />}
      <span class="grow cut dim">{held ? 'Paused' : isHolding ? 'Pauses after this step' : waiting ? 'Waits for you' : 'Under way'}</span>
      {held || isHolding ? (
        <IconButton icon="debug-continue" label="Resume" onClick={resume} />
      ) : (
        <IconButton icon="debug-pause" label="Pause after this step" onClick={pause} />
      )}
      <IconButton icon="debug-step-over" label="Step: one turn or call" disabled={!held} onClick={() => post({ type: 'step' })} />
      {held && <IconButton icon="debug-stop" label="Stop the run" onClick={() => post({ type: 'stop' })} />}
    </div>
  );
});

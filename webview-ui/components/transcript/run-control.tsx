import { useEffect, useState } from 'preact/hooks';
import { nextStepText, type RunView } from '../../../src/core/view/run-view.ts';
import { activityOf } from '../../activity.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo-component.ts';
import { IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** The toolbar that pauses, resumes, steps or stops the current run. */
export const RunControl = memo(({ run, held }: { run: RunView; held: boolean }) => {
  const [isPauseRequested, setPauseRequested] = useState(false);
  useEffect(() => setPauseRequested(false), [held, run.id]);

  const pause = () => {
    setPauseRequested(true);
    post({ type: 'pause' });
  };
  const resume = () => {
    setPauseRequested(false);
    post({ type: 'continue' });
  };
  const waiting = activityOf(run).waiting;
  const isPausing = isPauseRequested && !held;
  return (
    <div class="run-control" role="toolbar" aria-label="Run">
      {held || isPausing ? <Icon name="debug-pause" tone="warn" /> : <Icon name={waiting ? 'bell-dot' : 'pulse'} tone="dim" />}
      <span class="grow cut dim">{held ? 'Paused' : isPausing ? 'Pausing after this step' : waiting ? 'Waiting for you' : 'Running'}</span>
      {held || isPausing ? (
        <IconButton icon="debug-continue" label="Resume" onClick={resume} />
      ) : (
        <IconButton icon="debug-pause" label="Pause after this step" onClick={pause} />
      )}
      <IconButton
        icon="debug-step-over"
        label={held ? `Run one step: ${nextStepText(run)}` : 'Run one step (a model turn or a tool call)'}
        disabled={!held}
        onClick={() => post({ type: 'step' })}
      />
      {held && <IconButton icon="debug-stop" label="Stop the run" onClick={() => post({ type: 'stop' })} />}
    </div>
  );
});

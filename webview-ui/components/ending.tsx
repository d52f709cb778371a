import type { PauseReason } from '../../src/core/events.ts';
import { REMEDY } from '../../src/protocol/remedy.ts';
import { post } from '../host.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { brokeOff, type RunView } from '../run-view.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** How a run stands that is not going on: paused, failed, stopped, refused, cut off. An answer needs no words. */
export function Ending({ run, live, last }: { run: RunView; live: boolean; last: boolean }) {
  const { paused, finished } = run;
  if (paused && !live) return <Paused paused={paused} last={last} />;
  if (finished?.outcome === 'failed') {
    const error = finished.error ?? { kind: 'internal', message: 'The run failed.' };
    const remedy = REMEDY[error.kind];
    const half = brokeOff(run);
    return (
      <div class="ending error">
        <Icon name="error" tone="bad" />
        <div>
          <p>{error.message}</p>
          <div class="buttons">
            {remedy && (
              <Button kind={half && last ? 'secondary' : 'primary'} onClick={() => post({ type: remedy.action })}>
                {remedy.label}
              </Button>
            )}
            {last && (
              <Button kind={half || !remedy ? 'primary' : 'secondary'} onClick={() => post({ type: 'continue' })}>
                {half ? 'Continue' : 'Try again'}
              </Button>
            )}
          </div>
        </div>
      </div>
    );
  }
  if (finished?.outcome === 'stopped') return <Line icon="debug-stop" text="You stopped this run." />;
  if (finished?.outcome === 'refused') return <Line icon="circle-slash" text="The model refused to answer." />;
  if (!live && !finished && run.approvals.length === 0)
    return <Line icon="debug-disconnect" text="This run was cut off before it finished." />;
  return null;
}

function Line({ icon, text }: { icon: string; text: string }) {
  return (
    <p class="ending dim">
      <Icon name={icon} />
      <span>{text}</span>
    </p>
  );
}

const PAUSED: Record<PauseReason, string> = {
  limit: 'Paused at a limit',
  max_tokens: 'Paused: the answer was cut',
  interrupted: 'Interrupted',
};

function Paused({ paused, last }: { paused: NonNullable<RunView['paused']>; last: boolean }) {
  return (
    <section class={last ? 'card waiting' : 'card'} aria-label="The run is paused">
      <div class="card-head">
        <Icon name="debug-pause" tone="warn" />
        <h3>{PAUSED[paused.reason]}</h3>
      </div>
      <Markdown text={paused.summary} />
      {last && (
        <div class="buttons">
          <Button kind="primary" onClick={() => post({ type: 'continue' })}>
            Continue
          </Button>
        </div>
      )}
    </section>
  );
}

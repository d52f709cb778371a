import type { PauseReason, RunError } from '../../src/core/events.ts';
import type { ToHost } from '../../src/protocol/panel.ts';
import { post } from '../host.ts';
import { Markdown } from '../markdown/markdown.tsx';
import type { RunView } from '../run-view.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

const REMEDY: Partial<Record<RunError['kind'], { label: string; message: ToHost }>> = {
  auth: { label: 'Connect a model', message: { type: 'connect_model' } },
  unknown_model: { label: 'Choose a model', message: { type: 'pick_model' } },
  no_credit: { label: 'Choose another model', message: { type: 'pick_model' } },
  overloaded: { label: 'Choose another model', message: { type: 'pick_model' } },
  context_overflow: { label: 'New session', message: { type: 'new_session' } },
};

/** How a run stands that is not going on: paused, failed, stopped, refused, cut off. An answer needs no words. */
export function Ending({ run, live, last }: { run: RunView; live: boolean; last: boolean }) {
  const { paused, finished } = run;
  if (paused && !live) return <Paused paused={paused} last={last} />;
  if (finished?.outcome === 'failed') {
    const error = finished.error ?? { kind: 'internal', message: 'The run failed.' };
    const remedy = REMEDY[error.kind];
    return (
      <div class="ending error">
        <Icon name="error" tone="bad" />
        <div>
          <p>{error.message}</p>
          <div class="buttons">
            {remedy && (
              <Button kind="primary" onClick={() => post(remedy.message)}>
                {remedy.label}
              </Button>
            )}
            {last && <Button onClick={() => post({ type: 'continue' })}>Try again</Button>}
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

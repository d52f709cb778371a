import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PauseReason } from '../../../src/core/session/events.ts';
import { brokeOff, type RunView } from '../../../src/core/view/run-view.ts';
import { isOfDay, moreText, raiseText, reachedText } from '../../../src/core/words/budget-text.ts';
import { REMEDY } from '../../../src/protocol/remedy.ts';
import { post } from '../../host.ts';
import { intoSight } from '../../into-sight.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { useSent } from '../use-sent.ts';

/** How a run stands that is not going on: paused, failed, stopped, refused, cut off. An answer needs no words. */
export function Ending({ run, live, last }: { run: RunView; live: boolean; last: boolean }) {
  const { paused, finished } = run;
  if (paused?.reason === 'user' && last) return <Line icon="debug-pause" text="Paused. It goes on when you resume it." />;
  // What can be done then stands below the plan itself.
  if (paused?.reason === 'edit_plan' && !live) return <Line icon="debug-pause" text={`${PAUSED.edit_plan}.`} />;
  if (paused && !live) return <Paused paused={paused} limit={paused.reason === 'limit' ? run.limit : undefined} last={last} />;
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
            {/* A plan is resumed below its steps. */}
            {last && error.kind !== 'check' && (
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
  if (!live && !finished && run.approvals.length === 0 && run.questions.length === 0)
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
  edit_plan: 'Paused until the plan is edited',
  user: 'Paused',
  repeating: 'Paused: it goes round in circles',
};

type PausedProps = { paused: NonNullable<RunView['paused']>; limit: RunView['limit']; last: boolean };

function Paused({ paused, limit, last }: PausedProps) {
  return (
    <section class={last ? 'card waiting' : 'card'} aria-label="The run is paused">
      <div class="card-head">
        <Icon name="debug-pause" tone="warn" />
        <h3>{PAUSED[paused.reason]}</h3>
      </div>
      {limit && <p>{reachedText(limit)}</p>}
      <Markdown text={paused.summary} />
      {last && <GoOn limit={limit} />}
    </section>
  );
}

/** What counts for the whole day is not raised by one click. */
function GoOn({ limit }: { limit: RunView['limit'] }) {
  const [asks, setAsks] = useState(false);
  const [sent, mark] = useSent();
  const question = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (asks) intoSight(question.current, 'nearest');
  }, [asks]);
  const goOn = (raise: boolean) => {
    mark();
    post({ type: 'continue', ...(raise && { raise }) });
  };
  const ofDay = limit !== undefined && isOfDay(limit.limit);
  if (limit && asks) {
    return (
      <>
        <p>{raiseText(limit)}</p>
        <div class="buttons" ref={question}>
          <Button kind="primary" disabled={sent} onClick={() => goOn(true)}>
            Raise and continue
          </Button>
          <Button onClick={() => setAsks(false)}>Back</Button>
        </div>
      </>
    );
  }
  return (
    <div class="buttons">
      <Button kind="primary" disabled={sent} onClick={() => (ofDay ? setAsks(true) : goOn(false))}>
        {limit ? moreText(limit.limit) : 'Continue'}
      </Button>
      <Button onClick={() => post({ type: 'stop' })}>Stop</Button>
    </div>
  );
}

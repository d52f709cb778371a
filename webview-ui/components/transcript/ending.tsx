import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PauseReason } from '../../../src/core/session/events.ts';
import { brokeOff, nextStepText, type RunView } from '../../../src/core/view/run-view.ts';
import { isOfDay, moreText, raiseText, reachedText } from '../../../src/core/words/budget-text.ts';
import { isOfSession } from '../../../src/core/words/session-limits-text.ts';
import { REMEDY } from '../../../src/protocol/remedy.ts';
import { post } from '../../host.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { scrollIntoView } from '../../scroll-into-view.ts';
import { dispatch } from '../../store.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icons.ts';
import { useSent } from '../use-sent.ts';

/** Shows how a run ended or why it is paused. A run that ended with an answer needs no text. */
export function Ending({ run, live, last }: { run: RunView; live: boolean; last: boolean }) {
  const { paused, finished } = run;
  if (paused?.reason === 'user' && last) return <Line icon="debug-pause" text={`Paused. Next: ${nextStepText(run)}.`} />;
  // The buttons to continue are shown below the plan.
  if (paused?.reason === 'edit_plan' && !live) return <Line icon="debug-pause" text={`${PAUSED.edit_plan}.`} />;
  if (paused && !live) return <Paused paused={paused} limit={paused.reason === 'limit' ? run.limit : undefined} last={last} />;
  if (finished?.outcome === 'failed') {
    const error = finished.error ?? { kind: 'internal', message: 'The run failed.' };
    const remedy = REMEDY[error.kind];
    const hasPartialAnswer = brokeOff(run);
    // A plan has its own button to resume it, below its steps.
    const again = last && error.kind !== 'check' && (
      <Button kind={hasPartialAnswer || !remedy ? 'primary' : 'secondary'} onClick={() => post({ type: 'continue' })}>
        {hasPartialAnswer ? 'Continue' : 'Try again'}
      </Button>
    );
    return (
      <div class="ending error">
        <Icon name="error" tone="bad" />
        <div>
          <p>{error.message}</p>
          <div class="buttons">
            {hasPartialAnswer && again}
            {remedy && (
              <Button kind={hasPartialAnswer && last ? 'secondary' : 'primary'} onClick={() => post({ type: remedy.action })}>
                {remedy.label}
              </Button>
            )}
            {!hasPartialAnswer && again}
          </div>
        </div>
      </div>
    );
  }
  if (finished?.outcome === 'stopped') return <Line icon="debug-stop" text="You stopped this run." />;
  if (finished?.outcome === 'refused') return <Line icon="circle-slash" text="The model declined to answer." />;
  if (!live && !finished && run.approvals.length === 0 && run.questions.length === 0)
    return <Line icon="debug-disconnect" text="This run was interrupted before it finished." />;
  return null;
}

function Line({ icon, text }: { icon: IconName; text: string }) {
  return (
    <p class="ending dim">
      <Icon name={icon} />
      <span>{text}</span>
    </p>
  );
}

const PAUSED: Record<PauseReason, string> = {
  limit: 'Paused at a limit',
  max_tokens: 'Paused: the answer reached the output limit',
  interrupted: 'Interrupted',
  edit_plan: 'Paused until the plan is edited',
  user: 'Paused',
  repeating: 'Paused: the model is repeating itself',
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
      {last && <ContinueActions limit={limit} />}
    </section>
  );
}

/** The buttons to continue a paused run. Raising a daily limit needs a second click. */
function ContinueActions({ limit }: { limit: RunView['limit'] }) {
  const [isConfirming, setConfirming] = useState(false);
  const [isSent, markSent] = useSent();
  const question = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isConfirming) scrollIntoView(question.current, 'nearest');
  }, [isConfirming]);
  const continueRun = (raise: boolean) => {
    markSent();
    post({ type: 'continue', ...(raise && { raise }) });
  };
  const isDailyLimit = limit !== undefined && isOfDay(limit.limit);
  if (limit && isConfirming) {
    return (
      <>
        <p>{raiseText(limit)}</p>
        <div class="buttons" ref={question}>
          <Button kind="primary" disabled={isSent} onClick={() => continueRun(true)}>
            Raise limit and continue
          </Button>
          <Button onClick={() => setConfirming(false)}>Back</Button>
        </div>
      </>
    );
  }
  return (
    <div class="buttons">
      <Button kind="primary" disabled={isSent} onClick={() => (isDailyLimit ? setConfirming(true) : continueRun(false))}>
        {limit ? moreText(limit.limit) : 'Continue'}
      </Button>
      <Button onClick={() => post({ type: 'stop' })}>Stop</Button>
      {limit && isOfSession(limit.limit) && (
        <Button kind="link" onClick={() => dispatch({ type: 'show_page', name: 'models' })}>
          Change limits
        </Button>
      )}
    </div>
  );
}

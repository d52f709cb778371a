import type { Plan, StepStatus } from '../../../src/core/plan/plan.ts';
import { failedEndCheck, isOver } from '../../../src/core/plan/progress.ts';
import type { StepState } from '../../../src/core/session/session-state.ts';
import type { RunView } from '../../../src/core/view/run-view.ts';
import { visibleLine } from '../../../src/core/words/visible-text.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo-component.ts';
import { dispatch } from '../../store.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon, Spinner } from '../icon.tsx';
import type { IconName } from '../icons.ts';
import { useEditing } from '../use-editing.ts';
import { useSent } from '../use-sent.ts';
import { PlanEditor } from './plan-editor.tsx';
import { CheckOutcome, EndChecks, File, Revision, StepFacts, StepTitle } from './plan-facts.tsx';

const STATUS: Record<StepStatus | 'open', { icon: IconName; label: string; tone?: 'good' | 'bad' | 'dim' }> = {
  open: { icon: 'circle-large', label: 'to do', tone: 'dim' },
  started: { icon: 'loading', label: 'in progress' },
  done: { icon: 'pass-filled', label: 'done', tone: 'good' },
  failed: { icon: 'error', label: 'failed', tone: 'bad' },
  skipped: { icon: 'debug-step-over', label: 'skipped', tone: 'dim' },
};

type PlanProgressProps = { run: RunView; plan: Plan; live: boolean; last: boolean; editing: boolean };

/** The progress of a confirmed plan. Steps are numbered from 1, as in the events. */
export const PlanProgress = memo(({ run, plan, live, last, editing }: PlanProgressProps) => {
  const { steps } = run;
  const finishedSteps = plan.steps.filter((_, index) => isOver(steps[index + 1])).length;
  const isFailed = failedEndCheck({ plan, endChecks: run.endChecks }) !== undefined;
  const card = useEditing(editing);
  return (
    <section class="card plan" ref={card} tabIndex={-1} data-plan={plan.id} aria-label={`Progress of the plan: ${plan.goal}`}>
      <div class="card-head">
        <Icon name="checklist" />
        <h3>{editing ? 'Edit the plan' : 'Plan'}</h3>
        <span class="dim">
          {finishedSteps}/{plan.steps.length}
        </span>
        <Revision plan={plan} />
        <IconButton icon="markdown" label="Open as Markdown" onClick={() => post({ type: 'save_plan', planId: plan.id })} />
      </div>
      {run.revised && <p class="dim">{run.revised}</p>}
      <progress max={plan.steps.length} value={finishedSteps} aria-label="Steps done" />
      {editing ? (
        <PlanEditor
          plan={plan}
          steps={steps}
          label="Save and continue"
          onSave={(edited, was) => post({ type: 'revise_plan', planId: plan.id, plan: edited, was })}
        />
      ) : (
        <>
          <ol class="plan-steps">
            {plan.steps.map((step, index) => (
              <Step key={`${index} ${step.title}`} step={step} state={steps[index + 1]} live={live} />
            ))}
          </ol>
          <EndChecks checks={plan.checks} results={run.endChecks} />
          {!live && last && <PlanActions plan={plan} isFinished={finishedSteps === plan.steps.length && !isFailed} />}
        </>
      )}
    </section>
  );
});

function Step({ step, state, live }: { step: Plan['steps'][number]; state: StepState | undefined; live: boolean }) {
  const { status = 'open', note, check, rolledBack, unchanged, files = [] } = state ?? {};
  const { icon, label, tone } = STATUS[status];
  return (
    <li class={status}>
      {status === 'started' && live ? <Spinner /> : <Icon name={status === 'started' ? 'circle-slash' : icon} tone={tone} />}
      <div>
        <StepTitle step={step}>
          <span class="sr-only"> ({label})</span>
          {rolledBack && <span class="badge">rolled back</span>}
          {unchanged && <span class="badge">no changes</span>}
        </StepTitle>
        {note && <p class="dim">{note}</p>}
        {status === 'started' && <StepFacts step={step} />}
        {status !== 'started' && files.length > 0 && (
          <ul class="facts">
            {files.map((file) => (
              <li key={file}>
                <Icon name="edit" />
                <File file={{ path: file, text: visibleLine(file) }} />
              </li>
            ))}
          </ul>
        )}
        {check && <CheckOutcome result={check} />}
      </div>
    </li>
  );
}

/** The buttons for a plan that is not running: resume, edit, or run again. */
function PlanActions({ plan, isFinished }: { plan: Plan; isFinished: boolean }) {
  const [isSent, markSent] = useSent();
  const act = (type: 'resume_plan' | 'run_plan_again') => {
    markSent();
    post({ type, planId: plan.id });
    // The new plan appears at the end of the transcript, so the transcript scrolls to its end.
    if (type === 'run_plan_again') dispatch({ type: 'follow' });
  };
  if (isFinished) {
    return (
      <div class="buttons">
        <Button icon="run-all" disabled={isSent} onClick={() => act('run_plan_again')}>
          Run plan again…
        </Button>
      </div>
    );
  }
  return (
    <div class="buttons">
      <Button kind="primary" icon="play" disabled={isSent} onClick={() => act('resume_plan')}>
        Resume plan
      </Button>
      <Button disabled={isSent} onClick={() => dispatch({ type: 'edit_plan', planId: plan.id })}>
        Edit plan
      </Button>
    </div>
  );
}

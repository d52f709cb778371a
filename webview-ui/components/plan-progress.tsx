import type { Plan, StepStatus } from '../../src/core/plan.ts';
import { memo } from '../memo.ts';
import type { StepProgress } from '../run-view.ts';
import { Icon, Spinner } from './icon.tsx';
import { StepFacts, StepTitle } from './plan-facts.tsx';

const STATUS: Record<StepStatus | 'open', { icon: string; label: string; tone?: 'good' | 'bad' | 'dim' }> = {
  open: { icon: 'circle-large', label: 'to do', tone: 'dim' },
  started: { icon: 'loading', label: 'going on' },
  done: { icon: 'pass-filled', label: 'done', tone: 'good' },
  failed: { icon: 'error', label: 'failed', tone: 'bad' },
  skipped: { icon: 'debug-step-over', label: 'skipped', tone: 'dim' },
};

type PlanProgressProps = { plan: Plan; steps: Readonly<Record<number, StepProgress>>; live: boolean };

/** The confirmed plan while it is carried out. Steps are counted from 1, as in the events. */
export const PlanProgress = memo(({ plan, steps, live }: PlanProgressProps) => {
  const finished = Object.values(steps).filter(({ status }) => status === 'done' || status === 'skipped').length;
  return (
    <section class="card plan" aria-label={`Progress of the plan: ${plan.goal}`}>
      <div class="card-head">
        <Icon name="checklist" />
        <h3>Plan</h3>
        <span class="dim">
          {finished}/{plan.steps.length}
        </span>
      </div>
      <progress max={plan.steps.length} value={finished} aria-label="Steps done" />
      <ol class="plan-steps">
        {plan.steps.map((step, index) => {
          const { status = 'open', note } = steps[index + 1] ?? {};
          const { icon, label, tone } = STATUS[status];
          return (
            <li key={`${index} ${step.title}`} class={status}>
              {status === 'started' && live ? <Spinner /> : <Icon name={status === 'started' ? 'circle-slash' : icon} tone={tone} />}
              <div>
                <StepTitle step={step}>
                  <span class="sr-only"> ({label})</span>
                </StepTitle>
                {note && <p class="dim">{note}</p>}
                {status === 'started' && <StepFacts step={step} />}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
});

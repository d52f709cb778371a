import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Plan } from '../../src/core/plan.ts';
import { post } from '../host.ts';
import { memo } from '../memo.ts';
import type { ProposalView } from '../run-view.ts';
import { dispatch } from '../store.ts';
import { Button } from './button.tsx';
import { Expandable } from './expandable.tsx';
import { Icon } from './icon.tsx';
import { PlanEditor } from './plan-editor.tsx';
import { Checks, StepFacts, StepTitle } from './plan-facts.tsx';
import { useSent } from './use-sent.ts';

/** A plan as it was proposed: a contract to confirm, to edit or to discard. */
export const PlanCard = memo(({ proposal, editing }: { proposal: ProposalView; editing: boolean }) => {
  const { plan, resolved } = proposal;
  const [sent, mark] = useSent();
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!editing) return;
    card.current?.scrollIntoView({ block: 'start' });
    card.current?.querySelector('textarea')?.focus({ preventScroll: true });
    return () => card.current?.focus();
  }, [editing]);
  const answer = (given: 'run' | 'discard') => {
    mark();
    post({ type: 'answer_plan', planId: plan.id, answer: given, plan: given === 'run' && plan.revision > 1 ? plan : undefined });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !editing && !sent) answer('run');
  };
  if (resolved) return <Resolved plan={plan} label={resolved === 'run' ? 'Confirmed' : 'Discarded'} />;
  return (
    <section class="card waiting" ref={card} aria-label={`Plan: ${plan.goal}`} tabIndex={-1} data-waiting={plan.id} onKeyDown={onKeyDown}>
      <div class="card-head">
        <Icon name="checklist" />
        <h3>{editing ? 'Edit the plan' : plan.goal}</h3>
        {plan.revision > 1 && <span class="badge">revision {plan.revision}</span>}
      </div>
      {editing ? (
        <PlanEditor plan={plan} />
      ) : (
        <>
          <Steps plan={plan} />
          <div class="buttons">
            <Button kind="primary" icon="play" disabled={sent} title="Ctrl+Enter" onClick={() => answer('run')}>
              Run plan
            </Button>
            <Button disabled={sent} onClick={() => dispatch({ type: 'edit_plan', planId: plan.id })}>
              Edit
            </Button>
            <Button disabled={sent} onClick={() => answer('discard')}>
              Discard
            </Button>
          </div>
        </>
      )}
    </section>
  );
});

function Steps({ plan }: { plan: Plan }) {
  return (
    <>
      <ol class="plan-steps">
        {plan.steps.map((step, index) => (
          <li key={`${index} ${step.title}`}>
            <span class="step-number">{index + 1}</span>
            <div>
              <StepTitle step={step} />
              <StepFacts step={step} />
            </div>
          </li>
        ))}
      </ol>
      <Checks checks={plan.checks} />
    </>
  );
}

/** Once it is decided upon, the plan steps back: what is run shows its own progress. */
function Resolved({ plan, label }: { plan: Plan; label: string }) {
  return (
    <section class="card resolved" aria-label={`Plan: ${plan.goal}`}>
      <Expandable summary={<h3 class="cut grow">{plan.goal}</h3>} aside={<span class="badge">{label}</span>}>
        {() => <Steps plan={plan} />}
      </Expandable>
    </section>
  );
}

import { useState } from 'preact/hooks';
import type { Plan } from '../../../src/core/plan/plan.ts';
import type { ProposalView } from '../../../src/core/view/run-view.ts';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo.ts';
import { dispatch } from '../../store.ts';
import { WordsForm } from '../approval/words-form.tsx';
import { Button, IconButton } from '../button.tsx';
import { Expandable } from '../expandable.tsx';
import { Icon } from '../icon.tsx';
import { useEditing } from '../use-editing.ts';
import { useSent } from '../use-sent.ts';
import { PlanEditor } from './plan-editor.tsx';
import { PlanFacts, Revision, StepFacts, StepTitle } from './plan-facts.tsx';

const RESOLVED = { run: 'Confirmed', discard: 'Discarded', superseded: 'Replaced' } as const;

/** A plan as it was proposed: a contract to confirm, to edit, to have changed or to discard. */
export const PlanCard = memo(({ proposal, editing }: { proposal: ProposalView; editing: boolean }) => {
  const { plan, resolved } = proposal;
  const [sent, mark] = useSent();
  const [asking, setAsking] = useState(false);
  const card = useEditing(editing);
  // What has no hash is an edit that the host does not know yet.
  const edited = plan.hash ? undefined : plan;
  const answer = (given: 'run' | 'discard') => {
    mark();
    post({ type: 'answer_plan', planId: plan.id, answer: given, plan: given === 'run' && plan.revision > 1 ? plan : undefined });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !editing && !sent && !asking) answer('run');
  };
  if (resolved) return <Resolved plan={plan} label={RESOLVED[resolved]} />;
  return (
    <section
      class="card waiting"
      ref={card}
      aria-label={`Plan: ${plan.goal}`}
      tabIndex={-1}
      data-waiting={plan.id}
      data-plan={plan.id}
      onKeyDown={onKeyDown}
    >
      <div class="card-head">
        <Icon name="checklist" />
        <h3>{editing ? 'Edit the plan' : visibleCommand(plan.goal)}</h3>
        <Revision plan={plan} />
        {!editing && (
          <IconButton icon="markdown" label="Open as Markdown" onClick={() => post({ type: 'save_plan', planId: plan.id, plan: edited })} />
        )}
      </div>
      {editing ? (
        <PlanEditor plan={plan} onSave={(next) => dispatch({ type: 'plan_edited', plan: next })} />
      ) : (
        <>
          <Steps plan={plan} />
          {asking ? (
            <WordsForm
              label="What the model should change about the plan"
              placeholder="What should be different?"
              action="Ask for changes"
              required
              disabled={sent}
              onBack={() => setAsking(false)}
              onSend={(words) => {
                mark();
                post({ type: 'change_plan', planId: plan.id, words });
              }}
            />
          ) : (
            <div class="buttons">
              <Button kind="primary" icon="play" disabled={sent} title="Ctrl+Enter" onClick={() => answer('run')}>
                Run plan
              </Button>
              <Button disabled={sent} onClick={() => dispatch({ type: 'edit_plan', planId: plan.id })}>
                Edit
              </Button>
              <Button disabled={sent} title="The model proposes another plan" onClick={() => setAsking(true)}>
                Ask for changes…
              </Button>
              <Button disabled={sent} onClick={() => answer('discard')}>
                Discard
              </Button>
            </div>
          )}
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
      <PlanFacts plan={plan} />
    </>
  );
}

/** Once it is decided upon, the plan steps back: what is run shows its own progress. */
function Resolved({ plan, label }: { plan: Plan; label: string }) {
  return (
    <section class="card resolved" tabIndex={-1} data-plan={plan.id} aria-label={`Plan: ${plan.goal}`}>
      <Expandable summary={<h3 class="cut grow">{plan.goal}</h3>} aside={<span class="badge">{label}</span>}>
        {() => <Steps plan={plan} />}
      </Expandable>
    </section>
  );
}

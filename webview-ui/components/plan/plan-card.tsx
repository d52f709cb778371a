import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Plan } from '../../../src/core/plan/plan.ts';
import type { ProposalView } from '../../../src/core/view/run-view.ts';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { post } from '../../host.ts';
import { memo } from '../../memo-component.ts';
import { scrollIntoView } from '../../scroll-into-view.ts';
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

/** A proposed plan. The user can run it, edit it, request changes from the model, or discard it. */
export const PlanCard = memo(({ proposal, editing }: { proposal: ProposalView; editing: boolean }) => {
  const { plan, resolved } = proposal;
  const [isSent, markSent] = useSent();
  const [isAskingForChanges, setAskingForChanges] = useState(false);
  const card = useEditing(editing);
  // A plan without a hash has been edited in the panel, and the edit has not been sent to the host yet.
  const edited = plan.hash ? undefined : plan;
  const sendAnswer = (answer: 'run' | 'discard', allowEdits?: true) => {
    markSent();
    post({ type: 'answer_plan', planId: plan.id, answer, plan: answer === 'run' && plan.revision > 1 ? plan : undefined, allowEdits });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !editing && !isSent && !isAskingForChanges) sendAnswer('run');
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
          {isAskingForChanges ? (
            <WordsForm
              label="Changes that the model should make to the plan"
              placeholder="What should be different?"
              action="Ask for changes"
              required
              disabled={isSent}
              onBack={() => setAskingForChanges(false)}
              onSend={(words) => {
                markSent();
                post({ type: 'change_plan', planId: plan.id, words });
              }}
            />
          ) : (
            <PlanActions
              disabled={isSent}
              onRun={(allowEdits) => sendAnswer('run', allowEdits)}
              onEdit={() => dispatch({ type: 'edit_plan', planId: plan.id })}
              onAskForChanges={() => setAskingForChanges(true)}
              onDiscard={() => sendAnswer('discard')}
            />
          )}
        </>
      )}
    </section>
  );
});

type PlanActionsProps = {
  disabled: boolean;
  /** With `allowEdits`, edits that the plan does not name need no approval in its run. */
  onRun: (allowEdits?: true) => void;
  onEdit: () => void;
  onAskForChanges: () => void;
  onDiscard: () => void;
};

function PlanActions({ disabled, onRun, onEdit, onAskForChanges, onDiscard }: PlanActionsProps) {
  const [showsOptions, setShowsOptions] = useState(false);
  const options = useRef<HTMLFieldSetElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (showsOptions) scrollIntoView(options.current, 'nearest');
  }, [showsOptions]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !showsOptions) return;
    event.preventDefault();
    setShowsOptions(false);
    toggle.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the element handles the keys of its buttons
    <div class="answers" onKeyDown={onKeyDown}>
      <div class="buttons">
        <span class="split">
          <Button kind="primary" icon="play" disabled={disabled} title="Ctrl+Enter" onClick={() => onRun()}>
            Run plan
          </Button>
          <button
            type="button"
            ref={toggle}
            class="button primary"
            aria-label="More options to run the plan"
            aria-expanded={showsOptions}
            disabled={disabled}
            onClick={() => setShowsOptions(!showsOptions)}
          >
            <Icon name={showsOptions ? 'chevron-up' : 'chevron-down'} />
          </button>
        </span>
        <Button disabled={disabled} onClick={onEdit}>
          Edit plan
        </Button>
        <Button disabled={disabled} title="Ask the model for another plan" onClick={onAskForChanges}>
          Ask for changes…
        </Button>
        <Button disabled={disabled} onClick={onDiscard}>
          Discard plan
        </Button>
      </div>
      {showsOptions && (
        <fieldset class="grants" ref={options}>
          <legend>
            Allow <strong>edits outside the plan</strong>
          </legend>
          <div class="buttons">
            <Button disabled={disabled} title="Deletions, protected files and secrets still need your approval" onClick={() => onRun(true)}>
              Run plan and allow these edits
            </Button>
          </div>
        </fieldset>
      )}
    </div>
  );
}

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

/** A plan that the user has confirmed or discarded. It is collapsed, because the run shows the progress of its plan. */
function Resolved({ plan, label }: { plan: Plan; label: string }) {
  return (
    <section class="card resolved" tabIndex={-1} data-plan={plan.id} aria-label={`Plan: ${plan.goal}`}>
      <Expandable summary={<h3 class="cut grow">{plan.goal}</h3>} aside={<span class="badge">{label}</span>}>
        {() => <Steps plan={plan} />}
      </Expandable>
    </section>
  );
}

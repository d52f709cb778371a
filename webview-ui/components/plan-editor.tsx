import { useState } from 'preact/hooks';
import type { Plan, PlanStep } from '../../src/core/plan.ts';
import { EMPTY_STEP, filesOf, moved, revised } from '../plan-edit.ts';
import { dispatch } from '../store.ts';
import { Button, IconButton } from './button.tsx';

/** A step keeps its key while it is moved about, so that its fields and the focus move with it. */
type Draft = { key: number; step: PlanStep; files: string };

export function PlanEditor({ plan }: { plan: Plan }) {
  const [goal, setGoal] = useState(plan.goal);
  const [drafts, setDrafts] = useState<Draft[]>(() => plan.steps.map((step, key) => ({ key, step, files: step.files.join('\n') })));
  const [checks, setChecks] = useState((plan.checks ?? []).join('\n'));
  const [problem, setProblem] = useState('');

  const cancel = () => dispatch({ type: 'editing_cancelled' });
  const save = () => {
    const steps = drafts.map(({ step, files }) => ({ ...step, files: filesOf(files) }));
    const result = revised(plan, goal, steps, checks.split('\n'));
    if (typeof result === 'string') setProblem(result);
    else dispatch({ type: 'plan_edited', plan: result });
  };
  const add = () => setDrafts([...drafts, { key: Math.max(-1, ...drafts.map((draft) => draft.key)) + 1, step: EMPTY_STEP, files: '' }]);
  const change = (key: number, next: Partial<Draft>) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { ...draft, ...next } : draft)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    cancel();
  };

  return (
    <form class="plan-editor" aria-label="Edit the plan" onKeyDown={onKeyDown} onSubmit={(event) => event.preventDefault()}>
      <Field label="Goal" value={goal} onInput={setGoal} />
      <ol>
        {drafts.map(({ key, step, files }, index) => (
          <li key={key}>
            <fieldset>
              <legend>Step {index + 1}</legend>
              <div class="step-tools">
                <IconButton
                  icon="arrow-up"
                  label={`Move step ${index + 1} up`}
                  disabled={index === 0}
                  onClick={() => setDrafts(moved(drafts, index, index - 1))}
                />
                <IconButton
                  icon="arrow-down"
                  label={`Move step ${index + 1} down`}
                  disabled={index === drafts.length - 1}
                  onClick={() => setDrafts(moved(drafts, index, index + 1))}
                />
                <IconButton icon="trash" label={`Remove step ${index + 1}`} onClick={() => setDrafts(drafts.toSpliced(index, 1))} />
              </div>
              <Field label="What it does" value={step.title} onInput={(title) => change(key, { step: { ...step, title } })} />
              <Field label="Files it may change, one a line" value={files} onInput={(text) => change(key, { files: text })} />
              <Field label="Check" value={step.check ?? ''} onInput={(check) => change(key, { step: { ...step, check } })} />
            </fieldset>
          </li>
        ))}
      </ol>
      <Button kind="link" icon="add" onClick={add}>
        Add a step
      </Button>
      <Field label="Checks at the end, one a line" value={checks} onInput={setChecks} />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <Button kind="primary" onClick={save}>
          Save
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </form>
  );
}

function Field({ label, value, onInput }: { label: string; value: string; onInput: (text: string) => void }) {
  return (
    <label class="labelled">
      <span>{label}</span>
      <textarea
        class="field"
        rows={Math.max(1, value.split('\n').length)}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

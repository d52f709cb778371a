import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Plan } from '../../../src/core/plan/plan.ts';
import { isOver } from '../../../src/core/plan/progress.ts';
import type { StepStates } from '../../../src/core/session/session-state.ts';
import type { ToPanel } from '../../../src/protocol/panel.ts';
import { post } from '../../host.ts';
import { type CheckDraft, checkDraft, draftOf, EMPTY_STEP, editedPlan, moveItem, type StepDraft, stepOf } from '../../plan-edit.ts';
import { dispatch } from '../../store.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { AgentField, CheckFields, EndCheckFields, Field } from './plan-fields.tsx';

type PlanEditorProps = {
  plan: Plan;
  /** The progress of a plan that is running. Finished steps cannot be edited. */
  steps?: StepStates;
  label?: string;
  onSave: (plan: Plan, was: number[]) => void;
};

export function PlanEditor({ plan, steps = {}, label = 'Save', onSave }: PlanEditorProps) {
  const [goal, setGoal] = useState(plan.goal);
  const [drafts, setDrafts] = useState<StepDraft[]>(() => plan.steps.map((step, index) => draftOf(step, index, index + 1)));
  const [checks, setChecks] = useState<CheckDraft[]>(() => (plan.checks ?? []).map(checkDraft));
  const [problem, setProblem] = useState('');
  const [agents, setAgents] = useState<readonly string[]>();
  useEffect(() => {
    const hear = ({ data }: MessageEvent<ToPanel>) => data.type === 'agents_found' && setAgents(data.agents);
    window.addEventListener('message', hear);
    post({ type: 'find_agents' });
    return () => window.removeEventListener('message', hear);
  }, []);

  const cancel = () => dispatch({ type: 'editing_cancelled' });
  const save = () => {
    const result = editedPlan(plan, goal, drafts.map(stepOf), checks);
    if (typeof result === 'string') setProblem(result);
    else {
      onSave(
        result,
        drafts.map(({ was }) => was),
      );
    }
  };
  const form = useRef<HTMLFormElement>(null);
  /** The selector of the element to focus after the next render. */
  const focusNext = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (focusNext.current) form.current?.querySelector<HTMLElement>(focusNext.current)?.focus();
    focusNext.current = undefined;
  }, [drafts]);
  const add = () => {
    const key = Math.max(-1, ...drafts.map((draft) => draft.key)) + 1;
    focusNext.current = `[data-step="${key}"] textarea`;
    setDrafts([...drafts, draftOf(EMPTY_STEP, key, 0)]);
  };
  const move = (key: number, from: number, to: number) => {
    const after = moveItem(drafts, from, to);
    // At the first and the last position, one of the two move buttons is disabled, so the other button gets the focus.
    const isEnd = to === after.length - 1 || to === 0 || isFinished(after[to - 1] as StepDraft);
    if (isEnd) focusNext.current = `[data-step="${key}"] .step-tools button:not(:disabled)`;
    setDrafts(after);
  };
  const change = (key: number, to: Partial<StepDraft>) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { ...draft, ...to } : draft)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    cancel();
  };
  const isFinished = ({ was }: StepDraft) => isOver(steps[was]);

  return (
    <form class="plan-editor" ref={form} aria-label="Edit the plan" onKeyDown={onKeyDown} onSubmit={(event) => event.preventDefault()}>
      <Field label="Goal" value={goal} onInput={setGoal} />
      <ol>
        {drafts.map((draft, index) => {
          const { key, step, files, check } = draft;
          const number = index + 1;
          if (isFinished(draft)) {
            return (
              <li key={key} class="fixed">
                <Icon name="pass-filled" tone="good" />
                <span>
                  {number}. {step.title} <span class="dim">(finished)</span>
                </span>
              </li>
            );
          }
          const canMoveUp = index > 0 && !isFinished(drafts[index - 1] as StepDraft);
          return (
            <li key={key} data-step={key}>
              <fieldset>
                <legend>Step {number}</legend>
                <div class="step-tools">
                  <IconButton
                    icon="arrow-up"
                    label={`Move step ${number} up`}
                    disabled={!canMoveUp}
                    onClick={() => move(key, index, index - 1)}
                  />
                  <IconButton
                    icon="arrow-down"
                    label={`Move step ${number} down`}
                    disabled={index === drafts.length - 1}
                    onClick={() => move(key, index, index + 1)}
                  />
                  <IconButton icon="trash" label={`Remove step ${number}`} onClick={() => setDrafts(drafts.toSpliced(index, 1))} />
                </div>
                <Field label="What it does" value={step.title} onInput={(title) => change(key, { step: { ...step, title } })} />
                <Field label="Detail" value={step.detail ?? ''} onInput={(detail) => change(key, { step: { ...step, detail } })} />
                <Field label="Files it may change, one per line" value={files} onInput={(text) => change(key, { files: text })} />
                <AgentField
                  name={`Agent of step ${number}`}
                  agent={step.agent}
                  agents={agents}
                  onChange={(agent) => change(key, { step: { ...step, agent } })}
                />
                <CheckFields
                  check={check}
                  label="Check after this step"
                  name={`Check after step ${number}`}
                  onChange={(to) => change(key, { check: to })}
                />
              </fieldset>
            </li>
          );
        })}
      </ol>
      <Button kind="link" icon="add" onClick={add}>
        Add step
      </Button>
      <EndCheckFields checks={checks} onChange={setChecks} />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <Button kind="primary" onClick={save}>
          {label}
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </form>
  );
}

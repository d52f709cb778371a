/** How the panel sees a plan that is carried out: folded from the same events as the session's own state. */

import { currentStep, renumberSteps, type StepState } from '../src/core/plan/progress.ts';
import type { AgentEvent } from '../src/core/session/events.ts';
import type { RunView } from './run-view.ts';

export type StepProgress = StepState & {
  /** What the step changed, as far as it was not taken back. */
  files?: readonly string[];
};

type PlanEvent = Extract<AgentEvent, { type: 'plan_step' | 'step_checked' | 'step_rolled_back' | 'plan_revised' | 'file_changed' }>;

export function reducePlanView(run: RunView, event: PlanEvent): RunView {
  switch (event.type) {
    case 'plan_step': {
      const { step, status, note, implicit, unchanged } = event;
      const { files, check, rolledBack } = run.steps[step] ?? {};
      const kept = status === 'started' ? { files } : { files, check, rolledBack };
      const said = { ...(note !== undefined && { note }), ...(implicit && { implicit }), ...(unchanged && { unchanged }) };
      return withStep(run, step, { status, ...said, ...defined(kept) });
    }
    case 'step_checked': {
      const { check, outcome, output, step } = event;
      const known = run.steps[step];
      return known ? withStep(run, step, { ...known, check: { check, outcome, output } }) : run;
    }
    case 'step_rolled_back': {
      const known = run.steps[event.step];
      const left = new Set(event.results.filter(({ outcome }) => outcome === 'refused').map(({ path }) => path));
      const files = known?.files?.filter((file) => left.has(file));
      if (!known) return run;
      // What another step changed too is still changed.
      const others = Object.entries(run.steps).flatMap(([step, state]) => (Number(step) === event.step ? [] : (state.files ?? [])));
      const stays = ({ path }: { path: string }) => !known.files?.includes(path) || left.has(path) || others.includes(path);
      return withStep({ ...run, changes: run.changes.filter(stays) }, event.step, { ...known, rolledBack: true, files });
    }
    case 'plan_revised':
      return {
        ...run,
        plan: event.plan,
        revised: event.reason,
        ...(event.was && { steps: renumberSteps(run.steps, event.was) as RunView['steps'] }),
      };
    case 'file_changed': {
      const step = run.plan && currentStep(run);
      const known = step === undefined ? undefined : run.steps[step];
      if (step === undefined || !known) return run;
      return withStep(run, step, { ...known, files: [...new Set([...(known.files ?? []), ...event.changes.map(({ path }) => path)])] });
    }
  }
}

function withStep(run: RunView, step: number, state: StepProgress): RunView {
  return { ...run, steps: { ...run.steps, [step]: state } };
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;
}

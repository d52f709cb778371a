/** The progress of a plan: which step is running, which comes next, and how earlier ones ended. Steps are counted from 1. */
import type { AgentEvent, CheckOutcome } from '../session/events.ts';
import type { RunRecord, SessionState } from '../session/session-state.ts';
import type { Write } from '../session/staged-writes.ts';
import type { Check, Plan, StepStatus } from './plan.ts';

export type StepState = {
  status: StepStatus;
  /** The step was started by its first write, not by a report of the model. */
  implicit?: boolean;
  /** The step is done and changed nothing, although it was allowed to. */
  unchanged?: boolean;
  note?: string;
  check?: { check: Check; outcome: CheckOutcome; output: string };
  rolledBack?: boolean;
};
export type StepStates = Record<number, StepState>;

type PlanRun = Pick<RunRecord, 'plan' | 'steps'>;

export function currentStep({ steps }: Pick<RunRecord, 'steps'>): number | undefined {
  const started = Object.entries(steps).find(([, { status }]) => status === 'started');
  return started && Number(started[0]);
}

/** Returns the first step that is neither over nor running. */
export function nextStep({ plan, steps }: PlanRun): number | undefined {
  const index = plan?.steps.findIndex((_, at) => !isOver(steps[at + 1]) && steps[at + 1]?.status !== 'started') ?? -1;
  return index < 0 ? undefined : index + 1;
}

export function isOver(step: StepState | undefined): boolean {
  return step?.status === 'done' || step?.status === 'skipped';
}

/** Describes a state for display in every host: "done, nothing changed". */
export function statusText({ status, unchanged, rolledBack }: Pick<StepState, 'status' | 'unchanged' | 'rolledBack'>): string {
  return `${status}${unchanged ? ', nothing changed' : ''}${rolledBack ? ', rolled back' : ''}`;
}

/** Returns the steps that a run which resumes the plan does not repeat. */
export function finishedSteps(steps: StepStates): StepStates {
  return Object.fromEntries(Object.entries(steps).filter(([, step]) => isOver(step)));
}

/** Returns the states of these steps as the model reads them. */
export function finishedStepsText(steps: StepStates): Record<number, string> {
  return Object.fromEntries(Object.entries(finishedSteps(steps)).map(([step, { status }]) => [step, status]));
}

/** Renumbers the states after the plan was edited. `was[i]` is the number that the step at index `i` had before, or 0 for a new step. */
export function renumberSteps(steps: StepStates, was: readonly number[]): StepStates {
  return Object.fromEntries(
    was.flatMap((old, index) => {
      const state = steps[old];
      return state ? [[index + 1, state]] : [];
    }),
  );
}

/** Returns the writes of a step over all runs of the plan. */
export function stagedBy({ staged }: SessionState, planId: string, step: number): Write[] {
  return staged.filter((entry) => entry.planId === planId && entry.step === step);
}

type PlanEvent = Extract<
  AgentEvent,
  { type: 'plan_proposed' | 'plan_resolved' | 'plan_revised' | 'plan_step' | 'step_checked' | 'step_rolled_back' }
>;

/** Applies plan events to the state. `run` is the run of the event. */
export function reducePlan(state: SessionState, event: PlanEvent, run: RunRecord | undefined): void {
  switch (event.type) {
    case 'plan_proposed': {
      const before = event.plan.supersedes === undefined ? undefined : state.plans.get(event.plan.supersedes);
      if (before?.status === 'proposed') before.status = 'superseded';
      state.plans.set(event.plan.id, { plan: event.plan, status: 'proposed' });
      break;
    }
    case 'plan_resolved': {
      const record = state.plans.get(event.planId);
      if (!record) break;
      record.plan = event.plan ?? record.plan;
      record.status = event.answer === 'run' ? 'confirmed' : 'discarded';
      break;
    }
    case 'plan_revised': {
      const { plan, was } = event;
      const record = state.plans.get(plan.id);
      if (record) record.plan = plan;
      if (run?.plan?.id === plan.id) run.plan = plan;
      if (!was) break;
      if (run) run.steps = renumberSteps(run.steps, was);
      for (const entry of state.staged)
        if (entry.planId === plan.id && entry.step !== undefined) entry.step = was.indexOf(entry.step) + 1 || undefined;
      break;
    }
    case 'plan_step': {
      if (!run) break;
      const { status, note, implicit, unchanged } = event;
      // The check result and rollback of a step stay valid until the step is started again.
      const { check, rolledBack } = status === 'started' ? {} : (run.steps[event.step] ?? ({} as Partial<StepState>));
      run.steps[event.step] = {
        status,
        ...(implicit && { implicit }),
        ...(unchanged && { unchanged }),
        ...(note !== undefined && { note }),
        ...(check && { check }),
        ...(rolledBack && { rolledBack }),
      };
      break;
    }
    case 'step_checked': {
      const { step, check, outcome, output } = event;
      const stepState = run?.steps[step];
      if (stepState) stepState.check = { check, outcome, output };
      break;
    }
    case 'step_rolled_back': {
      const stepState = run?.steps[event.step];
      if (stepState) stepState.rolledBack = true;
      const outcomes = new Map(event.results.map(({ path, outcome }) => [path, outcome]));
      for (const entry of state.staged) {
        const outcome = outcomes.get(entry.change.path);
        if (entry.callId === event.undoId) entry.landed = outcome === 'restored' || outcome === 'merged';
        // Writes that were rolled back no longer belong to the step, in case it is done again.
        else if (entry.planId === event.planId && entry.step === event.step && outcome !== 'refused') entry.step = undefined;
      }
      break;
    }
  }
}

export type PlanStage = 'proposed' | 'confirmed' | 'discarded' | 'superseded' | 'running' | 'paused' | 'stopped' | 'done';
export type PlanOverview = { plan: Plan; stage: PlanStage; done: number; runId?: string };

/** Lists all plans of a session, newest last. `done` counts the steps that are over. */
export function planOverviews(state: SessionState): PlanOverview[] {
  return [...state.plans.values()].map(({ plan, status }) => {
    const run = [...state.runs.values()].findLast((each) => each.plan?.id === plan.id);
    if (!run) return { plan, stage: status, done: 0 };
    const done = plan.steps.filter((_, index) => isOver(run.steps[index + 1])).length;
    const ended = done === plan.steps.length ? 'done' : 'stopped';
    const stage = run.status === 'live' ? 'running' : run.status === 'paused' ? 'paused' : ended;
    return { plan, stage, done, runId: run.runId };
  });
}

/** How far a plan is: which step is under way, which comes next, and what became of those before. Steps are counted from 1. */
import type { AgentEvent, UndoResult } from '../session/events.ts';
import type {
  MutableRunRecord,
  MutableSessionState,
  RunRecord,
  SessionState,
  StepState,
  StepStates,
  Write,
} from '../session/session-state.ts';
import type { Plan, PlanStatus } from './plan.ts';

type PlanRun = Pick<RunRecord, 'plan' | 'steps'>;

export function currentStep({ steps }: Pick<RunRecord, 'steps'>): number | undefined {
  // Where the log has lost that a step ended, the one that came after it is under way.
  const found = Object.entries(steps).findLast(([, { status }]) => status === 'started');
  return found && Number(found[0]);
}

/** The first step that is neither over nor under way. */
export function nextStep({ plan, steps }: PlanRun): number | undefined {
  const index = plan?.steps.findIndex((_, at) => !isOver(steps[at + 1]) && steps[at + 1]?.status !== 'started') ?? -1;
  return index < 0 ? undefined : index + 1;
}

export function isOver(step: StepState | undefined): boolean {
  return step?.status === 'done' || step?.status === 'skipped';
}

/** In the words of every host: "done, nothing changed". */
export function statusText({ status, unchanged, rolledBack }: Pick<StepState, 'status' | 'unchanged' | 'rolledBack'>): string {
  return `${status}${unchanged ? ', nothing changed' : ''}${rolledBack ? ', rolled back' : ''}`;
}

/** Those that a run which goes on with the plan does not do again. */
export function settledSteps(steps: StepStates): StepStates {
  return Object.fromEntries(Object.entries(steps).filter(([, step]) => isOver(step)));
}

/** The states of settled steps as the model is told them. */
export function settledText(steps: StepStates): Record<number, string> {
  return Object.fromEntries(Object.entries(settledSteps(steps)).map(([step, { status }]) => [step, status]));
}

/** The states of steps after the plan was edited: `was[i]` is the number that the step at `i` had, 0 for a new one. */
export function renumbered(steps: StepStates, was: readonly number[]): StepStates {
  return Object.fromEntries(
    was.flatMap((old, index) => {
      const state = steps[old];
      return state ? [[index + 1, state]] : [];
    }),
  );
}

/** What a step that is not over has written, over all runs of the plan. */
export function stagedBy({ staged }: SessionState, planId: string, step: number): Write[] {
  return staged.filter((entry) => entry.planId === planId && entry.step === step);
}

/** Whether a plan that is proposed takes the place of another one. A plan that the user has answered keeps its answer. */
export function replaces(proposed: Plan, planId: string, isAnswered: boolean): boolean {
  return proposed.supersedes === planId && !isAnswered;
}

type PlanEvent = Extract<AgentEvent, { type: 'plan_proposed' | 'plan_resolved' | 'plan_revised' | 'step_rolled_back' }>;

/** Folds an event into the session's plans, and into which step each write belongs to. `run` is the run of the event. */
export function reducePlan(state: MutableSessionState, event: PlanEvent, run: MutableRunRecord | undefined): void {
  switch (event.type) {
    case 'plan_proposed': {
      for (const before of state.plans.values())
        if (replaces(event.plan, before.plan.id, before.status !== 'proposed')) before.status = 'superseded';
      state.plans.set(event.plan.id, { plan: event.plan, status: 'proposed' });
      break;
    }
    case 'plan_resolved': {
      const known = state.plans.get(event.planId);
      if (!known) break;
      known.plan = event.plan ?? known.plan;
      known.status = event.answer === 'run' ? 'confirmed' : 'discarded';
      break;
    }
    case 'plan_revised': {
      const { plan, was } = event;
      const known = state.plans.get(plan.id);
      if (known) known.plan = plan;
      if (run?.plan?.id === plan.id) run.plan = plan;
      if (!was) break;
      for (const entry of state.staged)
        if (entry.planId === plan.id && entry.step !== undefined) entry.step = was.indexOf(entry.step) + 1 || undefined;
      break;
    }
    case 'step_rolled_back': {
      const outcomes = new Map(event.results.map(({ path, outcome }) => [path, outcome]));
      for (const entry of state.staged) {
        const outcome = outcomes.get(entry.change.path);
        if (entry.callId === event.undoId) entry.landed = outcome === 'restored' || outcome === 'merged';
        // What is taken back is no part of the step any more, should it be done once again.
        else if (entry.planId === event.planId && entry.step === event.step && outcome !== 'refused') entry.step = undefined;
      }
      break;
    }
  }
}

type StepEvent = Extract<AgentEvent, { type: 'plan_step' | 'step_checked' | 'step_rolled_back' | 'plan_revised' | 'file_changed' }>;

/** The steps of a run's plan after one more of its events. Steps that the event does not concern stay the same objects. */
export function stepsAfter(steps: StepStates, event: StepEvent): StepStates {
  switch (event.type) {
    case 'plan_step': {
      const { step, status, note, implicit, unchanged } = event;
      const { files, check, rolledBack } = steps[step] ?? {};
      const said = { ...(implicit && { implicit }), ...(unchanged && { unchanged }), ...(note !== undefined && { note }) };
      // Findings about a step hold until the step is started again.
      const findings = status !== 'started' && { ...(check && { check }), ...(rolledBack && { rolledBack }) };
      return { ...steps, [step]: { status, ...said, ...findings, ...(files && { files }) } };
    }
    case 'step_checked': {
      const { step, check, outcome, output } = event;
      return withFacts(steps, step, { check: { check, outcome, output } });
    }
    case 'step_rolled_back': {
      const refused = refusedPaths(event.results);
      const files = steps[event.step]?.files?.filter((path) => refused.has(path));
      return withFacts(steps, event.step, { rolledBack: true, ...(files && { files }) });
    }
    case 'plan_revised':
      return event.was ? renumbered(steps, event.was) : steps;
    case 'file_changed': {
      const step = currentStep({ steps });
      if (step === undefined) return steps;
      const files = new Set([...(steps[step]?.files ?? []), ...event.changes.map(({ path }) => path)]);
      return withFacts(steps, step, { files: [...files] });
    }
  }
}

function withFacts(steps: StepStates, step: number, facts: Partial<StepState>): StepStates {
  const known = steps[step];
  return known ? { ...steps, [step]: { ...known, ...facts } } : steps;
}

/** Files that an undo, a restore or a rollback had to leave as they were. */
export function refusedPaths(results: readonly UndoResult[]): Set<string> {
  return new Set(results.flatMap(({ path, outcome }) => (outcome === 'refused' ? [path] : [])));
}

export type PlanStage = PlanStatus | 'running' | 'paused' | 'stopped' | 'done';
export type PlanOverview = { plan: Plan; stage: PlanStage; done: number; runId?: string };

/** Every plan of a session, the newest last; `done` counts the steps that are over. */
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

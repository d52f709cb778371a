/** The progress of a plan: which step is running, which step comes next, and how earlier steps ended. Steps are numbered from 1. */

import type { AgentEvent, UndoResult } from '../session/events.ts';
import type {
  CheckResult,
  MutableRunRecord,
  MutableSessionState,
  RunRecord,
  SessionState,
  StepState,
  StepStates,
  Write,
} from '../session/session-state.ts';
import { checksAtEnd, isSameCheck, type Plan, type PlanStatus } from './plan.ts';

type PlanRun = Pick<RunRecord, 'plan' | 'steps'>;

export function currentStep({ steps }: Pick<RunRecord, 'steps'>): number | undefined {
  // If the log lost the event that ended a step, several steps have the status `started`. The last of them is running.
  const started = Object.entries(steps).findLast(([, { status }]) => status === 'started');
  return started && Number(started[0]);
}

/** Returns the number of the first step that is neither finished nor running. */
export function nextStep({ plan, steps }: PlanRun): number | undefined {
  const index = plan?.steps.findIndex((_, at) => !isOver(steps[at + 1]) && steps[at + 1]?.status !== 'started') ?? -1;
  return index < 0 ? undefined : index + 1;
}

export function isOver(step: StepState | undefined): boolean {
  return step?.status === 'done' || step?.status === 'skipped';
}

/** Formats the state of a step for display in all hosts, such as "done, nothing changed". */
export function statusText({ status, unchanged, rolledBack }: Pick<StepState, 'status' | 'unchanged' | 'rolledBack'>): string {
  return `${status}${unchanged ? ', nothing changed' : ''}${rolledBack ? ', rolled back' : ''}`;
}

/** Returns the states of the finished steps. They are not repeated when a run resumes the plan. */
export function finishedSteps(steps: StepStates): StepStates {
  return Object.fromEntries(Object.entries(steps).filter(([, step]) => isOver(step)));
}

/** Returns the states of the finished steps as text for the model. */
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

/** Returns the writes of a plan step in all runs of the plan. */
export function stagedBy({ staged }: SessionState, planId: string, step: number): Write[] {
  return staged.filter((entry) => entry.planId === planId && entry.step === step);
}

/**
 * Returns true if the plan `proposed` replaces the earlier plan `planId`. A plan that the user has confirmed or discarded is not replaced.
 */
export function replaces(proposed: Plan, planId: string, isAnswered: boolean): boolean {
  return proposed.supersedes === planId && !isAnswered;
}

type PlanEvent = Extract<AgentEvent, { type: 'plan_proposed' | 'plan_resolved' | 'plan_revised' | 'step_rolled_back' }>;

/** Updates the plans of the session and the step numbers of staged writes after a plan event. `run` is the run of the event. */
export function reducePlan(state: MutableSessionState, event: PlanEvent, run: MutableRunRecord | undefined): void {
  switch (event.type) {
    case 'plan_proposed': {
      for (const before of state.plans.values())
        if (replaces(event.plan, before.plan.id, before.status !== 'proposed')) before.status = 'superseded';
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
      for (const entry of state.staged)
        if (entry.planId === plan.id && entry.step !== undefined) entry.step = was.indexOf(entry.step) + 1 || undefined;
      break;
    }
    case 'step_rolled_back': {
      const outcomes = new Map(event.results.map(({ path, outcome }) => [path, outcome]));
      for (const entry of state.staged) {
        const outcome = outcomes.get(entry.change.path);
        if (entry.callId === event.undoId) entry.landed = outcome === 'restored' || outcome === 'merged';
        // Writes that were rolled back no longer belong to the step, because the step may run again.
        else if (entry.planId === event.planId && entry.step === event.step && outcome !== 'refused') entry.step = undefined;
      }
      break;
    }
  }
}

type StepEvent = Extract<
  AgentEvent,
  { type: 'plan_step' | 'step_checked' | 'step_rolled_back' | 'plan_revised' | 'file_changed' | 'tool_started' }
>;

/** Returns the states of the plan steps of a run after an event. The states of other steps stay the same objects. */
export function stepsAfter(steps: StepStates, event: StepEvent): StepStates {
  switch (event.type) {
    case 'plan_step': {
      const { step, status, note, implicit, unchanged } = event;
      const { files, check, rolledBack, acted } = steps[step] ?? {};
      const said = { ...(implicit && { implicit }), ...(unchanged && { unchanged }), ...(note !== undefined && { note }) };
      // The check result and rollback of a step stay valid until the step is started again.
      const findings = status !== 'started' && { ...(check && { check }), ...(rolledBack && { rolledBack }) };
      return { ...steps, [step]: { status, ...said, ...findings, ...(files && { files }), ...(acted && { acted }) } };
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
      return event.was ? renumberSteps(steps, event.was) : steps;
    case 'tool_started': {
      const step = currentStep({ steps });
      const isOther = event.effect !== 'readonly' && (event.command !== undefined || event.source !== undefined);
      return step !== undefined && isOther && event.decision.kind === 'allow' && !steps[step]?.acted
        ? withFacts(steps, step, { acted: true })
        : steps;
    }
    case 'file_changed': {
      const step = currentStep({ steps });
      if (step === undefined) return steps;
      const files = new Set([...(steps[step]?.files ?? []), ...event.changes.map(({ path }) => path)]);
      return withFacts(steps, step, { files: [...files] });
    }
  }
}

/** Returns the results of the checks after the last step, with the latest result of each. */
export function endChecksAfter(
  results: readonly CheckResult[],
  { check, outcome, output }: Extract<AgentEvent, { type: 'plan_checked' }>,
): readonly CheckResult[] {
  return [...results.filter((each) => !isSameCheck(each.check, check)), { check, outcome, output }];
}

/** Returns the first check after the last step that failed, as long as the plan still has that check. */
export function failedEndCheck({ plan, endChecks }: Pick<RunRecord, 'plan' | 'endChecks'>): CheckResult | undefined {
  const checks = plan ? checksAtEnd(plan) : [];
  return endChecks.find(({ check, outcome }) => outcome === 'failed' && checks.some((each) => isSameCheck(each, check)));
}

function withFacts(steps: StepStates, step: number, facts: Partial<StepState>): StepStates {
  const known = steps[step];
  return known ? { ...steps, [step]: { ...known, ...facts } } : steps;
}

/** Returns the paths of the files that an undo, a restore or a rollback did not change because it was refused. */
export function refusedPaths(results: readonly UndoResult[]): Set<string> {
  return new Set(results.flatMap(({ path, outcome }) => (outcome === 'refused' ? [path] : [])));
}

export type PlanStage = PlanStatus | 'running' | 'paused' | 'stopped' | 'done';
export type PlanOverview = { plan: Plan; stage: PlanStage; done: number; runId?: string };

/** Lists all plans of a session, newest last. `done` is the number of finished steps. */
export function planOverviews(state: SessionState): PlanOverview[] {
  return [...state.plans.values()].map(({ plan, status }) => {
    const run = [...state.runs.values()].findLast((each) => each.plan?.id === plan.id);
    if (!run) return { plan, stage: status, done: 0 };
    const done = plan.steps.filter((_, index) => isOver(run.steps[index + 1])).length;
    const ended = done === plan.steps.length && !failedEndCheck(run) ? 'done' : 'stopped';
    const stage = run.status === 'live' ? 'running' : run.status === 'paused' ? 'paused' : ended;
    return { plan, stage, done, runId: run.runId };
  });
}

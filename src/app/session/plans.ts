/** The actions of a user on the plans of a session: run, discard, edit, request a change, resume and repeat. */

import type { ModelRef, NotePart } from '../../core/model/messages.ts';
import { withHash } from '../../core/plan/hash.ts';
import { changeNote, hasAgents, type Plan, planNote, rerootPlan, widenPlan } from '../../core/plan/plan.ts';
import {
  currentStep,
  failedEndCheck,
  finishedStepsText,
  isOver,
  nextStep,
  type PlanOverview,
  planOverviews,
  renumberSteps,
} from '../../core/plan/progress.ts';
import type { EventBody, Mode } from '../../core/session/events.ts';
import type { Permission } from '../../core/session/grant-scope.ts';
import type { EventList } from '../../core/session/lists.ts';
import type { ApprovalRequest, RunRecord, SessionState } from '../../core/session/session-state.ts';
import { beyondScope } from '../../tools/plan/plan-scope.ts';
import type { Prompt } from './prompt.ts';
import { SessionError } from './session-error.ts';

/**
 * `edited` is the plan as the user edited it. `model` overrides the model of Agent mode. With `allowEdits`, the run may also edit files that
 * the plan does not name.
 */
export type PlanOptions = { edited?: Plan | undefined; model?: ModelRef; allowEdits?: boolean | undefined };

/**
 * The relation of a run to a plan, or to the run `edits` whose prompt it is another version of. `shown` is displayed as the prompt if the user
 * wrote no text. `grants` are permissions for this run. `worktree` is the worktree in which it works.
 */
export type Bound = {
  plan?: Plan;
  resumes?: string;
  revises?: string;
  edits?: string;
  shown?: string;
  grants?: Permission[];
  worktree?: string;
};

/** The parts of a session that plans use. */
export type PlanDesk = {
  state: SessionState;
  newId(): string;
  /** @throws SessionError while a run is live. */
  expectIdle(): void;
  /** @throws SessionError if a step names an agent that cannot carry it out */
  expectAgents(plan: Plan, state: SessionState): Promise<void>;
  emit(runId: string, body: EventBody): void;
  prompt(prompt: Prompt, bound: Bound): Promise<void>;
  /** Resumes a paused run. `opening` is logged first. */
  resume(runId: string, opening: EventBody[]): Promise<void>;
};

export class Plans {
  readonly #desk: PlanDesk;

  constructor(desk: PlanDesk) {
    this.#desk = desk;
  }

  list(): PlanOverview[] {
    return planOverviews(this.#desk.state);
  }

  /** Runs or discards a proposed plan, which the user may have edited. Resolves when the run has ended. */
  async answer(planId: string, answer: 'run' | 'discard', { edited, model, allowEdits }: PlanOptions = {}): Promise<void> {
    this.#expectProposed(planId);
    const known = this.#known(planId);
    const plan = await withHash(edited ? { ...edited, id: planId } : known);
    if (answer === 'run' && hasAgents(plan)) await this.#desk.expectAgents(plan, this.#desk.state);
    this.#expectProposed(planId);
    const { state, emit, newId, prompt } = this.#desk;
    emit(state.lastRun?.runId ?? newId(), { type: 'plan_resolved', planId, answer, ...(answer === 'run' && { plan }) });
    const grants = allowEdits && { grants: [{ kind: 'edits', beyondPlan: true } satisfies Permission] };
    if (answer === 'run') await prompt(carryingOut(planNote(plan), model), { plan, shown: shownAs(plan), ...grants });
  }

  /**
   * Replaces a plan whose run has paused or ended with an edited plan, and continues with it. `was[i]` is the former number of the step at
   * index `i`, or 0 for a new step. Finished steps are not changed.
   */
  async revise(planId: string, edited: Plan, was: readonly number[]): Promise<void> {
    const { runId, plan: before, steps } = this.#run(planId);
    const over = before.steps.flatMap((_, index) => (isOver(steps[index + 1]) ? [index + 1] : []));
    const old = was.filter((number) => number !== 0);
    const fits = was.length === edited.steps.length && new Set(old).size === old.length && old.every((number) => before.steps[number - 1]);
    if (!fits || over.some((number) => !was.includes(number)))
      throw new SessionError('Finished steps must stay in the plan. Edit only the steps that are left.');
    const kept = edited.steps.map((step, index) =>
      over.includes(was[index] as number) ? (before.steps[(was[index] as number) - 1] ?? step) : step,
    );
    const plan = await withHash({ ...edited, steps: kept, id: planId, revision: before.revision + 1 });
    const left = plan.steps.filter((_, index) => !over.includes(was[index] as number));
    if (hasAgents({ steps: left })) await this.#desk.expectAgents(plan, this.#desk.state);
    const run = this.#run(planId);
    if (run.runId !== runId || run.plan.revision !== before.revision)
      throw new SessionError('The plan has changed. Review it and try again.');
    const revised: EventBody = { type: 'plan_revised', plan, reason: 'You edited the plan.', was: [...was] };
    if (!this.#isPaused(run)) {
      this.#desk.emit(run.runId, revised);
      return this.resume(planId);
    }
    const note = planNote(plan, finishedStepsText(renumberSteps(run.steps, was)));
    await this.#desk.resume(run.runId, [revised, { type: 'message_added', message: { role: 'user', content: [note] } }]);
  }

  /** Continues a plan at its first unfinished step. */
  async resume(planId: string, { model }: Pick<PlanOptions, 'model'> = {}): Promise<void> {
    const run = this.#run(planId);
    const isFailed = failedEndCheck(run) !== undefined;
    if (nextStep(run) === undefined && currentStep(run) === undefined && !isFailed)
      throw new SessionError('All steps of this plan are finished. To repeat them, run the plan again.');
    if (this.#isPaused(run) || (isFailed && this.#isFailed(run))) return this.#desk.resume(run.runId, []);
    const { plan, runId, steps } = run;
    await this.#desk.prompt(carryingOut(planNote(plan, finishedStepsText(steps)), model), { plan, resumes: runId, shown: shownAs(plan) });
  }

  /** Asks the model for a changed plan that replaces this plan. */
  async change(planId: string, words: string, { model }: Pick<PlanOptions, 'model'> = {}): Promise<void> {
    this.#expectProposed(planId);
    const notes = [changeNote(this.#known(planId))];
    await this.#desk.prompt({ text: words, notes, mode: 'plan', ...(model && { model }) }, { revises: planId });
  }

  /** Proposes a plan again, optionally for another folder. The user must confirm it like any other plan. */
  async again(planId: string, roots?: { from: string; to: string }): Promise<Plan> {
    this.#desk.expectIdle();
    const { runId } = this.#run(planId);
    const known = this.#known(planId);
    const { supersedes: _, ...same } = roots ? rerootPlan(known, roots.from, roots.to) : known;
    const plan = await withHash({ ...same, id: this.#desk.newId(), revision: 1 });
    this.#desk.expectIdle();
    this.#desk.emit(runId, { type: 'plan_proposed', plan });
    return plan;
  }

  /** Returns the revision of the plan that allows the running or next step to write the files of an approval request. */
  async widening({ runId, callId, rule }: ApprovalRequest, events: EventList): Promise<EventBody | undefined> {
    const run = this.#desk.state.runs.get(runId);
    if (rule !== 'outside-plan' || !run?.plan) return undefined;
    const started = events.ofType('tool_started', runId).findLast((event) => event.callId === callId);
    if (!started) return undefined;
    const written = started.targets.filter(({ access }) => access !== 'read').map(({ path }) => path);
    const files = beyondScope(run, [...new Set(written)]);
    const step = currentStep(run) ?? nextStep(run);
    const plan = await withHash(widenPlan(run.plan, step, files));
    return {
      type: 'plan_revised',
      plan,
      reason: `You allowed ${step === undefined ? 'the plan' : `step ${step}`} to change ${files.join(', ')}.`,
    };
  }

  #isPaused({ runId, status }: RunRecord): boolean {
    return status === 'paused' && this.#desk.state.lastRun?.runId === runId;
  }

  #isFailed({ runId, outcome }: RunRecord): boolean {
    return outcome === 'failed' && this.#desk.state.lastRun?.runId === runId;
  }

  #known(planId: string): Plan {
    const known = this.#desk.state.plans.get(planId);
    if (!known) throw new SessionError('This plan was not found in this session. Choose another plan.');
    return known.plan;
  }

  /** Returns the last run of the plan. */
  #run(planId: string): RunRecord & { plan: Plan } {
    this.#desk.expectIdle();
    const run = [...this.#desk.state.runs.values()].findLast(({ plan }) => plan?.id === planId);
    if (!run?.plan) throw new SessionError('This plan has not been run yet. Run it first.');
    return run as RunRecord & { plan: Plan };
  }

  /**
   * @throws SessionError if the plan cannot be confirmed. A plan that was confirmed right before a crash and never started can be confirmed
   * again.
   */
  #expectProposed(planId: string): void {
    this.#desk.expectIdle();
    const { plans, runs } = this.#desk.state;
    const known = plans.get(planId);
    if (!known) throw new SessionError('This plan was not found in this session. Choose another plan.');
    const begun = [...runs.values()].some((run) => run.plan?.id === planId);
    if (begun || known.status === 'discarded' || known.status === 'superseded')
      throw new SessionError(
        `This plan has already been ${known.status === 'superseded' ? 'replaced' : known.status}. Choose another plan.`,
      );
  }
}

function carryingOut(note: NotePart, model: ModelRef | undefined): Prompt {
  return { text: '', notes: [note], mode: 'agent', ...(model && { model }) };
}

function shownAs({ goal }: Plan): string {
  return `Run the plan: ${goal}`;
}

/** Returns the mode for a prompt. If the user requires a plan, a prompt in Agent mode is first run in Plan mode. */
export function plannedMode(mode: Mode, bound: Bound, required: boolean | undefined): Mode {
  return required && mode === 'agent' && !bound.plan ? 'plan' : mode;
}

/** Returns the id of the plan that the last run proposed, if the plan is neither confirmed nor discarded. */
export function proposedPlan({ lastRun, plans }: Pick<SessionState, 'lastRun' | 'plans'>): string | undefined {
  if (lastRun?.outcome !== 'plan_proposed') return undefined;
  return [...plans].findLast(([, { status }]) => status === 'proposed')?.[0];
}

/**
 * Controls the steps of a confirmed plan while it runs: begins them, runs their checks when they are done, and keeps or rolls back their
 * changes together.
 */

import { checkText, type Plan, type StepStatus } from '../../core/plan/plan.ts';
import { currentStep, isOver, nextStep, stagedBy, statusText } from '../../core/plan/progress.ts';
import { type ExecuteContext, type PreparedCall, type Tool, ToolError, type ToolOutput, wrapTool } from '../../core/run/tool.ts';
import type { EventBody } from '../../core/session/events.ts';
import type { RunRecord, SessionState, StepState } from '../../core/session/session-state.ts';
import { historiesOf } from '../../workspace/checkpoints.ts';
import type { WriteGate } from '../../workspace/gate.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { contextOfEnd, EndChecks } from './end-checks.ts';
import { type CheckPorts, type CheckResult, checkResultText, runCheck } from './plan-check.ts';
import { stepOf, stepsAhead, titleOf, withAnsweredQuestion } from './plan-scope.ts';
import { ANSWERS, failureQuestion, keepQuestion, questionIdsAfterCheck, retryText, unchangedQuestion, wordsOf } from './step-questions.ts';

/** The run of a plan and the state of its session. The session updates both objects during the run. */
export type PlanRun = { run: RunRecord; state: SessionState };
type Report = { step: number; status: StepStatus; note?: string | undefined };

export class StepController {
  readonly #run: RunRecord;
  readonly #state: SessionState;
  readonly #workspace: Workspace;
  readonly #gate: WriteGate;
  readonly #checks: CheckPorts;
  readonly #endChecks: EndChecks;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ run, state }: PlanRun, workspace: Workspace, gate: WriteGate, checks: CheckPorts) {
    this.#run = run;
    this.#state = state;
    this.#workspace = workspace;
    this.#gate = gate;
    this.#checks = checks;
    this.#endChecks = new EndChecks({ run, state }, workspace, checks);
  }

  /** The current revision of the plan. */
  get plan(): Plan {
    return this.#run.plan as Plan;
  }

  /** Returns the tool with step control: if the model does not report steps, a write that begins a step records the start of the step. */
  bind(tool: Tool): Tool {
    return wrapTool(tool, async (input, signal) => this.#bindCall(await tool.prepare(input, signal)));
  }

  #bindCall(prepared: PreparedCall): PreparedCall {
    const { revise } = prepared;
    return {
      ...prepared,
      ...(revise && { revise: async (revision) => this.#bindCall(await revise(revision)) }),
      execute: (context) => this.#executeInStep(prepared, context),
    };
  }

  /** Handles the model's report on a step. Reports are processed one at a time, in order. */
  report(report: Report, context: ExecuteContext): Promise<ToolOutput> {
    return this.#enqueue(() => this.#report(report, context));
  }

  async #report({ step, status, note }: Report, context: ExecuteContext): Promise<ToolOutput> {
    const stepState = this.#run.steps[step];
    const current = currentStep(this.#run);
    if (stepState && isOver(stepState))
      return this.#withEndChecks(
        { content: `Step ${step} is already ${stepState.status}.${this.#nextStepText()}`, note: this.#finalStatus(step) },
        context,
      );
    if (current !== undefined && current !== step) {
      if (status !== 'started') throw new ToolError(`Step ${current} is running, not step ${step}. Report step ${current} done first.`);
      if (this.#run.steps[current]?.check?.outcome === 'failed' && !this.#isAsked(current, context))
        throw new ToolError(`The check of step ${current} failed. Fix the problem and report step ${current} done first.`);
      const ended = await this.#finish(current, undefined, context);
      if (ended.isError || ended.endsRun) return ended;
    }
    switch (status) {
      case 'started':
        if (stepState?.status !== 'started' || stepState.implicit) this.#recordStep(context, step, 'started', note);
        return { content: 'Noted.' };
      case 'done':
        return this.#finish(step, note, context);
      case 'failed':
        return this.#resolveFailure(step, note ?? 'The model gave no reason.', undefined, context);
      case 'skipped':
        this.#recordStep(context, step, 'skipped', note);
        return this.#withEndChecks({ content: `Noted.${this.#nextStepText()}` }, context);
    }
  }

  /** Runs the checks after the last step, if all steps are finished, and adds their results. */
  async #withEndChecks(output: ToolOutput, context: ExecuteContext): Promise<ToolOutput> {
    const checked = await this.#endChecks.run(context);
    return checked ? { ...output, ...checked, content: `${output.content} ${checked.content}` } : output;
  }

  /** Executes a call and records the step that it begins. A write that does not belong to a step was approved by the user. */
  async #executeInStep({ targets, execute }: PreparedCall, context: ExecuteContext): Promise<ToolOutput> {
    const paths = targets.filter(({ access }) => access !== 'read').map(({ path }) => path);
    const run = withAnsweredQuestion(this.#run, context.callId, this.#state);
    const step = paths.length > 0 ? stepOf(run, paths) : undefined;
    const current = currentStep(this.#run);
    if (step === undefined || step === current) return execute(context);
    const first = [...(current === undefined ? [] : [current]), ...stepsAhead(this.#run)].filter((each) => each !== step);
    for (const each of first) {
      const ended = await this.#finish(each, undefined, context);
      if (ended.isError || ended.endsRun)
        return {
          ...ended,
          content: `The call was not executed, because step ${each} must be finished first. ${ended.content}`,
          isError: true,
        };
    }
    this.#recordStep(context, step, 'started', undefined, { implicit: true });
    return execute(context);
  }

  /** Runs the check of a step. When the check fails, the user decides how to continue. */
  async #finish(step: number, note: string | undefined, context: ExecuteContext): Promise<ToolOutput> {
    const { check } = this.plan.steps[step - 1] ?? {};
    const checked = this.#isAsked(step, context) ? this.#run.steps[step]?.check : await this.#check(step, context);
    if (checked?.outcome === 'failed') {
      const words = checkResultText(check ?? '', checked);
      return this.#resolveFailure(step, words, { check: check ?? '', ...checked }, context);
    }
    const unchanged = this.#isUnchanged(step);
    const notDone = unchanged && (await this.#askAboutUnchanged(step, context));
    if (notDone) return notDone;
    this.#recordStep(context, step, 'done', note, { unchanged });
    const remark = typeof check === 'string' ? ` Kedge cannot run this check: ${check}.` : '';
    const what = unchanged ? `Step ${step} is done, and changed none of its files.` : `Step ${step} is done.`;
    const content = `${what}${checked && check ? ` ${checkResultText(check, checked)}` : remark}${this.#nextStepText()}`;
    return this.#withEndChecks({ content, ...(unchanged && { note: 'nothing changed' }) }, context);
  }

  /** Returns the result that ends the call if the user does not accept that a step changed nothing. If no user is available, the step is done. */
  async #askAboutUnchanged(step: number, context: ExecuteContext): Promise<ToolOutput | undefined> {
    const answer = await context.ask(unchangedQuestion(step, this.plan.steps[step - 1]));
    if ('option' in answer ? answer.option === ANSWERS.goOn : answer.by === 'nobody') return undefined;
    if ('option' in answer && answer.option === ANSWERS.stop) {
      this.#recordStep(context, step, 'failed', 'It changed none of its files.');
      return { content: 'The user stopped the run.', note: this.#finalStatus(step), isError: true, endsRun: 'stopped' };
    }
    if (this.#run.steps[step]?.status !== 'started') this.#recordStep(context, step, 'started', undefined);
    const content = `The user does not accept step ${step}, because it changed none of its files. ${retryText(this.plan, step)}`;
    return { content: content + wordsOf(answer), isError: true };
  }

  async #check(step: number, context: ExecuteContext): Promise<CheckResult | undefined> {
    const { check } = this.plan.steps[step - 1] ?? {};
    if (check) context.progress(`Checking: ${checkText(check)}`);
    const files = [...new Set(this.#staged(step).map(({ change }) => change.path))].filter((path) => !path.endsWith('/'));
    const checked = await runCheck(check, files, this.#workspace, this.#checks, context);
    // An aborted search finds no matches, which does not mean that the check passed.
    context.signal.throwIfAborted();
    if (checked && check) {
      // A step needs a state before its check is recorded.
      if (!this.#run.steps[step]) this.#recordStep(context, step, 'started', undefined, { implicit: true });
      context.record({ type: 'step_checked', ...this.#stepRef(step), check, ...checked });
    }
    return checked;
  }

  /**
   * Returns true if the call asked about this step before a reload. The call then starts again, but its check must not run a second time.
   */
  #isAsked(step: number, { callId }: ExecuteContext): boolean {
    const { questionAnswers, pendingQuestions } = this.#state;
    return questionIdsAfterCheck(callId, step).some((id) => questionAnswers.has(id) || pendingQuestions.has(id));
  }

  async #resolveFailure(step: number, problem: string, checked: StepState['check'], context: ExecuteContext): Promise<ToolOutput> {
    const answer = await context.ask(failureQuestion(step, this.plan.steps[step - 1], problem, checked));
    const nobody = !('option' in answer) && answer.by === 'nobody';
    const choice = nobody ? ANSWERS.stop : 'option' in answer ? answer.option : ANSWERS.retry;
    switch (choice) {
      case ANSWERS.skip: {
        const what = await this.#askToKeepChanges(step, context);
        this.#recordStep(context, step, 'skipped', `${checked ? 'Its check failed' : 'It failed'}${what}.`);
        const skipped = { content: `The user skipped step ${step}${what}.${this.#nextStepText()}`, note: this.#finalStatus(step) };
        return this.#withEndChecks(skipped, context);
      }
      case ANSWERS.edit:
        return { content: 'The user edits the plan. The run continues with the edited plan.', isError: true, endsRun: 'edit_plan' };
      case ANSWERS.stop: {
        const what = nobody ? await this.#rollBack(step, context) : await this.#askToKeepChanges(step, context);
        this.#recordStep(context, step, 'failed', `${checked ? 'Its check failed' : 'It failed'}${what}.`);
        // If no user was available to answer the question, the run counts as failed.
        const endsRun = nobody ? 'failed' : 'stopped';
        return { content: `${problem}\nThe run ends${what}.`, note: this.#finalStatus(step), isError: true, endsRun };
      }
      default: {
        // A step that the model retries has begun, even if the model never reported its start.
        if (this.#run.steps[step]?.status !== 'started') this.#recordStep(context, step, 'started', undefined);
        return { content: `${problem}\n${retryText(this.plan, step)}${wordsOf(answer)}`, isError: true };
      }
    }
  }

  /** Returns the final state of the step, regardless of the model's report. */
  #finalStatus(step: number): string {
    const state = this.#run.steps[step];
    return state ? statusText(state) : 'open';
  }

  async #askToKeepChanges(step: number, context: ExecuteContext): Promise<string> {
    const files = historiesOf(this.#staged(step).map(({ change, landed }) => ({ ...change, landed }))).length;
    if (files === 0) return '';
    const answer = await context.ask(keepQuestion(step, files));
    return 'option' in answer && answer.option === ANSWERS.rollBack ? this.#rollBack(step, context) : '; its changes were kept';
  }

  async #rollBack(step: number, context: ExecuteContext): Promise<string> {
    const staged = this.#staged(step).map(({ change, landed }) => ({ ...change, landed }));
    if (staged.length === 0) return '';
    const undoId = crypto.randomUUID();
    const results = await this.#gate.undo(staged, (changes) => context.record({ type: 'undo_staged', undoId, changes }));
    context.record({ type: 'step_rolled_back', ...this.#stepRef(step), undoId, results });
    const refused = results.filter(({ outcome }) => outcome === 'refused').map(({ path, reason }) => `${path} (${reason})`);
    return refused.length > 0 ? `; its changes were rolled back, except in ${refused.join(', ')}` : '; its changes were rolled back';
  }

  #staged(step: number) {
    return stagedBy(this.#state, this.plan.id, step);
  }

  #isUnchanged(step: number): boolean {
    const { files = [] } = this.plan.steps[step - 1] ?? {};
    return files.length > 0 && this.#staged(step).length === 0 && !this.#run.steps[step]?.acted;
  }

  #recordStep(
    context: ExecuteContext,
    step: number,
    status: StepStatus,
    note?: string,
    { implicit = false, unchanged = false } = {},
  ): void {
    const how = { ...(note && { note }), ...(implicit && { implicit: true as const }), ...(unchanged && { unchanged: true as const }) };
    context.record({ type: 'plan_step', ...this.#stepRef(step), status, ...how });
  }

  #stepRef(step: number): Pick<Extract<EventBody, { type: 'plan_step' }>, 'planId' | 'hash' | 'step'> {
    const { id, hash } = this.plan;
    return { planId: id, ...(hash && { hash }), step };
  }

  #nextStepText(): string {
    const current = currentStep(this.#run);
    const next = current ?? nextStep(this.#run);
    if (next === undefined) return ' All steps are finished.';
    return ` ${current ? 'Running' : 'Next'}: step ${next}, ${titleOf(this.plan.steps[next - 1])}.`;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /**
   * At the end of a run whose model does not report steps, runs the check of the current step and of the following steps that consist only
   * of a check. Then the checks after the last step are run, if all steps are finished. The user is not asked.
   */
  async close(given: Pick<ExecuteContext, 'signal' | 'record'>): Promise<void> {
    await this.#closeSteps(given);
    await this.#endChecks.run(contextOfEnd(given));
  }

  async #closeSteps(given: Pick<ExecuteContext, 'signal' | 'record'>): Promise<void> {
    const current = currentStep(this.#run);
    if (current === undefined || !this.#run.steps[current]?.implicit) return;
    const ahead = stepsAhead(this.#run);
    const open = ahead.findIndex((step) => !this.#isOnlyCheck(step));
    for (const step of [current, ...ahead.slice(0, open < 0 ? undefined : open)]) if (!(await this.#closeStep(step, given))) return;
  }

  #isOnlyCheck(step: number): boolean {
    const { files = [], check, agent } = this.plan.steps[step - 1] ?? {};
    return files.length === 0 && agent === undefined && typeof check === 'object';
  }

  /** Runs the check of a step and records the result. Returns true if the step is done. */
  async #closeStep(step: number, given: Pick<ExecuteContext, 'signal' | 'record'>): Promise<boolean> {
    const context = contextOfEnd(given);
    const checked = await this.#check(step, context);
    const failed = checked?.outcome === 'failed';
    const keptText = this.#staged(step).length > 0 ? '; its changes were kept' : '';
    const unchanged = !failed && this.#isUnchanged(step);
    this.#recordStep(context, step, failed ? 'failed' : 'done', failed ? `Its check failed${keptText}.` : undefined, { unchanged });
    return !failed;
  }
}

/** Runs the checks after the last step of a plan. */

import { checksAtEnd, checkText, isSameCheck, type Plan, type RunCheck } from '../../core/plan/plan.ts';
import { currentStep, nextStep } from '../../core/plan/progress.ts';
import type { ExecuteContext } from '../../core/run/tool.ts';
import type { QuestionAnswer } from '../../core/session/events.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type CheckPorts, checkResultText, runCheck } from './plan-check.ts';

export class EndChecks {
  readonly #run: RunRecord;
  readonly #state: SessionState;
  readonly #workspace: Workspace;
  readonly #ports: CheckPorts;
  /** The number of writes and calls when a check passed (`#changes`), by the text of the check. */
  readonly #passed = new Map<string, string>();

  constructor({ run, state }: { run: RunRecord; state: SessionState }, workspace: Workspace, ports: CheckPorts) {
    this.#run = run;
    this.#state = state;
    this.#workspace = workspace;
    this.#ports = ports;
  }

  /**
   * Runs each check that has not passed since the last change, if all steps are finished. Returns the results as text for the model, or
   * undefined if there was nothing to check.
   */
  async run(context: ExecuteContext): Promise<{ content: string; isError?: true } | undefined> {
    const plan = this.#run.plan as Plan;
    if (nextStep(this.#run) !== undefined || currentStep(this.#run) !== undefined) return undefined;
    const due = checksAtEnd(plan).filter((check) => this.#passed.get(checkText(check)) !== this.#changes);
    const results: string[] = [];
    let isError = false;
    for (const check of due) {
      const { outcome, text } = await this.#check(plan, check, context);
      results.push(text);
      isError ||= outcome === 'failed';
    }
    if (results.length === 0) return undefined;
    const fix = `Fix the problem, then report step ${plan.steps.length} done again. All files of the plan may be changed for this.`;
    return { content: [...results, ...(isError ? [fix] : [])].join('\n'), ...(isError && { isError }) };
  }

  /** Differs after each write and each call that is not read-only, such as a command. */
  get #changes(): string {
    return `${this.#state.staged.length} ${this.#run.actions ?? 0}`;
  }

  async #check(plan: Plan, check: RunCheck, context: ExecuteContext) {
    context.progress(`Checking: ${checkText(check, 'plan')}`);
    const written = this.#state.staged.filter(({ planId }) => planId === plan.id).map(({ change }) => change.path);
    const files = [...new Set(written)].filter((path) => !path.endsWith('/'));
    // The check of the last step may ask about the same command in the same call.
    const ask: ExecuteContext['ask'] = (question) =>
      context.ask({ ...question, id: `end ${question.id}`, text: 'Run a command to check the plan?' });
    const result = (await runCheck(check, files, this.#workspace, this.#ports, { ...context, ask })) ?? NOT_RUN;
    // An aborted search finds no matches, which does not mean that the check passed.
    context.signal.throwIfAborted();
    const { id: planId, hash } = plan;
    const before = this.#run.endChecks.find((each) => isSameCheck(each.check, check));
    // A check that failed and could not be repeated is still failed.
    if (result.outcome !== 'not_run' || !before || before.outcome === 'passed')
      context.record({ type: 'plan_checked', planId, ...(hash && { hash }), check, ...result });
    if (result.outcome === 'passed') this.#passed.set(checkText(check), this.#changes);
    return { outcome: result.outcome, text: checkResultText(check, result, 'plan') };
  }
}

const NOT_RUN = { outcome: 'not_run', output: '' } as const;

/** No question can be asked after the final answer, because there is no call left that could ask it. */
export function contextOfEnd(given: Pick<ExecuteContext, 'signal' | 'record'>): ExecuteContext {
  const nobody: QuestionAnswer = { words: 'The run has ended.', by: 'nobody' };
  return { ...given, callId: '', progress: () => undefined, ask: async () => nobody };
}

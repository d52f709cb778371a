/** Lets the agents of a plan carry out their steps. The checks, questions and records of a step are those of every step. */

import { hasAgents, type Plan } from '../../core/plan/plan.ts';
import { currentStep, isOver } from '../../core/plan/progress.ts';
import { type ExecuteContext, type PreparedCall, type Tool, ToolError, type ToolOutput, wrapTool } from '../../core/run/tool.ts';
import { childOf } from '../../core/session/children/child-state.ts';
import type { Delegate } from '../delegate.ts';
import { stepOf, stepsAhead } from './plan-scope.ts';
import type { PlanRun, StepController } from './step-controller.ts';

export type StepControl = Pick<StepController, 'plan' | 'bind' | 'report' | 'close'>;
type Report = Parameters<StepControl['report']>[0];

/** Returns the step control of a run, with agents if the plan names any. */
export function withAgents(steps: StepController, run: PlanRun, delegate: Delegate): StepControl {
  return hasAgents(steps.plan) ? new AgentSteps(steps, run, delegate) : steps;
}

class AgentSteps implements StepControl {
  readonly #steps: StepController;
  readonly #session: PlanRun;
  readonly #delegate: Delegate;

  constructor(steps: StepController, session: PlanRun, delegate: Delegate) {
    this.#steps = steps;
    this.#session = session;
    this.#delegate = delegate;
  }

  get plan(): Plan {
    return this.#steps.plan;
  }

  /** Returns the tool with step control. The run itself changes nothing in a step that has an agent. */
  bind(tool: Tool): Tool {
    const bound = this.#steps.bind(tool);
    return wrapTool(bound, async (input, signal) => {
      const prepared = await bound.prepare(input, signal);
      this.#expectOwnStep(prepared);
      return prepared;
    });
  }

  close(given: Parameters<StepController['close']>[0]): Promise<void> {
    return this.#steps.close(given);
  }

  async report(report: Report, context: ExecuteContext): Promise<ToolOutput> {
    const { step, status } = report;
    const { run } = this.#session;
    const current = currentStep(run);
    if (current !== undefined && current !== step && this.#agentOf(current) !== undefined) throw new ToolError(this.#howTo(current));
    const agent = this.#agentOf(step);
    if (agent === undefined || (status !== 'started' && (status !== 'done' || isOver(run.steps[step]))))
      return this.#steps.report(report, context);
    if (status === 'done') throw new ToolError(this.#howTo(step));
    // After a reload, the step may be over although this call has no result yet.
    const wasOver = isOver(run.steps[step]);
    const begun = await this.#steps.report(report, context);
    if (begun.isError || begun.endsRun || (wasOver && !childOf(this.#session.state, context.callId))) return begun;
    const { answer, hasFailed, most } = await this.#carryOut(report, agent, context);
    const ended = wasOver
      ? begun
      : await this.#steps.report({ step, status: hasFailed ? 'failed' : 'done', note: hasFailed ? answer : undefined }, context);
    if (hasFailed && !wasOver) return ended;
    return { ...ended, content: `${answer}\n\n${ended.content}`, ...(most !== undefined && { most: most + ended.content.length + 2 }) };
  }

  /** Starts the run of the agent, or goes on with the one that the call has started before. */
  async #carryOut({ step, note }: Report, agent: string, context: ExecuteContext) {
    // Only what the step may change can be changed there, because the policy judges the calls of a child by the plan of its parent.
    const changes = (this.plan.steps[step - 1]?.files.length ?? 0) > 0;
    try {
      const output = await this.#delegate({ task: taskText(this.plan, step, note), agent, ...(changes && { write: 'here' }) }, context);
      const answer = typeof output.content === 'string' ? output.content : '';
      return { answer, hasFailed: output.isError === true, most: output.most };
    } catch (error) {
      // Such as an agent that does not exist anymore, or that the user does not accept.
      if (error instanceof ToolError) return { answer: error.message, hasFailed: true };
      throw error;
    }
  }

  #expectOwnStep({ targets }: PreparedCall): void {
    const { run } = this.#session;
    const written = targets.filter(({ access }) => access !== 'read').map(({ path }) => path);
    const step = written.length > 0 ? stepOf(run, written) : undefined;
    if (step === undefined) return;
    const begun = step === currentStep(run) ? [step] : stepsAhead(run);
    const first = begun.find((each) => this.#agentOf(each) !== undefined);
    if (first !== undefined) throw new ToolError(this.#howTo(first));
  }

  #agentOf(step: number): string | undefined {
    return this.plan.steps[step - 1]?.agent;
  }

  #howTo(step: number): string {
    return `Step ${step} is carried out by the agent ${this.#agentOf(step)}. Report it started, and the agent begins.`;
  }
}

/** Returns the task of an agent. It sees nothing else of the conversation. */
function taskText({ goal, steps }: Plan, step: number, note: string | undefined): string {
  const { title, detail, files = [] } = steps[step - 1] ?? { title: '' };
  const parts = [
    title,
    detail,
    files.length > 0 && `Only these files may change: ${files.join(', ')}`,
    `This is step ${step} of ${steps.length} of a plan that the user confirmed. The goal of the plan: ${goal}`,
    note && `From the assistant that carries out the plan: ${note}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** The agents that the steps of a plan can name. */
import { hasAgents, type Plan } from '../../core/plan/plan.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { agentProblem, type PlanAgent } from '../../tools/plan/plan-agents.ts';
import type { AssistantPorts } from '../ports.ts';
import { SessionError } from '../session/session-error.ts';
import { listAgents } from './agents.ts';

type Rules = Pick<SessionState, 'rules'>;

/**
 * Returns the agents that the model of a run can name in a plan. They are listed where agents are in use, so that other requests do not become
 * longer: the user delegates, has agents besides those of Kedge, or names one in the prompt or in the plan that is changed.
 */
export async function offeredAgents(
  { prompt, agent }: Pick<RunRecord, 'prompt' | 'agent'>,
  revised: Plan | undefined,
  state: Rules,
  ports: AssistantPorts,
): Promise<PlanAgent[]> {
  const agents = await planAgents(state, ports);
  const isNamed = ({ name }: PlanAgent) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i').test(prompt);
  const isInUse =
    agent !== undefined || (ports.settings.delegation?.() ?? 0) > 0 || agents.some(({ isOwn }) => isOwn) || (revised && hasAgents(revised));
  return isInUse || agents.some(isNamed) ? agents : [];
}

/** @throws SessionError if a step names an agent that cannot carry it out */
export async function expectAgents(plan: Plan, state: Rules, ports: AssistantPorts): Promise<void> {
  const problem = agentProblem(plan, await planAgents(state, ports));
  if (problem !== undefined) throw new SessionError(`${problem} Edit the plan.`);
}

/** The words of an agent of the workspace are not sent before the user has accepted it. */
async function planAgents(state: Rules, ports: AssistantPorts): Promise<(PlanAgent & { isOwn: boolean })[]> {
  const { agents } = await listAgents(ports, state);
  return agents.map(({ name, description, mode, review, source }) => ({
    name,
    mode,
    isOwn: source !== 'shipped',
    ...(!review && { about: description }),
  }));
}

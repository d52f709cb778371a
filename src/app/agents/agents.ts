/** The agents that the user can choose, and the agent of a run. */
import type { AgentDefinition, UnusableAgent } from '../../agents/definition.ts';
import { runAgentOf } from '../../agents/definition.ts';
import { findAgents } from '../../agents/find.ts';
import { lowerMode, narrowLimits } from '../../agents/lower.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import type { SessionState } from '../../core/session/session-state.ts';
import type { RunAgent } from '../../core/session/shapes/run-agent.ts';
import { parseModelRef } from '../../providers/catalog.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { runLimits } from '../limits.ts';
import type { AgentsPort, AssistantPorts, Settings } from '../ports.ts';
import { withheldFilterOf, withSessionRules } from '../run/judge.ts';
import type { AgentName, Started } from '../session/last-run.ts';
import { SessionError } from '../session/session-error.ts';

/** `review` is set for an agent of the workspace that the user has to look at before it runs. */
export type ListedAgent = AgentDefinition & { review?: 'new' | 'changed' };
export type ListedAgents = { agents: ListedAgent[]; unusable: UnusableAgent[] };

/** `modelOf` returns the model that the agent asks for and may have, if it is not the current one. */
export type ChosenAgent = { agent: RunAgent; modelOf(current: ModelRef): ModelRef | undefined };

type Rules = Pick<SessionState, 'rules'>;
type Chooser = { id: string; state: SessionState };

/** Lists the agents. Those of the workspace are only read if it is trusted, without files that no model may read. */
export async function listAgents(ports: AssistantPorts, state: Rules = { rules: [] }): Promise<ListedAgents> {
  const workspace = ports.trusted()
    ? new Workspace(await withIgnoreFiles(ports.fileSystem()), withheldFilterOf(withSessionRules(ports, state)))
    : undefined;
  const host = await ports.agents?.();
  const { agents, unusable } = await findAgents((await host?.userFiles()) ?? [], workspace);
  return { agents: agents.map((agent) => withReview(withModelProblem(agent), host)), unusable };
}

function withModelProblem(agent: AgentDefinition): AgentDefinition {
  if (agent.models.length === 0 || agent.models.some(knownModel)) return agent;
  const problem = `Kedge does not know the model ${agent.models.join(', or ')}, so the model of the session is used.`;
  return { ...agent, problems: [...agent.problems, problem] };
}

function withReview(agent: AgentDefinition, host: AgentsPort | undefined): ListedAgent {
  if (agent.source !== 'workspace') return agent;
  const known = host?.accepted(agent.path ?? '');
  return known === agent.digest ? agent : { ...agent, review: known === undefined ? 'new' : 'changed' };
}

/** Narrows the start of a run. */
export type Narrow = (started: Started) => Started;

/** Returns how the agent of the next run narrows it, or undefined without an agent. @throws SessionError if it cannot be used */
export async function narrowingBy(name: AgentName, session: Chooser, ports: AssistantPorts): Promise<Narrow | undefined> {
  const chosen = await chooseAgent(name, session, ports);
  if (!chosen) return undefined;
  return (started) => narrowStart(started, chosen, session, ports.settings, name.keepsModel);
}

/** A confirmed plan is carried out without an agent whose mode cannot carry it out. */
function narrowStart(
  started: Started,
  { agent, modelOf }: ChosenAgent,
  { state }: Chooser,
  settings: Settings,
  keepsModel: true | undefined,
): Started {
  const mode = lowerMode(started.mode, agent.mode);
  if (started.plan && mode !== 'agent') return started;
  const limits = narrowLimits(runLimits(settings, mode, state), agent.limits);
  const model = keepsModel ? undefined : modelOf(started.model);
  return { ...started, mode, limits, agent, ...(model && { model }) };
}

/**
 * Returns the agent for a run. The user is asked before an agent of the workspace runs for the first time, and again after its
 * file has changed. @throws SessionError if there is no such agent, or the user does not accept it
 */
export async function chooseAgent(
  { name, named }: AgentName,
  { id, state }: { id: string; state: Rules },
  ports: AssistantPorts,
): Promise<ChosenAgent | undefined> {
  const { agents, unusable } = await listAgents(ports, state);
  const agent = agents.find((each) => each.name === named) ?? agents.find((each) => each.name === name?.trim().toLowerCase());
  if (!agent && !name) return undefined;
  if (!agent) throw new SessionError(missingText(name ?? '', agents, unusable));
  const host = await ports.agents?.();
  if (agent.review) {
    if (!(await host?.review(agent, id)))
      throw new SessionError(`The agent ${agent.name} of this workspace did not run, because you have not accepted it.`);
    host?.accept(agent.path ?? '', agent.digest);
  }
  const { review: _, ...definition } = agent;
  return { agent: runAgentOf(definition), modelOf: (current) => modelFor(definition, current, host) };
}

function missingText(name: string, agents: readonly ListedAgent[], unusable: readonly UnusableAgent[]): string {
  const shown = name.slice(0, 40);
  const broken = unusable.find(({ place }) => place.fileName.toLowerCase() === name.toLowerCase());
  if (broken) return `The agent ${shown} in ${broken.place.path} cannot be used. ${broken.problem}`;
  return `There is no agent ${shown}. There are: ${agents.map((each) => each.name).join(', ')}.`;
}

/**
 * Returns the first of the agent's models that is known. An agent of the workspace may not choose another provider than the user, because its
 * choice decides who receives the code.
 */
function modelFor({ models, source }: AgentDefinition, current: ModelRef, host: AgentsPort | undefined): ModelRef | undefined {
  for (const written of models) {
    const model = knownModel(written);
    if (!model || (source === 'workspace' && model.provider !== current.provider)) continue;
    if (host?.hasModel?.(model) ?? true) return model;
  }
  return undefined;
}

function knownModel(written: string): ModelRef | undefined {
  try {
    return parseModelRef(written);
  } catch {
    return undefined;
  }
}

/** The agents that the user can choose: as an option of the session, or with the command `/agent NAME` as a prompt. */
import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { narrowingLines } from '../../agents/describe.ts';
import type { ListedAgent } from '../../app/agents/agents.ts';
import type { Assistant } from '../../app/assistant.ts';
import type { AgentsPort } from '../../app/ports.ts';
import type { Session } from '../../app/session/session.ts';
import { visibleLine } from '../../core/words/visible-text.ts';

export type AskedAgent = Parameters<AgentsPort['review']>[0];

/** The value of the option without an agent, as in `/agent none`. */
const NONE = 'none';

/** `agent` is the chosen agent, an empty text for none, or undefined if nothing was chosen. `task` is the rest of the prompt. */
export type AgentCommand = { agent?: string; title: string; detail?: string; task: string };

/** Returns undefined for a prompt that is not this command. */
export async function agentCommand(text: string, assistant: Assistant, session: Session): Promise<AgentCommand | undefined> {
  const found = /^\/agent(?:\s+(\S+)\s*([\s\S]*))?\s*$/.exec(text);
  if (!found) return undefined;
  const [, name, task = ''] = found;
  if (name === NONE) return { agent: '', title: 'No agent is used.', task };
  const { agents } = await (await assistant.agents()).list(session);
  const agent = agents.find((each) => each.name === name?.toLowerCase());
  const list = agents.map((each) => `${each.name}: ${each.description}`).join('\n');
  if (!agent)
    return { title: name ? `There is no agent ${name.slice(0, 40)}.` : 'To choose an agent, send /agent NAME.', detail: list, task: '' };
  const detail = agent.review ? 'Its file is shown to you before it runs.' : '';
  return {
    agent: agent.name,
    title: `The agent is ${agent.name}.`,
    detail: [...narrowingLines(agent), detail].filter(Boolean).join(' '),
    task,
  };
}

/** Returns the option with the agents. A folder whose agents cannot be read must not keep the session from starting. */
export async function agentOption(chosen: string | undefined, assistant: Assistant, session: Session): Promise<AgentOption> {
  const agents = await assistant
    .agents()
    .then((each) => each.list(session))
    .then(({ agents }) => agents.filter(({ name }) => name !== NONE).map(choiceOf))
    .catch(() => []);
  const current = (chosen ?? session.state.lastRun?.agent?.name) || NONE;
  const options = [{ value: NONE, name: 'None', description: 'No agent narrows what Kedge may do' }, ...agents];
  if (!options.some(({ value }) => value === current)) options.push({ value: current, name: visibleLine(current), description: '' });
  return { id: 'agent', name: 'Agent', type: 'select', currentValue: current, options };
}

/** Returns the agent with this value of the option, an empty text for none, or undefined if the option has no such value. */
export function agentOf(value: unknown, { options }: AgentOption): string | undefined {
  const found = options.find((each) => each.value === value)?.value;
  return found === NONE ? '' : found;
}

type AgentChoice = { value: string; name: string; description: string };
type AgentOption = Extract<SessionConfigOption, { type: 'select' }> & { options: AgentChoice[] };

function choiceOf({ name, description }: ListedAgent): AgentChoice {
  return { value: name, name: visibleLine(name), description: visibleLine(description).slice(0, 200) };
}

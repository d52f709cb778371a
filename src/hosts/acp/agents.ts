/** The command `/agent NAME`, which clients send as a prompt. */
import { narrowingLines } from '../../agents/describe.ts';
import type { Assistant } from '../../app/assistant.ts';
import type { Session } from '../../app/session/session.ts';

/** `agent` is the chosen agent, an empty text for none, or undefined if nothing was chosen. `task` is the rest of the prompt. */
export type AgentCommand = { agent?: string; title: string; detail?: string; task: string };

/** Returns undefined for a prompt that is not this command. */
export async function agentCommand(text: string, assistant: Assistant, session: Session): Promise<AgentCommand | undefined> {
  const found = /^\/agent(?:\s+(\S+)\s*([\s\S]*))?\s*$/.exec(text);
  if (!found) return undefined;
  const [, name, task = ''] = found;
  if (name === 'none') return { agent: '', title: 'No agent is used.', task };
  const { agents } = await (await assistant.agents()).list(session);
  const agent = agents.find((each) => each.name === name?.toLowerCase());
  const list = agents.map((each) => `${each.name}: ${each.description}`).join('\n');
  if (!agent)
    return { title: name ? `There is no agent ${name.slice(0, 40)}.` : 'To choose an agent, send /agent NAME.', detail: list, task: '' };
  const detail = agent.review ? `To let it run, run this in a terminal first: kedge agents accept ${agent.name}` : '';
  return {
    agent: agent.name,
    title: `The agent is ${agent.name}.`,
    detail: [...narrowingLines(agent), detail].filter(Boolean).join(' '),
    task,
  };
}

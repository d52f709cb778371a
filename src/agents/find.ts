/** Finds the agents that exist: those of Kedge, of the user and of the workspace. */
import type { Workspace } from '../workspace/workspace.ts';
import type { AgentDefinition, AgentPlace, UnusableAgent } from './definition.ts';
import { MarkdownFiles, type ReadFile } from './files.ts';
import { comparable } from './names.ts';
import { parseAgent } from './parse.ts';
import { shippedAgents } from './shipped/index.ts';

/** The directories of a workspace folder, best first, and the ending of the files in them. */
const PLACES = [
  ['.kedge/agents', '.md'],
  ['.github/agents', '.agent.md'],
  ['.claude/agents', '.md'],
] as const;

export type AgentList = { agents: AgentDefinition[]; unusable: UnusableAgent[] };

/**
 * Returns the agents in the order in which they win if their names are the same or look the same: shipped ones, then the user's, then those
 * of the workspace. `workspace` is missing if it is not trusted.
 */
export async function findAgents(userFiles: readonly ReadFile[], workspace: Workspace | undefined): Promise<AgentList> {
  const list: AgentList = { agents: await shippedAgents(), unusable: [] };
  const taken = new Map(list.agents.map((agent) => [comparable(agent.name), agent]));
  const add = async (file: ReadFile, source: AgentPlace['source']) => {
    const place: AgentPlace = { source, path: file.path, fileName: file.fileName };
    const found = 'problem' in file ? { place, problem: file.problem } : await parseAgent(file.text, place);
    if ('problem' in found) return list.unusable.push(found);
    const winner = taken.get(comparable(found.name));
    if (winner) return list.unusable.push({ place, problem: conflict(found, winner) });
    taken.set(comparable(found.name), found);
    return list.agents.push(found);
  };
  for (const file of userFiles) await add(file, 'user');
  if (workspace) for (const file of await workspaceFiles(workspace)) await add(file, 'workspace');
  return list;
}

async function workspaceFiles(workspace: Workspace): Promise<ReadFile[]> {
  const files = new MarkdownFiles(workspace);
  const all = workspace.fs.folders.flatMap((_, folder) => PLACES.map(([path, ending]) => files.below({ folder, path }, ending)));
  return (await Promise.all(all)).flat();
}

function conflict({ name }: AgentDefinition, { name: other, source, path }: AgentDefinition): string {
  const owner = source === 'user' ? `your own agent in ${path}` : `the agent in ${path}`;
  return name === other ? `The name ${name} is taken by ${owner}.` : `The name ${name} looks like ${other}, the name of ${owner}.`;
}

/** `kedge agents`: lists the agents, shows one of them, and accepts one of the workspace. */
import { agentPage, sourceText } from '../../../agents/describe.ts';
import type { ListedAgent } from '../../../app/agents/agents.ts';
import { EXIT } from '../exit-codes.ts';
import type { Kedge } from '../kedge.ts';
import { UsageError } from '../options/arguments.ts';
import { harmless, oneLine } from '../output/terminal.ts';

const USAGE = 'Use kedge agents to list the agents, kedge agents show NAME, or kedge agents accept NAME. See kedge agents --help.';

/** @throws UsageError if the words are invalid */
export async function agents(kedge: Kedge, [verb = 'list', name, ...more]: readonly string[], json: boolean): Promise<number> {
  const list = await (await kedge.assistant.agents()).list();
  if (more.length > 0 || (verb === 'list') !== (name === undefined)) throw new UsageError(USAGE);
  const found = list.agents.find((agent) => agent.name === name?.toLowerCase());
  if (name !== undefined && !found) throw new UsageError(`There is no agent ${oneLine(name, 40)}. To list the agents, run kedge agents.`);
  switch (verb) {
    case 'list':
      process.stdout.write(json ? `${JSON.stringify(list)}\n` : listText(list.agents, list.unusable, (await kedge.agentFiles()).directory));
      return EXIT.answered;
    case 'show':
      if (found) process.stdout.write(json ? `${JSON.stringify(found)}\n` : `${harmless(agentPage(found))}\n`);
      return EXIT.answered;
    case 'accept':
      if (found) process.stdout.write(`${harmless(agentPage(found))}\n\n${await accept(found, kedge)}\n`);
      return EXIT.answered;
    default:
      throw new UsageError(USAGE);
  }
}

async function accept({ name, source, path = '', digest }: ListedAgent, { agentFiles }: Kedge): Promise<string> {
  if (source !== 'workspace') return `The agent ${name} is not of this workspace, so it needs no acceptance.`;
  (await agentFiles()).accept(path, digest);
  return `The agent ${name} of this workspace can be used now, until its file changes.`;
}

function listText(
  found: readonly ListedAgent[],
  unusable: readonly { place: { path?: string }; problem: string }[],
  directory: string,
): string {
  const width = Math.max(...found.map(({ name }) => name.length)) + 2;
  const indent = ' '.repeat(width);
  const rows = found.flatMap((agent) => [
    `${agent.name.padEnd(width)}${oneLine(agent.description || 'no description', 200)}`,
    `${indent}${oneLine(sourceText(agent), 200)}, ${agent.digest}${REVIEW[agent.review ?? 'known']}`,
    ...agent.problems.map((problem) => `${indent}! ${oneLine(problem, 300)}`),
  ]);
  const broken = unusable.map(({ place, problem }) => `! ${oneLine(place.path ?? '', 200)}: ${oneLine(problem, 300)}`);
  const end = `Your own agents are Markdown files in ${oneLine(directory, 300)}. To use one: kedge ask --agent ${found[0]?.name} "…"`;
  return `${[...rows, ...broken, '', end].join('\n')}\n`;
}

const REVIEW = { known: '', new: ', not accepted yet', changed: ', changed since you accepted it' } as const;

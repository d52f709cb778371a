/** `kedge agents`: lists the agents and packages, shows an agent, accepts one of the workspace, and shares agents. */
import { agentPage, sourceText } from '../../../agents/describe.ts';
import type { ListedAgent } from '../../../app/agents/agents.ts';
import { EXIT } from '../exit-codes.ts';
import type { Kedge } from '../kedge.ts';
import { type Options, UsageError } from '../options/arguments.ts';
import { harmless, oneLine } from '../output/terminal.ts';
import { packageLines } from './package-text.ts';
import { SHARING_VERBS, share, sharingOf } from './share.ts';

const USAGE =
  'Use kedge agents to list the agents, or kedge agents show, accept, import, update, remove or export. See kedge agents --help.';

type Running = { options: Options; env: NodeJS.ProcessEnv; signal: AbortSignal };

/** @throws UsageError if the words are invalid */
export async function agents(kedge: Kedge, words: readonly string[], { options, env, signal }: Running): Promise<number> {
  const { json } = options;
  const [verb = 'list', name, ...more] = words;
  const sharingVerb = SHARING_VERBS.find((each) => each === verb);
  if (sharingVerb) return share(sharingVerb, words.slice(1), { kedge, options, env, signal });
  const list = await (await kedge.assistant.agents()).list();
  if (more.length > 0 || (verb === 'list') !== (name === undefined)) throw new UsageError(USAGE);
  const found = list.agents.find((agent) => agent.name === name?.toLowerCase());
  if (name !== undefined && !found) throw new UsageError(`There is no agent ${oneLine(name, 40)}. To list the agents, run kedge agents.`);
  switch (verb) {
    case 'list': {
      const packages = await (await sharingOf(kedge, env)).store.list().catch((error: unknown) => {
        process.stderr.write(`kedge: ${oneLine(error instanceof Error ? error.message : String(error), 500)}\n`);
        return [];
      });
      const text = () => listText(list.agents, list.unusable, packageLines(packages), directory);
      const { directory } = await kedge.agentFiles();
      process.stdout.write(json ? `${JSON.stringify({ ...list, packages })}\n` : text());
      return EXIT.answered;
    }
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
  packages: readonly string[],
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
  const installed = packages.length > 0 ? ['', 'Packages', ...packages] : [];
  return `${[...rows, ...broken, ...installed, '', end].join('\n')}\n`;
}

const REVIEW = { known: '', new: ', not accepted yet', changed: ', changed since you accepted it' } as const;

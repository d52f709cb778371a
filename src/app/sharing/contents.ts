/** The contents of a package: its agents, prompt files and skills, with their names. */
import type { AgentDefinition } from '../../agents/definition.ts';
import { type Fields, lineIn, readFrontMatter } from '../../agents/front-matter.ts';
import { comparable, nameProblem } from '../../agents/names.ts';
import { parseAgent } from '../../agents/parse.ts';
import { looksReserved, nameOf } from '../customizations/names.ts';
import type { PackageFile, SharedPackage } from './shared-package.ts';

export type ItemKind = 'agent' | 'prompt' | 'skill';

/** An agent, prompt file or skill. `path` is that of its Markdown file in the package. */
export type PackageItem = { kind: ItemKind; name: string; path: string; fields: Fields; agent?: AgentDefinition };

/** Something of the user that has a name already. `path` is for the user. */
export type TakenName = { kind: ItemKind; name: string; path: string };

/** Returns what the package contains, and why it cannot be stored, if it cannot. */
export async function itemsOf({
  name,
  files,
}: Pick<SharedPackage, 'name' | 'files'>): Promise<{ items: PackageItem[]; refusals: string[] }> {
  const items: PackageItem[] = [];
  const refusals: string[] = [];
  const wrongName = nameProblem(name, 'user');
  if (wrongName) refusals.push(`The package cannot have its name. ${wrongName}`);
  for (const file of files) {
    const read = await itemOf(file);
    if (typeof read === 'string') refusals.push(`${file.path}: ${read}`);
    else if (read) items.push(read);
  }
  const skills = new Set(items.flatMap(({ kind, path }) => (kind === 'skill' ? [folderOf(path)] : [])));
  for (const { path } of files)
    if (path.startsWith('skills/') && !skills.has(folderOf(path)) && !refusals.some((each) => each.startsWith(folderOf(path))))
      refusals.push(`${path}: the skill has no SKILL.md.`);
  items.forEach((item, index) => {
    const other = items.slice(0, index).find((each) => isAlike(each, item));
    if (other) refusals.push(`${item.path}: its name ${item.name} is like that of ${other.path}.`);
  });
  return { items, refusals };
}

/** Returns sentences about names that the user's own files or other packages have already, or that look like theirs. */
export function conflictsWith(items: readonly PackageItem[], taken: readonly TakenName[]): string[] {
  return items.flatMap((item) => {
    const other = taken.find((each) => isAlike(each, item));
    return other
      ? [`${item.path}: its name ${item.name} is, or looks like, that of your ${WORD[other.kind]} ${other.name} in ${other.path}.`]
      : [];
  });
}

const WORD: Record<ItemKind, string> = { agent: 'agent', prompt: 'prompt file', skill: 'skill' };

function isAlike(a: Pick<PackageItem, 'kind' | 'name'>, b: Pick<PackageItem, 'kind' | 'name'>): boolean {
  return a.kind === b.kind && comparable(a.name) === comparable(b.name);
}

/** Returns undefined for a file that belongs to a skill. */
async function itemOf({ path, text }: PackageFile): Promise<PackageItem | string | undefined> {
  const [room, first = '', ...rest] = path.split('/');
  if (room === 'agents') return agentIn(path, text);
  if (room === 'prompts') return promptIn(path, text);
  return rest.length === 1 && rest[0] === 'SKILL.md' ? skillIn(path, first, text) : undefined;
}

async function agentIn(path: string, text: string): Promise<PackageItem | string> {
  const agent = await parseAgent(text, { source: 'user', path, fileName: stemOf(path) });
  if ('problem' in agent) return agent.problem;
  const read = readFrontMatter(text);
  return { kind: 'agent', name: agent.name, path, fields: 'fields' in read ? read.fields : new Map(), agent };
}

function promptIn(path: string, text: string): PackageItem | string {
  const read = readFrontMatter(text);
  if ('problem' in read) return read.problem;
  const name = nameOf(lineIn(read.fields, 'name', 100) ?? stemOf(path));
  if (name === undefined) return 'its name must consist of up to 64 letters a-z, digits and single hyphens.';
  if (looksReserved(name)) return `its name ${name} looks like a command of Kedge.`;
  return { kind: 'prompt', name, path, fields: read.fields };
}

function skillIn(path: string, folder: string, text: string): PackageItem | string {
  const read = readFrontMatter(text);
  if ('problem' in read) return read.problem;
  const name = nameOf(folder);
  if (name === undefined || name !== folder.toLowerCase())
    return 'the name of its folder must consist of up to 64 letters a-z, digits and single hyphens.';
  if (lineIn(read.fields, 'description', 1_024) === undefined) return 'it has no description in its front matter.';
  return { kind: 'skill', name, path, fields: read.fields };
}

const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');
const stemOf = (path: string) => (path.split('/').at(-1) as string).replace(/(?:\.(?:prompt|agent))?\.md$/, '');

/** Builds a package from an agent of the user or of the workspace, with the prompt files and skills that belong to it. */
import type { AgentDefinition } from '../../agents/definition.ts';
import { lineIn, listIn, readFrontMatter } from '../../agents/front-matter.ts';
import { isSecret } from '../../policy/secrets.ts';
import { decodeText } from '../../workspace/content.ts';
import type { Location } from '../../workspace/types.ts';
import type { PromptFile } from '../customizations/prompt-files.ts';
import type { Skill } from '../customizations/skills.ts';
import { cleaned, fieldLeft, type PrivatePlaces } from './clean.ts';
import { itemsOf } from './contents.ts';
import { isInstallable, pathProblem } from './paths.ts';
import {
  digestOf,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_PACKAGE_BYTES,
  type PackageFile,
  type SharedPackage,
  SharingError,
} from './shared-package.ts';

/** The things that can be shared. `text` is the whole text of the agent's file. The texts of prompt files are read with `readPrompt`. */
export type Exportable = {
  agent: AgentDefinition;
  text: string;
  prompts: readonly PromptFile[];
  skills: readonly Skill[];
  readPrompt(prompt: PromptFile): Promise<string | undefined>;
};

/** The names of further prompt files and skills that are shared with the agent. */
export type AlsoShared = { prompts?: readonly string[]; skills?: readonly string[] };

const MAX_DEPTH = 6;

/** Returns the package, and sentences about what was left out of it. @throws SharingError */
export async function exportedPackage(
  { agent, text, prompts, skills, readPrompt }: Exportable,
  also: AlsoShared,
  places: PrivatePlaces,
): Promise<{ pack: SharedPackage; removed: string[] }> {
  if (agent.source === 'shipped') throw new SharingError(`The agent ${agent.name} is part of Kedge, so it cannot be shared.`);
  const read = readFrontMatter(text);
  const fields = 'fields' in read ? read.fields : new Map<string, unknown>();
  const wanted = (field: 'prompts' | 'skills') => {
    const list = listIn(fields, field) ?? [];
    if (list === 'invalid') throw new SharingError(`The field ${field} of the agent ${agent.name} is not a list of names.`);
    return [...new Set([...list, ...(also[field] ?? [])].map((name) => name.toLowerCase()))];
  };
  const removed: string[] = [];
  const files: PackageFile[] = [];
  const add = (path: string, original: string) => {
    const { text: clean, removed: more } = cleaned(path, original, places);
    const left = fieldLeft(clean);
    if (left) throw new SharingError(`The field ${left} of ${path} could not be left out. Remove it, and export the agent again.`);
    removed.push(...more);
    files.push({ path, text: clean });
  };
  add(`agents/${agent.name}.md`, text);
  for (const name of wanted('prompts')) {
    const prompt = prompts.find((each) => each.name === name);
    const own = prompt && (await readPrompt(prompt));
    if (own === undefined) throw new SharingError(`There is no prompt file ${name}, which the agent ${agent.name} needs.`);
    add(`prompts/${name}.md`, own);
  }
  for (const name of wanted('skills')) {
    const skill = skills.find((each) => each.name === name);
    if (!skill) throw new SharingError(`There is no skill ${name}, which the agent ${agent.name} needs.`);
    for (const { path, text: own } of await skillFiles(skill, removed)) add(path, own);
  }
  if (files.length > MAX_FILES) throw new SharingError(`The agent has more than ${MAX_FILES} files with its prompts and skills.`);
  if (files.reduce((total, each) => total + each.text.length, 0) > MAX_PACKAGE_BYTES)
    throw new SharingError(`The agent with its prompts and skills is larger than ${MAX_PACKAGE_BYTES / 1_000} kB.`);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const version = (lineIn(fields, 'version', 40) ?? '1.0.0').replace(/[^\w.+-]+/g, '-');
  const contents = { name: agent.name, version, description: agent.description, files };
  // An agent that cannot be imported is not exported.
  const { refusals } = await itemsOf(contents);
  if (refusals[0]) throw new SharingError(`The agent cannot be shared. ${refusals[0]}`);
  return { pack: { ...contents, leftOut: [], digest: await digestOf(contents) }, removed };
}

async function skillFiles(skill: Skill, removed: string[]): Promise<PackageFile[]> {
  const { fs } = skill.workspace;
  const isWithheld = skill.workspace.withheldFiles();
  const files: PackageFile[] = [];
  const visit = async (inner: string, depth: number): Promise<void> => {
    const at = placeIn(skill, inner);
    const real = await fs.canonical(at);
    for (const { name, type, link } of real ? (await fs.list(real)).toSorted((a, b) => (a.name < b.name ? -1 : 1)) : []) {
      const below = [inner, name].filter(Boolean).join('/');
      const path = `skills/${skill.name}/${below}`;
      const leaveOut = (why: string) => void removed.push(`${path} was left out: ${why}.`);
      if (link) leaveOut('it is a link');
      else if (isSecret(below) || isWithheld(placeIn(skill, below))) leaveOut('it may contain keys, or no model may read it');
      else if (type === 'directory' && depth < MAX_DEPTH && !name.startsWith('.')) await visit(below, depth + 1);
      else if (type !== 'file' || !isInstallable(path) || pathProblem(path)) leaveOut('packages contain only plain files with plain names');
      else if (files.length >= MAX_FILES) throw new SharingError(`The skill ${skill.name} has more than ${MAX_FILES} files.`);
      else {
        const text = await textOf(skill, below);
        if (text === undefined) leaveOut('it is no text file, or too large');
        else files.push({ path, text });
      }
    }
  };
  await visit('', 1);
  return files;
}

async function textOf(skill: Skill, inner: string): Promise<string | undefined> {
  const { fs } = skill.workspace;
  const at = await fs.canonical(placeIn(skill, inner));
  const stat = at && (await fs.stat(at));
  if (!at || stat?.type !== 'file' || stat.size > MAX_FILE_BYTES) return undefined;
  return decodeText((await fs.read(at)).bytes);
}

function placeIn({ at }: Skill, inner: string): Location {
  return { folder: at.folder, path: [at.path, inner].filter(Boolean).join('/') };
}

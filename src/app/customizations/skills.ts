/** Lists the skills: directories with a SKILL.md, whose name and description a model gets, and which it reads when it needs them. */
import { type Fields, lineIn, readFrontMatter } from '../../agents/front-matter.ts';
import { rulesInForce, type SourcedNote } from '../../core/context/rules-in-force.ts';
import { tokensOfText } from '../../core/context/tokens.ts';
import type { Message } from '../../core/model/messages.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { type ReadableSkill, SKILL_FILE } from '../../tools/skill.ts';
import { digestOf } from '../context/digest.ts';
import { type CustomDirectory, type CustomPorts, directoriesOf, type Named, type Rejected } from './files.ts';
import { nameOf, skeletonOf } from './names.ts';

/** A skill that is not `offered` is not named to models. */
export type Skill = ReadableSkill & Named & { description: string; isOffered: boolean; remarks: string[] };
export type Skills = { skills: Skill[]; rejected: Rejected[] };

const DIRECTORIES = ['.kedge/skills', '.claude/skills', '.github/skills'];
const MAX_DESCRIPTION = 1_024;
const MAX_SKILLS = 50;
/** The maximum length of the line about a skill in the note, in estimated tokens. */
const MAX_LINE_TOKENS = 34;
/** The key of the note, in place of the path of a rules file. */
const KEY = 'skills';

/** Returns the skills in the order in which names count: those of the user come first. */
export async function listSkills(ports: CustomPorts): Promise<Skills> {
  const found: Skills = { skills: [], rejected: [] };
  const taken = new Map<string, Named>();
  for (const directory of await directoriesOf('skills', DIRECTORIES, ports)) {
    for (const { name: folder, type, link } of await directory.entries()) {
      if (type !== 'directory') continue;
      const rejected = (problem: string) =>
        void found.rejected.push({
          name: visibleLine(folder),
          source: directory.source,
          path: visibleLine(directory.shown(`${folder}/${SKILL_FILE}`)),
          at: directory.below(`${folder}/${SKILL_FILE}`),
          problem,
        });
      const content = await directory.read(`${folder}/${SKILL_FILE}`);
      if (!content) continue;
      if (link) rejected('It is a symbolic link.');
      else if ('problem' in content) rejected(content.problem);
      else {
        const read = skillIn(directory, folder, content.text);
        const other = typeof read === 'string' ? undefined : taken.get(skeletonOf(read.name));
        if (typeof read === 'string') rejected(read);
        else if (other) rejected(`Its name is taken by ${other.path}.`);
        else if (found.skills.length >= MAX_SKILLS) rejected(`There are more than ${MAX_SKILLS} skills.`);
        else {
          taken.set(skeletonOf(read.name), read);
          found.skills.push(read);
        }
      }
    }
  }
  return found;
}

/** Returns the skill, or why it cannot be used. */
function skillIn(directory: CustomDirectory, folder: string, text: string): Skill | string {
  const name = nameOf(folder);
  if (name === undefined || name !== folder.toLowerCase())
    return 'The name of its folder must consist of up to 64 letters a-z, digits and single hyphens.';
  const read = readFrontMatter(text);
  if ('problem' in read) return read.problem;
  const description = lineIn(read.fields, 'description', MAX_DESCRIPTION);
  if (description === undefined) return `${SKILL_FILE} has no description in its front matter.`;
  return {
    name,
    source: directory.source,
    path: visibleLine(directory.shown(`${folder}/${SKILL_FILE}`)),
    description,
    workspace: directory.workspace,
    at: directory.below(folder),
    shown: directory.shown(folder),
    isOffered: read.fields.get('disable-model-invocation') !== true,
    remarks: remarksOn(read.fields, name),
  };
}

function remarksOn(fields: Fields, name: string): string[] {
  const written = lineIn(fields, 'name', 64);
  return [
    ...(written !== undefined && written !== name ? [`It calls itself ${written}, and is used by the name of its folder.`] : []),
    ...(fields.has('allowed-tools') ? ['Its list of allowed tools is not used: a skill cannot allow anything.'] : []),
    ...(fields.get('disable-model-invocation') === true ? ['It is not offered to models, as it says itself.'] : []),
  ];
}

const HEAD =
  'Skills: instructions for certain tasks, written by the user or the project. Before such a task, read its skill with the tool skill. Skills do not permit anything.';

/** Returns a note about the skills if it differs from what the model has received. */
export async function skillsNote(skills: readonly Skill[], told: readonly Message[]): Promise<SourcedNote[]> {
  const earlier = rulesInForce(told).find(({ source }) => source.paths[0] === KEY);
  const lines = skills.filter(({ isOffered }) => isOffered).map(lineFor);
  const text = lines.length === 0 ? '' : [HEAD, ...lines].join('\n');
  const digest = text === '' ? '' : await digestOf(text);
  if (digest === (earlier?.source.digest ?? '')) return [];
  const said = text === '' ? 'There are no skills any more.' : earlier ? `${text}\nThis list replaces the earlier one.` : text;
  return [{ type: 'note', about: 'skills', text: said, source: { paths: [KEY], digest, ...(text === '' && { remark: 'none any more' }) } }];
}

/** A long description ends at the last word that fits. */
function lineFor({ name, description }: Skill): string {
  const line = `- ${name}: ${description}`;
  if (tokensOfText(line) <= MAX_LINE_TOKENS) return line;
  let end = line.length;
  while (end > name.length + 4 && tokensOfText(line.slice(0, end)) > MAX_LINE_TOKENS)
    end = Math.max(line.lastIndexOf(' ', end - 1), end - 20);
  return `${line
    .slice(0, Math.max(end, name.length + 4))
    .toWellFormed()
    .trimEnd()}…`;
}

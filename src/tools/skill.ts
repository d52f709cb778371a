/** The tool with which a model reads a skill. It reads only, and only files in the directory of the skill. */
import * as z from 'zod';
import { type Tool, ToolError } from '../core/run/tool.ts';
import { visibleLine } from '../core/words/visible-text.ts';
import { isSecret } from '../policy/secrets.ts';
import { parsePath } from '../workspace/paths.ts';
import type { Location } from '../workspace/types.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { defineTool } from './define-tool.ts';
import { readFileTool } from './files/read-file.ts';

/** A skill that can be read. `at` is its directory, and `shown` is this directory as the model uses it in commands. */
export type ReadableSkill = { name: string; source: 'user' | 'workspace'; workspace: Workspace; at: Location; shown: string };

export const SKILL_FILE = 'SKILL.md';
/** The maximum number of files of a skill that its result lists. */
const MAX_LISTED = 50;
const MAX_DEPTH = 3;

export function skillTool(skills: readonly ReadableSkill[]): Tool {
  return defineTool({
    name: 'skill',
    description: 'Read a skill, or another file in its folder.',
    effect: 'readonly',
    input: z.object({ name: z.string(), file: z.string().optional(), from_line: z.int().min(1).optional() }),
    async prepare({ name, file = SKILL_FILE, from_line }, signal) {
      const skill = skills.find((each) => each.name === name.trim().toLowerCase());
      if (!skill)
        throw new ToolError(`There is no skill ${JSON.stringify(name)}. The skills are: ${skills.map((each) => each.name).join(', ')}.`);
      const path = pathIn(file);
      await expectInside(skill, path);
      const { workspace, source } = skill;
      // The rules of the policy are about paths of the workspace. In the user's own directory, files that look like keys are never read.
      if (source === 'user' && isSecret(path)) throw new ToolError(`${visibleLine(path)} may contain keys, so it is not read.`);
      const at = workspace.display(below(skill, path));
      const call = await readFileTool(workspace).prepare({ path: at, ...(from_line && { from_line }) }, signal);
      return {
        ...call,
        title: `Read skill ${skill.name}${path === SKILL_FILE ? '' : `: ${visibleLine(path)}`}`,
        targets: source === 'user' ? [] : call.targets,
        async execute(context) {
          await expectInside(skill, path);
          const { read, ...output } = await call.execute(context);
          const isStart = path === SKILL_FILE && typeof output.content === 'string';
          const content = isStart ? `${await aboutDirectory(skill)}\n${output.content}` : output.content;
          return { ...output, content, ...(read && source === 'workspace' && { read }) };
        },
      };
    },
  });
}

function below({ at }: ReadableSkill, path: string): Location {
  return { folder: at.folder, path: [at.path, path].filter(Boolean).join('/') };
}

/** @throws ToolError for a path that leads out of the directory of the skill */
function pathIn(file: string): string {
  // Without the roots of a folder, an absolute path is refused.
  const { path } = parsePath(file, [{ name: 'skill' }]);
  if (path === '') throw new ToolError(`Name a file of the skill, such as ${SKILL_FILE}.`);
  return path;
}

/** A symbolic link in the directory of a skill could lead anywhere, so it is refused. @throws ToolError */
async function expectInside(skill: ReadableSkill, path: string): Promise<void> {
  const { fs } = skill.workspace;
  const [top, real] = await Promise.all([fs.canonical(skill.at), fs.canonical(below(skill, path))]);
  if (top && real && real.folder === top.folder && real.path === `${top.path}/${path}`) return;
  throw new ToolError(`${visibleLine(path)} leads out of the skill ${skill.name} through a symbolic link, so it is not read.`);
}

/** Says where the skill is and what is in it, so that its other files can be read and its scripts can be run. */
async function aboutDirectory(skill: ReadableSkill): Promise<string> {
  const { fs } = skill.workspace;
  const isWithheld = skill.workspace.withheldFiles();
  const files: string[] = [];
  const visit = async (path: string, depth: number): Promise<void> => {
    const at = path === '' ? skill.at : below(skill, path);
    const real = await fs.canonical(at);
    for (const { name, type, link } of real ? (await fs.list(real)).toSorted((a, b) => (a.name < b.name ? -1 : 1)) : []) {
      const inner = [path, name].filter(Boolean).join('/');
      if (link || files.length > MAX_LISTED || isWithheld(below(skill, inner))) continue;
      if (type === 'directory' && depth < MAX_DEPTH) await visit(inner, depth + 1);
      else if (type === 'file' && inner !== SKILL_FILE) files.push(visibleLine(inner));
    }
  };
  await visit('', 1).catch(() => undefined);
  const more = files.length > MAX_LISTED ? ' …' : '';
  const list = files.length > 0 ? ` Its other files: ${files.slice(0, MAX_LISTED).join(', ')}${more}.` : '';
  return `[The folder of this skill is ${visibleLine(skill.shown)}.${list}]`;
}

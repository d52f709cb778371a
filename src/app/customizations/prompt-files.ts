/** Lists the prompt files: Markdown files that users send as slash commands. */
import { type Fields, lineIn, readFrontMatter } from '../../agents/front-matter.ts';
import { comparable } from '../../agents/names.ts';
import { MODE_NAME, MODES, type Mode } from '../../core/modes.ts';
import { visibleLine } from '../../core/words/visible-text.ts';
import { type CustomDirectory, type CustomPorts, directoriesOf, type Named, type Rejected } from './files.ts';
import { looksReserved, nameOf } from './names.ts';

/** `command` is what the user writes. With a `mode`, the prompt is sent in this mode or in a lower one, never in a higher one. */
export type PromptFile = Named & { command: string; description: string; hint?: string; mode?: Mode; body: string; remarks: string[] };
export type PromptFiles = { prompts: PromptFile[]; rejected: Rejected[] };

/** The directories of a workspace folder, and how the names of the files in them end. */
const DIRECTORIES: Readonly<Record<string, string>> = { '.kedge/prompts': '.md', '.github/prompts': '.prompt.md' };
const MAX_DESCRIPTION = 200;
const MAX_HINT = 80;
const MAX_BODY = 50_000;
/** The maximum number of prompt files that are offered. */
const MAX_PROMPTS = 200;

/** Returns the prompt files in the order in which names count: those of the user come first. */
export async function listPromptFiles(ports: CustomPorts): Promise<PromptFiles> {
  const found: PromptFiles = { prompts: [], rejected: [] };
  const taken = new Map<string, Named>();
  for (const directory of await directoriesOf('prompts', Object.keys(DIRECTORIES), ports)) {
    const ending = directory.source === 'user' ? '.md' : (DIRECTORIES[directory.at.path] ?? '.md');
    for (const { name: file, type } of await directory.entries()) {
      if (type !== 'file' || !file.endsWith(ending)) continue;
      const read = await readPrompt(directory, file);
      if (!read) continue;
      const other = 'problem' in read ? undefined : taken.get(comparable(read.name));
      if ('problem' in read) found.rejected.push(read);
      else if (other) found.rejected.push({ ...named(read), problem: `Its name is taken by ${other.path}.` });
      else if (found.prompts.length >= MAX_PROMPTS)
        found.rejected.push({ ...named(read), problem: `There are more than ${MAX_PROMPTS} prompt files.` });
      else {
        taken.set(comparable(read.name), read);
        found.prompts.push(read);
      }
    }
  }
  return found;
}

async function readPrompt(directory: CustomDirectory, file: string): Promise<PromptFile | Rejected | undefined> {
  const content = await directory.read(file);
  if (!content) return undefined;
  const path = visibleLine(directory.shown(file));
  const stem = file.replace(/(?:\.prompt)?\.md$/, '');
  const rejected = (problem: string): Rejected => ({
    name: visibleLine(stem),
    source: directory.source,
    path,
    at: directory.below(file),
    problem,
  });
  if ('problem' in content) return rejected(content.problem);
  const read = readFrontMatter(content.text);
  if ('problem' in read) return rejected(read.problem);
  const { fields } = read;
  const name = nameOf(lineIn(fields, 'name', 100) ?? stem);
  if (name === undefined) return rejected('Its name must consist of up to 64 letters a-z, digits and single hyphens.');
  const body = read.body.trim();
  if (body === '') return rejected('It contains no prompt.');
  if (body.length > MAX_BODY) return rejected(`The prompt is longer than ${MAX_BODY.toLocaleString('en')} characters.`);
  const mode = modeIn(fields);
  if (mode === 'invalid') return rejected('Its mode is not ask, plan or agent.');
  const hint = lineIn(fields, 'argument-hint', MAX_HINT);
  return {
    name,
    source: directory.source,
    path,
    at: directory.below(file),
    command: looksReserved(name) ? `/prompt ${name}` : `/${name}`,
    description: lineIn(fields, 'description', MAX_DESCRIPTION) ?? firstLine(body),
    ...(hint && { hint }),
    ...(mode && { mode }),
    body,
    remarks: remarksOn(fields, name),
  };
}

/** VS Code calls the mode `agent`, and earlier `mode`. `edit` is its mode for changes. Any other agent cannot widen anything, so it is ignored. */
function modeIn(fields: Fields): Mode | 'invalid' | undefined {
  const modes = ['mode', 'agent'].flatMap((field) => {
    const written = fields.get(field);
    if (written === undefined) return [];
    if (typeof written !== 'string') return ['invalid' as const];
    const mode = MODES.find((each) => each === written.trim().toLowerCase());
    if (mode) return [mode];
    return field === 'mode' && written.trim().toLowerCase() !== 'edit' ? ['invalid' as const] : [];
  });
  return modes.includes('invalid') ? 'invalid' : lowest(modes as Mode[]);
}

/** Returns the mode that allows least. */
export function lowest(modes: readonly (Mode | undefined)[]): Mode | undefined {
  return MODES.find((mode) => modes.includes(mode));
}

/** The requests of the file that are not fulfilled, as sentences. */
function remarksOn(fields: Fields, name: string): string[] {
  const agent = fields.get('agent');
  const isOther = typeof agent === 'string' && !MODES.some((mode) => mode === agent.trim().toLowerCase());
  const asked = lineIn(fields, 'agent', 60);
  return [
    ...(looksReserved(name) ? [`Its name is like that of a command of Kedge, so it is used as /prompt ${name}.`] : []),
    ...(fields.has('model')
      ? [`The model ${lineIn(fields, 'model', 60) ?? ''} is not used: the model that you chose is.`.replace('  ', ' ')]
      : []),
    ...(fields.has('tools') ? ['Its list of tools is not used: the tools are those of the mode.'] : []),
    ...(isOther && asked ? [`The agent ${asked} is not used.`] : []),
  ];
}

function firstLine(body: string): string {
  const line = visibleLine((body.split('\n', 1)[0] as string).replace(/^#+\s*/, '').trim());
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 2).toWellFormed()} …` : line;
}

function named({ name, source, path, at }: Named): Named {
  return { name, source, path, ...(at && { at }) };
}

/** Returns, for example, `for Ask mode, from .github/prompts/a.prompt.md`. */
export function aboutPrompt({ mode, path }: Pick<PromptFile, 'mode' | 'path'>): string {
  return `${mode ? `for ${MODE_NAME[mode]} mode, ` : ''}from ${path}`;
}

/** The prompt files and skills of the user and of the workspace. It is loaded when they are first completed, listed or sent. */
import { MODE_NAME, MODES, type Mode } from '../../core/modes.ts';
import { parseSlashCommand } from '../../core/words/slash-commands.ts';
import { SKILL_FILE } from '../../tools/skill.ts';
import { formatPath } from '../../workspace/paths.ts';
import type { Location } from '../../workspace/types.ts';
import { SessionError } from '../session/session-error.ts';
import { argumentsIn, type EditorValues, expanded, MAX_EXPANDED, type Needed, neededBy, TooLong } from './expand.ts';
import { type CustomPorts, type Named, withheldIn } from './files.ts';
import { looksReserved } from './names.ts';
import { aboutPrompt, listPromptFiles, lowest, type PromptFile } from './prompt-files.ts';
import { listSkills, type Skill } from './skills.ts';

export type { EditorValues, Needed } from './expand.ts';

/** A prompt as it is sent: `text` is the message of the user. */
export type SentPrompt = { text: string; mode: Mode };
export type Asking = {
  /** The mode that the user has chosen. */
  mode: Mode;
  /** Asks the user for a value. Without an answer, the prompt is not sent. */
  ask?(needed: Needed, prompt: PromptFile): Promise<string | undefined>;
  editor?: EditorValues;
};
/** A slash command for a prompt file, as a completion shows it. */
export type PromptCommand = { command: string; text: string; takes?: string };
/** A line of a list of prompt files and skills. `remarks` say what cannot be used. */
export type ListedCustomization = Named & { kind: 'prompt' | 'skill'; label: string; text: string; problem?: string };

export class Customizations {
  readonly #ports: CustomPorts;

  constructor(ports: CustomPorts) {
    this.#ports = ports;
  }

  /** Returns the slash commands of the prompt files. Their descriptions say where they come from. */
  async commands(): Promise<PromptCommand[]> {
    const { prompts } = await listPromptFiles(this.#ports);
    return prompts.map((prompt) => {
      const takes =
        prompt.hint ??
        neededBy(prompt.body)
          .map(({ key }) => key)
          .join(', ');
      return { command: prompt.command, text: `${prompt.description} (${aboutPrompt(prompt)})`, ...(takes && { takes }) };
    });
  }

  /**
   * Returns what is sent for a message such as `/NAME words`, or undefined if the message is not the command of a prompt file.
   * @throws SessionError if the prompt cannot be sent
   */
  async promptIn(message: string, { mode, ask, editor = {} }: Asking): Promise<SentPrompt | undefined> {
    const [, isNamed, name, rest = ''] = /^\s*\/(prompt\s+)?([A-Za-z0-9][\w-]*)(?:\s+([\s\S]*))?$/.exec(message) ?? [];
    if (name === undefined) return undefined;
    const { prompts, rejected } = await listPromptFiles(this.#ports);
    const isCommand = ({ command, name: own }: PromptFile) => (isNamed ? own === name.toLowerCase() : command === `/${name.toLowerCase()}`);
    const prompt = prompts.find(isCommand);
    // A file of the workspace must not change what a command of Kedge does.
    const isMeant = !prompt && (isNamed || !looksReserved(name.toLowerCase()));
    const broken = isMeant && rejected.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (broken) throw new SessionError(`${broken.path} cannot be sent. ${broken.problem}`);
    if (!prompt && isNamed) throw new SessionError(`There is no prompt file ${name}. Put it into .kedge/prompts/${name}.md.`);
    if (!prompt) return undefined;
    const needed = neededBy(prompt.body);
    const { values, words } = argumentsIn(
      rest,
      needed.map(({ key }) => key),
    );
    for (const each of needed) {
      if (values.has(each.key)) continue;
      const value = (await this.#fromEditor(each.key, editor)) ?? (await ask?.(each, prompt));
      if (value === undefined)
        throw new SessionError(
          `/${prompt.name} was not sent: it needs a value for ${each.label}. Write it after the command: ${prompt.command} ${each.key}="…"`,
        );
      values.set(each.key, value);
    }
    const text = await this.#filled(prompt, values, words);
    return { text, mode: lowest([mode, prompt.mode]) ?? mode };
  }

  /** An input that the file calls `file` or `selection` is the same value. @throws SessionError for a file that may not be sent */
  async #fromEditor(key: string, { at, selection }: EditorValues): Promise<string | undefined> {
    const { folders } = this.#ports.fileSystem();
    const value = key === 'file' ? at && formatPath(at, folders) : key === 'selection' ? selection : undefined;
    if (value === undefined || !at || !(await (await withheldIn(this.#ports))(at))) return value;
    throw new SessionError(
      `The prompt was not sent: ${formatPath(at, folders)} is open in the editor, and it may only be sent as a mention.`,
    );
  }

  async #filled(prompt: PromptFile, values: ReadonlyMap<string, string>, words: string): Promise<string> {
    const folder = this.#ports.fileSystem().folders[0]?.name ?? '';
    try {
      const text = expanded(prompt.body, values, folder) + (words ? `\n\n${words}` : '');
      if (text.length > MAX_EXPANDED) throw new TooLong(`The prompt would be longer than ${MAX_EXPANDED.toLocaleString('en')} characters.`);
      // A message that begins with a command of Kedge would be carried out when it is sent again.
      if (parseSlashCommand(text) || /^kedge init\b/.test(text))
        throw new SessionError(`/${prompt.name} was not sent: its text is a command of Kedge.`);
      return text;
    } catch (error) {
      if (error instanceof TooLong) throw new SessionError(`/${prompt.name} was not sent. ${error.message}`);
      throw error;
    }
  }

  /** Lists everything that was found, with what cannot be used and why. */
  async list(): Promise<ListedCustomization[]> {
    const [{ prompts, rejected }, { skills, rejected: others }] = await Promise.all([
      listPromptFiles(this.#ports),
      listSkills(this.#ports),
    ]);
    const row = (
      kind: 'prompt' | 'skill',
      { name, source, path, at }: Named,
      label: string,
      text: string,
      problem: string | undefined,
    ) => ({
      ...{ kind, name, source, path, label, text },
      ...(at && source === 'workspace' && { at }),
      ...(problem && { problem }),
    });
    return [
      ...prompts.map((each) => row('prompt', each, each.command, each.description, remarks(each))),
      ...rejected.map((each) => row('prompt', each, each.name, '', each.problem)),
      ...skills.map((each) => row('skill', { ...each, at: fileOf(each) }, each.name, each.description, remarks(each))),
      ...others.map((each) => row('skill', each, each.name, '', each.problem)),
    ];
  }
}

function fileOf({ at }: Skill): Location {
  return { ...at, path: `${at.path}/${SKILL_FILE}` };
}

function remarks({ remarks: all, mode }: { remarks: readonly string[]; mode?: Mode }): string | undefined {
  return [...(mode ? [`It is sent in ${MODE_NAME[mode]} mode at most.`] : []), ...all].join(' ') || undefined;
}

/** @throws SessionError if a prompt for a lower mode would become part of a run in a higher mode */
export function expectFits({ mode }: SentPrompt, running: Mode | undefined): void {
  if (running === undefined || MODES.indexOf(running) <= MODES.indexOf(mode)) return;
  throw new SessionError(
    `The prompt is for ${MODE_NAME[mode]} mode, and the run is in ${MODE_NAME[running]} mode. Send it when the run has ended.`,
  );
}

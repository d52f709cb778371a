/** Prompt files and skills in the terminal: sending a prompt file as a command, and listing both. */
import type { Assistant } from '../../../app/assistant.ts';
import { expectFits, type ListedCustomization, type SentPrompt } from '../../../app/customizations/index.ts';
import type { MentioningSession } from '../../../app/mentions/index.ts';
import type { Mode } from '../../../core/modes.ts';
import { oneLine } from '../output/terminal.ts';
import type { Prompter } from '../questions.ts';

export { expectFits };

type Asking = { mode: Mode; prompter?: Pick<Prompter, 'ask'>; signal: AbortSignal };

/**
 * Returns the message for a text such as `/NAME words`, or undefined if it is not the command of a prompt file. Missing values are asked
 * for. @throws SessionError if the prompt cannot be sent
 */
export async function promptFile(
  assistant: Assistant,
  session: MentioningSession,
  text: string,
  { mode, prompter, signal }: Asking,
): Promise<SentPrompt | undefined> {
  const customizations = await assistant.customizations(session);
  return customizations.promptIn(text, {
    mode,
    ...(prompter && {
      ask: async ({ label, placeholder }, { command }) => {
        const what = oneLine(`${command} needs ${label}${placeholder ? ` (${placeholder})` : ''}`, 300);
        const value = (await prompter.ask(`${what} > `, signal))?.trim();
        return value || undefined;
      },
    }),
  });
}

/** Lists prompt files and skills with their sources, and what cannot be used. */
export function customizationsText(all: readonly ListedCustomization[]): string {
  const section = (title: string, kind: ListedCustomization['kind'], none: string) => {
    const rows = all.filter((each) => each.kind === kind);
    return [title, ...(rows.length > 0 ? rows.flatMap(rowsOf) : [`  ${none}`])];
  };
  return [
    ...section('Prompt files', 'prompt', 'None. Write one as .kedge/prompts/NAME.md; it is then the command /NAME.'),
    '',
    ...section('Skills', 'skill', 'None. Write one as .kedge/skills/NAME/SKILL.md.'),
  ].join('\n');
}

function rowsOf({ label, text, source, path, problem }: ListedCustomization): string[] {
  return [
    `  ${oneLine(label)}${text ? `  ${oneLine(text, 200)}` : '  not used'}`,
    `      ${source === 'user' ? 'yours' : 'of this workspace'}: ${oneLine(path)}`,
    ...(problem ? [`      ${oneLine(problem, 300)}`] : []),
  ];
}

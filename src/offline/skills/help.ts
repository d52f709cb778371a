/** The texts shown for greetings and for requests that are not understood. */
import type { Mode } from '../../core/session/events.ts';

export const CONNECT = '[Connect a model](command:kedge.connectModel)';

const QUESTIONS = [
  '`where is loadConfig defined?`, `who calls loadConfig?`',
  "`find text 'not found' in src/**`, `find files *.test.ts`, `list src`",
  '`explain src/index.ts`, `show lines 3-9 of src/index.ts`',
  '`how is this project laid out?`, `how many TODOs in src?`',
];

const CHANGES = [
  '`rename loadConfig to readConfig in src` (text: whole words, also in comments)',
  "`replace 'colour' by 'color' in docs/*.md`",
  "`create notes.md with 'hello'`, `append 'more' to notes.md`",
  '`move src/old.ts to src/new.ts`, `delete src/old.ts`',
];

const ON_CHANGES: Record<Mode, string> = {
  ask: 'In Ask mode I can only look. In Plan mode (as a plan for you to confirm) and in Agent mode I also do:',
  plan: 'In Plan mode I propose a plan for these, which you confirm before anything is changed:',
  agent: 'In Agent mode I also make these changes, each checked afterwards:',
};

const NOT_UNDERSTOOD = 'I did not understand that.';

/** Whether an answer contained the help text, which is shown only once per session. */
export function isHelp(text: string): boolean {
  return text.startsWith(`${NOT_UNDERSTOOD} Offline is not`);
}

export const HELP_AGAIN = `${NOT_UNDERSTOOD} The list of what I understand is further up. For everything else: ${CONNECT}`;

export const GREETING = [
  'Hello! I am Offline: no language model, but I find my way around this folder, and make simple changes. For example:',
  '- `how is this project laid out?`\n- `find TODOs`\n- `where is loadConfig defined?`',
  `For everything else: ${CONNECT}`,
].join('\n\n');

export function help(mode: Mode): string {
  const items = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    `${NOT_UNDERSTOOD} Offline is not a language model: it follows a small fixed grammar and understands requests like these:`,
    items(QUESTIONS),
    ON_CHANGES[mode],
    items(CHANGES),
    `For everything else: ${CONNECT}`,
  ].join('\n\n');
}

export const ASK_CANNOT_WRITE =
  'Ask mode cannot write. Switch to Plan to get a plan to confirm, or to Agent to have it done, and send the same request.';

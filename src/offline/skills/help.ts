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
  '`rename loadConfig to readConfig in src` (text: whole words, including in comments)',
  "`replace 'colour' with 'color' in docs/*.md`",
  "`create notes.md with 'hello'`, `append 'more' to notes.md`",
  '`move src/old.ts to src/new.ts`, `delete src/old.ts`',
];

const ON_CHANGES: Record<Mode, string> = {
  ask: 'In Ask mode I only answer questions. In Plan mode I propose a plan for these changes, and in Agent mode I make them:',
  plan: 'In Plan mode I propose a plan for these changes. Nothing is changed before you confirm the plan:',
  agent: 'In Agent mode I also make these changes, and check each result:',
};

const NOT_UNDERSTOOD = 'I did not understand that.';

/** Returns true if an answer contained the help text, which is shown only once per session. */
export function isHelp(text: string): boolean {
  return text.startsWith(`${NOT_UNDERSTOOD} Offline is not`);
}

export const HELP_AGAIN = `${NOT_UNDERSTOOD} My first answer to such a request lists what I understand. For all other requests: ${CONNECT}`;

export const GREETING = [
  'Hello! I am Offline. I am not a language model, but I can answer questions about this folder and make simple changes. For example:',
  '- `how is this project laid out?`\n- `find TODOs`\n- `where is loadConfig defined?`',
  `For all other requests: ${CONNECT}`,
].join('\n\n');

export function help(mode: Mode): string {
  const items = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    `${NOT_UNDERSTOOD} Offline is not a language model: it follows a small fixed grammar and understands requests like these:`,
    items(QUESTIONS),
    ON_CHANGES[mode],
    items(CHANGES),
    `For all other requests: ${CONNECT}`,
  ].join('\n\n');
}

export const ASK_CANNOT_WRITE =
  'Ask mode cannot change files. For a plan, switch to Plan; for the change itself, switch to Agent. Then send the request again.';

/** What there is to say where the grammar ends. */
import type { Mode } from '../../../core/events.ts';

export const CONNECT = '[Connect a model](command:kedge.connectModel)';

const QUESTIONS = [
  '`where is tideLevel defined?`, `who calls tideLevel?`',
  "`find text 'high water' in src/**`, `find files *.test.ts`, `list src`",
  '`explain src/tide.ts`, `show lines 3-9 of src/tide.ts`',
  '`how is this project laid out?`, `how many TODOs in src?`',
];

const CHANGES = [
  '`rename tideLevel to waterLevel in src` (whole identifiers)',
  "`replace 'low tide' by 'ebb' in docs/*.md`",
  "`create notes.md with 'hello'`, `append 'more' to notes.md`",
  '`move src/tide.ts to src/water.ts`, `delete src/old.ts`',
];

const ON_CHANGES: Record<Mode, string> = {
  ask: 'In Ask mode I can only look. In Plan mode (as a plan for you to confirm) and in Agent mode I also do:',
  plan: 'In Plan mode I propose a plan for these, which you confirm before anything is changed:',
  agent: 'In Agent mode I also make these changes, each checked afterwards:',
};

export function help(mode: Mode): string {
  const items = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    'I did not understand that. Offline is not a language model: it follows a small fixed grammar and understands requests like these:',
    items(QUESTIONS),
    ON_CHANGES[mode],
    items(CHANGES),
    `For everything else: ${CONNECT}`,
  ].join('\n\n');
}

export const ASK_CANNOT_WRITE =
  'Ask mode cannot write. Switch to Plan to get a plan to confirm, or to Agent to have it done, and send the same request.';

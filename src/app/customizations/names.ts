/** The names of prompt files and skills. A name must not look like another one, or like a command of Kedge. */
import { comparable } from '../../agents/names.ts';

/** The commands of all hosts. A prompt file with one of these names is used as `/prompt NAME`. A test compares the list with the hosts. */
export const RESERVED = (
  'help mode model plan continue pause undo review compact sessions resume clear init remember grants mcp config verbose quit ' +
  'ask agent agents export new background read worktree run again step stop prompt prompts skill skills hook hooks memory lesson docs delegate kedge'
).split(' ');

const NAME = /^[a-z0-9](?:[a-z0-9]|[-_](?=[a-z0-9])){0,63}$/;

/** Returns a name as it is written in a command, or undefined if no command can have it. */
export function nameOf(text: string): string | undefined {
  const name = text.trim().toLowerCase().replace(/[ .]+/g, '-');
  return NAME.test(name) ? name : undefined;
}

const COMPARABLE: ReadonlySet<string> = new Set(RESERVED.map(comparable));

export function looksReserved(name: string): boolean {
  return COMPARABLE.has(comparable(name));
}

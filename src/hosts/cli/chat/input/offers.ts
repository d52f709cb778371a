/** The lines below the prompt: the completions that Tab goes through, and the commands that begin with what is typed. */
import { oneLine, type Paint } from '../../output/terminal.ts';
import { COMMANDS } from '../commands.ts';
import { cut } from '../output/styled.ts';
import { type Completion, matchingCommands } from './completion.ts';

/** `at` is the item that is inserted. */
export type Offered = Completion & { at: number };

const MAX_SHOWN = 5;

export function offerLines(typed: string, offered: Offered | undefined, columns: number, { bold, dim }: Paint): string[] {
  const row = (label: string, detail = '') => `  ${oneLine(label).padEnd(12)}${detail && `  ${oneLine(detail)}`}`;
  if (!offered) {
    const commands = matchingCommands(typed, COMMANDS).slice(0, MAX_SHOWN);
    return commands.map(({ name, text }) => cut(dim(row(`/${name}`, text)), columns));
  }
  const { items, at } = offered;
  const from = Math.max(0, Math.min(at - 2, items.length - MAX_SHOWN));
  const shown = items.slice(from, from + MAX_SHOWN);
  return shown.map(({ label, detail }, index) => cut((index + from === at ? bold : dim)(row(label, detail)), columns));
}

/** Types and functions that all commands for sessions share. */
import type { Kedge } from '../kedge.ts';
import { UsageError } from '../options/arguments.ts';

export type SessionCommand = 'sessions' | 'fork' | 'export' | 'import' | 'replay' | 'doctor' | 'insights' | 'docs';
/** The values of options, by name. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
export type CommandContext = { kedge: Kedge; words: readonly string[]; values: Values; signal: AbortSignal };

/** Returns the only word of a command. @throws UsageError with `usage` if there is none or more than one */
export function onlyWord(words: readonly string[], usage: string): string {
  if (words.length === 1 && words[0]) return words[0];
  throw new UsageError(usage);
}

export function positiveNumber(option: string, value: Values[string]): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  throw new UsageError(`${option} must be a number greater than 0, not ${JSON.stringify(value)}.`);
}

/** Asks the user to confirm. Without a terminal, only `--yes` confirms. */
export async function confirmed(question: string, { values, signal }: Pick<CommandContext, 'values' | 'signal'>): Promise<boolean> {
  if (values.yes === true) return true;
  if (process.stdin.isTTY !== true) throw new UsageError(`${question} No terminal is connected. Add --yes to confirm.`);
  const { linesOf } = await import('../questions.ts');
  return /^\s*y(es)?\s*$/i.test((await linesOf(process.stdin).ask(`${question} y = yes, n = no > `, signal)) ?? '');
}

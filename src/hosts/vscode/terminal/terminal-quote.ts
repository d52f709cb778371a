import type { LaunchSpec } from '../../node/commands/process.ts';

/** Quotes a text as one word for bash, on one line and without control characters, which would act as keys in a terminal. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/[\p{Cc}\\'!]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `$'${escaped}'`;
}

/**
 * Wraps a command in a separate shell with an empty input, so that it cannot change the state of the terminal's shell. The result is a
 * simple command, because shell integration reports only the start of simple commands.
 */
export function typedCommand(
  { text, cwd, shell, withheld }: Pick<LaunchSpec, 'text' | 'cwd' | 'shell' | 'withheld'>,
  currentFolder: string | undefined,
): string {
  const changeFolder = currentFolder === cwd ? '' : `'cd "$0" && exec "$BASH" -c "$1"' ${shellWord(cwd)} `;
  // The variables were removed when the terminal was created, but the start-up files of its shell may have set them again.
  const without = withheld.length > 0 ? `env ${withheld.map((name) => `-u ${shellWord(name)}`).join(' ')} ` : '';
  return `${without}${shell.path} -c ${changeFolder}${shellWord(text)} </dev/null`;
}

import type { LaunchSpec } from '../../node/commands/process.ts';

/** One word for bash that means exactly this text, on one line: what is typed into a terminal must hold no key that does something. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/[\p{Cc}\\'!]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `$'${escaped}'`;
}

/**
 * A shell of its own with nobody at its input, so that nothing of the command stays behind in the terminal's. It is one simple command:
 * of others bash does not say when they begin.
 */
export function typed(
  { text, cwd, shell, withheld }: Pick<LaunchSpec, 'text' | 'cwd' | 'shell' | 'withheld'>,
  where: string | undefined,
): string {
  const there = where === cwd ? '' : `'cd "$0" && exec "$BASH" -c "$1"' ${shellWord(cwd)} `;
  // What the terminal was made without, its shell may have set again when it started.
  const without = withheld.length > 0 ? `env ${withheld.map((name) => `-u ${shellWord(name)}`).join(' ')} ` : '';
  return `${without}${shell.path} -c ${there}${shellWord(text)} </dev/null`;
}

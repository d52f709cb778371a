import type { CommandConcern } from '../../core/session/rule-ids.ts';
import type { Concern } from './types.ts';

/** Messages for the conditions under which a command needs approval regardless of rules and permissions. */
const SENTENCES = {
  unreadable: (what: string) => `The command could not be analyzed: ${what}.`,
  dynamic: (what: string) => `The value of ${code(what)} is only known when the command runs.`,
  shadowed: (what: string) => `The command redefines ${code(what)}.`,
  'here-document': (_what: string) => 'The command contains a here-document.',
  environment: (what: string) => `The command sets ${code(what)}, which can change what a program does.`,
  loop: (what: string) => `The loop sets ${code(what)}, which can change what later commands do.`,
  'shell-state': (what: string) => `${code(what)} can change what later commands do.`,
  'runs-other': (what: string) => `${code(what)} can run other programs.`,
  'inline-code': (what: string) => `${code(what)} runs code from the command line or a pipe.`,
  deletes: (what: string) => `${code(what)} can delete files or discard changes that cannot be restored.`,
  writes: (what: string) => `${code(what)} can write files.`,
  sends: (what: string) => `${code(what)} uses the network and can send data to other hosts.`,
  installs: (what: string) => `${code(what)} downloads and runs published packages.`,
  system: (what: string) => `${code(what)} can change the system, permissions or other processes.`,
  'other-folder': (what: string) => `With ${code(what)}, the configuration of another folder applies.`,
  'repository-config': (what: string) => `The configuration of this repository names a program that Git would run: ${code(what)}.`,
  secrets: (what: string) => `${code(what)} can show keys or passwords.`,
  devices: (what: string) => `${code(what)} gives access to a device or to other processes.`,
} as const satisfies Record<CommandConcern, (what: string) => string>;

/** Puts text into backticks, unless it contains backticks itself, as a command substitution does. */
function code(text: string): string {
  return text.includes('`') ? text : `\`${text}\``;
}

export function concern(rule: CommandConcern, what: string): Concern {
  const short = what.length > 80 ? `${what.slice(0, 79)}…` : what;
  return { rule, reason: SENTENCES[rule](short) };
}

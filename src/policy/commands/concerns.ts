import type { CommandConcern } from '../../core/session/rule-ids.ts';
import type { Concern } from './types.ts';

/** Why something asks whatever was allowed, and the sentence for it. */
const SENTENCES = {
  unreadable: (what: string) => `The command cannot be read: ${what}.`,
  dynamic: (what: string) => `What ${what} stands for is known only when it runs.`,
  shadowed: (what: string) => `It gives ${what} another meaning.`,
  'here-document': (what: string) => `${what} gets a here-document.`,
  environment: (what: string) => `It sets ${what} for a command, and so can change what it does.`,
  loop: (what: string) => `The loop sets ${what} each time round, and so can change what later commands do.`,
  'shell-state': (what: string) => `${what} changes what later commands mean.`,
  'runs-other': (what: string) => `${what} can run other programs.`,
  'inline-code': (what: string) => `${what} runs code that stands in the command or comes through a pipe.`,
  deletes: (what: string) => `${what} deletes or discards.`,
  writes: (what: string) => `${what} can write files.`,
  sends: (what: string) => `${what} reaches the network and can send data out.`,
  installs: (what: string) => `${what} fetches and runs what others published.`,
  system: (what: string) => `${what} changes the system, permissions or other processes.`,
  'other-folder': (what: string) => `${what} follows the configuration of another folder.`,
  'repository-config': (what: string) => `The configuration of this repository names a program that git would run: ${what}.`,
  secrets: (what: string) => `${what} can show keys or passwords.`,
  devices: (what: string) => `${what} is a device, or tells about other processes.`,
} as const satisfies Record<CommandConcern, (what: string) => string>;

export function concern(rule: CommandConcern, what: string): Concern {
  const short = what.length > 80 ? `${what.slice(0, 79)}…` : what;
  return { rule, reason: SENTENCES[rule](short) };
}

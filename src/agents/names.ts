/** The names of agents. They are typed by users and compared with each other, so they consist of ASCII letters, digits and hyphens only. */
import type { AgentSource } from '../core/session/shapes/run-agent.ts';

export const SHIPPED_NAMES = ['researcher', 'coder', 'reviewer', 'analyst', 'tutor'] as const;
/** Names that would be mistaken for something of Kedge itself. */
const RESERVED = ['ask', 'plan', 'agent', 'kedge', 'none', 'default', 'user', 'off'];

const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/;

/** Returns a sentence if an agent cannot have this name. */
export function nameProblem(name: string, source: AgentSource): string | undefined {
  if (!NAME.test(name))
    return `The name ${shortened(name)} is not usable: it may have at most 40 letters a–z, digits, hyphens and underscores.`;
  const form = comparable(name);
  const own = RESERVED.find((each) => comparable(each) === form);
  if (own) return `The name ${name} is not usable, because it looks like ${own}, which belongs to Kedge.`;
  const shipped = source !== 'shipped' && SHIPPED_NAMES.find((each) => comparable(each) === form);
  if (shipped) return `The name ${name} is not usable, because Kedge has an agent ${shipped}. Give the agent another name.`;
  return undefined;
}

/** Returns the same text for names that look alike. */
export function comparable(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_ .]/g, '')
    .replaceAll('0', 'o')
    .replace(/[1i]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

function shortened(name: string): string {
  return name.length > 50 ? `${name.slice(0, 48).toWellFormed()} …` : name;
}

/** The names of prompt files and skills. A name must not look like another one, or like a command of Kedge. */

/** The commands of all hosts. A prompt file with one of these names is used as `/prompt NAME`. A test compares the list with the hosts. */
export const RESERVED = (
  'help mode model plan continue pause undo review compact sessions resume clear init remember grants mcp config verbose quit ' +
  'ask agent agents export new run again step stop prompt prompts skill skills hook hooks memory docs delegate kedge'
).split(' ');

const NAME = /^[a-z0-9](?:[a-z0-9]|[-_](?=[a-z0-9])){0,63}$/;

/** Returns a name as it is written in a command, or undefined if no command can have it. */
export function nameOf(text: string): string | undefined {
  const name = text.trim().toLowerCase().replace(/[ .]+/g, '-');
  return NAME.test(name) ? name : undefined;
}

/** Returns the same text for names that can be confused when they are read. */
export function skeletonOf(name: string): string {
  return name
    .replace(/[-_]/g, '')
    .replaceAll('0', 'o')
    .replaceAll('5', 's')
    .replace(/[1i]/g, 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

const RESERVED_SKELETONS: ReadonlySet<string> = new Set(RESERVED.map(skeletonOf));

export function looksReserved(name: string): boolean {
  return RESERVED_SKELETONS.has(skeletonOf(name));
}

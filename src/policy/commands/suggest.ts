import { checkOf } from './programs/argument-checks.ts';
import { interpreters } from './programs/interpreters.ts';
import { isReading, programName } from './programs/program-tables.ts';
import { subcommands } from './programs/subcommands.ts';
import type { CommandAnalysis, SimpleCommand } from './types.ts';

/** A word that looks like a subcommand rather than a file or value. */
const SUBCOMMAND = /^[a-z][a-z0-9:-]*$/;

/**
 * Suggests the prefix for "Always allow": program and subcommand, or only the program if it is read-only. Returns undefined if a prefix
 * would have no effect (dangerous or opaque commands) or would allow too much (interpreters, wrappers, several commands).
 */
export function suggestedPrefix({ commands, opaque, dangers }: CommandAnalysis): readonly string[] | undefined {
  if (opaque.length > 0 || dangers.length > 0 || commands.some(({ isCovered }) => isCovered)) return undefined;
  const offered = commands.map(prefixOf);
  const [first] = offered;
  return first && offered.every((each) => each?.join('\0') === first.join('\0')) ? first : undefined;
}

function prefixOf({ argv, floor, words }: SimpleCommand): readonly string[] | undefined {
  const name = programName(argv[0] ?? '');
  if (Object.hasOwn(interpreters, name) || words.some(({ glob }, at) => glob && at < floor)) return undefined;
  const literalArgv = argv as readonly string[];
  if (isReading(name) && name !== 'git') return literalArgv.slice(0, 1);
  const hasSubcommand = name === 'git' || Object.hasOwn(subcommands, name) || !checkOf(name);
  const length = Math.max(floor, hasSubcommand && SUBCOMMAND.test(literalArgv[1] ?? '') ? 2 : 1);
  if (length > literalArgv.length || literalArgv.slice(0, length).some((word) => /\s/.test(word) || word === '')) return undefined;
  return literalArgv.slice(0, length);
}

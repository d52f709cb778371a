import type { Judgement } from '../../core/run/tool.ts';
import { visibleCommand } from '../../core/words/visible-text.ts';
import { programName } from './programs/program-tables.ts';
import type { CommandAnalysis, CommandRules, Prefix, SimpleCommand } from './types.ts';

/** Deny beats ask beats allow. What is opaque or dangerous asks whatever is allowed; all else is allowed only where every command in it is. */
export function judgeCommand(
  analysis: CommandAnalysis,
  { allow, deny, ask, allowReadOnly = false, guard, elsewhere }: CommandRules,
): Judgement {
  const denied = mentioned(analysis, deny);
  if (denied) return { kind: 'deny', rule: 'command-denied', reason: `Your settings deny ${shown(denied)}.` };
  const asked = mentioned(analysis, ask);
  if (asked) return { kind: 'ask', rule: 'command-asked', reason: `Your settings ask for ${shown(asked)}.` };
  const [concern] = [...analysis.opaque, ...analysis.dangers];
  if (concern) return { kind: 'ask', ...concern };
  for (const path of guard ? analysis.paths : []) {
    const guarded = guard?.(path, analysis.uses.get(path) ?? 'any');
    if (guarded) return { kind: 'ask', rule: 'guarded-path', ...guarded };
  }
  const granted = new Set<string>();
  for (const command of analysis.commands.filter(({ isCovered }) => !isCovered)) {
    const fits = allow.filter((each) => matchesPrefix(each, command));
    const [prefix] = fits;
    const place = prefix && !command.reads ? elsewhere?.(command, fits) : undefined;
    if (prefix && place !== undefined) {
      const reason = `You allowed ${shown(prefix)} in another folder, and this runs the code of ${visibleCommand(place)}.`;
      return { kind: 'ask', rule: 'command-elsewhere', reason };
    }
    if (prefix) granted.add(shown(prefix));
    else if (allowReadOnly && command.reads) granted.add('commands that only read');
    else return { kind: 'ask', rule: 'command', reason: `Nothing allows ${excerpt(command.source)}.` };
  }
  if (granted.size === 0) return { kind: 'ask', rule: 'command', reason: 'There is no command in it.' };
  return { kind: 'allow', rule: 'command-prefix', reason: `You allowed ${[...granted].join(', ')}.` };
}

/** The words of a prefix; blanks part them, and nothing else does. */
function prefixWords(prefix: Prefix): readonly string[] {
  return typeof prefix === 'string' ? prefix.split(/\s+/).filter((word) => word !== '') : prefix;
}

function matchesPrefix(prefix: Prefix, { argv, words, floor }: SimpleCommand): boolean {
  const wanted = prefixWords(prefix);
  const isMatch = wanted.every((word, at) => argv[at] === word && word !== '');
  // A glob stands for words that are not known yet.
  return wanted.length > 0 && wanted.length >= floor && isMatch && !words.slice(0, wanted.length).some(({ glob }) => glob);
}

/** Denying and asking take more for a match than allowing does: other spellings of the program, options in between, hidden places. */
function mentioned({ commands, opaque, dangers, source }: CommandAnalysis, prefixes: readonly Prefix[]): Prefix | undefined {
  const isRead = opaque.length === 0 && dangers.length === 0;
  return prefixes.find((prefix) => {
    const wanted = prefixWords(prefix);
    if (wanted.length === 0) return false;
    return (
      commands.some(
        ({ argv, words }) =>
          matches(argv, wanted) ||
          matches(
            words.map(({ value }) => value),
            wanted,
          ),
      ) ||
      (!isRead && namesIn(source, wanted))
    );
  });
}

function matches(argv: readonly (string | undefined)[], wanted: readonly string[]): boolean {
  const [program, ...rest] = wanted as [string, ...string[]];
  const [actual, ...args] = argv;
  if (actual === undefined || !isSameProgram(actual, program)) return false;
  const options = rest.filter((word) => word.startsWith('-'));
  return (
    options.every((option) => hasOption(args, option, programName(actual) === 'git')) &&
    follows(
      args,
      rest.filter((word) => !word.startsWith('-')),
    )
  );
}

function isSameProgram(actual: string, wanted: string): boolean {
  const name = wanted.toLowerCase();
  return (
    actual.toLowerCase() === name || (!/[\\/]/.test(name) && (programName(actual) === name || programName(actual) === programName(name)))
  );
}

/** Options, and what may be their values, can stand in front of each word. */
function follows(args: readonly (string | undefined)[], wanted: readonly string[]): boolean {
  let starts = new Set([0]);
  for (const word of wanted) {
    const next = new Set<number>();
    for (let at = 0; at < args.length; at++) {
      if (!starts.has(at)) continue;
      if (args[at] === word) next.add(at + 1);
      if (args[at]?.startsWith('-')) starts.add(at + 1).add(at + 2);
    }
    starts = next;
  }
  return starts.size > 0;
}

/** `canCut`: the program takes `--no-ver` for `--no-verify`. */
function hasOption(args: readonly (string | undefined)[], option: string, canCut: boolean): boolean {
  if (args.some((word) => word === option || word?.startsWith(`${option}=`))) return true;
  if (canCut && args.some((word) => /^--[^=]{2}/.test(word ?? '') && option.startsWith((word as string).split('=')[0] as string)))
    return true;
  const letters = args.filter((word) => /^-[^-]/.test(word ?? '')).join('');
  return /^-[^-]/.test(option) && [...option.slice(1)].every((letter) => letters.includes(letter));
}

/** Where a command was not read whole, a denied one is looked for in its letters, without quotes and backslashes. */
function namesIn(source: string, wanted: readonly string[]): boolean {
  const words = source
    .replace(/\\\n/g, '')
    .replace(/[\\'"^`]/g, (sign) => (sign === '`' ? ' ' : ''))
    .split(/[^\w.+@:/%=-]+/);
  let at = words.findIndex((word) => isSameProgram(word, wanted[0] as string));
  for (const each of wanted.slice(1)) at = at < 0 ? -1 : words.indexOf(each, at + 1);
  return at >= 0;
}

function shown(prefix: Prefix): string {
  return visibleCommand(prefixWords(prefix).join(' '));
}

function excerpt(source: string): string {
  const text = visibleCommand(source).replaceAll('\n', ' ');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

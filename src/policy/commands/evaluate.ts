import type { Judgement } from '../../core/run/tool.ts';
import type { Reason } from '../../core/session/effects.ts';
import type { RuleId } from '../../core/session/rule-ids.ts';
import { visibleCommand } from '../../core/words/visible-text.ts';
import { programName } from './programs/program-tables.ts';
import type { CommandAnalysis, CommandRules, Prefix, SimpleCommand } from './types.ts';

/**
 * Evaluates an analyzed command. Deny takes precedence over ask, and ask over allow. Opaque or dangerous commands need approval
 * regardless of the allowlist; any other command is allowed only if each of its simple commands is allowed.
 */
export function evaluateCommand(
  analysis: CommandAnalysis,
  { allow, deny, ask, allowReadOnly = false, guard, elsewhere }: CommandRules,
): Judgement {
  const deniedPrefix = findMatchingPrefix(analysis, deny);
  if (deniedPrefix) return { kind: 'deny', rule: 'command-denied', reason: `Your settings deny \`${displayPrefix(deniedPrefix)}\`.` };
  const askPrefix = findMatchingPrefix(analysis, ask);
  if (askPrefix)
    return { kind: 'ask', rule: 'command-asked', reason: `Your settings require your approval for \`${displayPrefix(askPrefix)}\`.` };
  const concerns: Reason[] = [...analysis.opaque, ...analysis.dangers];
  const guarded = (guard ? analysis.paths : []).flatMap((path) => {
    const found = guard?.(path, analysis.uses.get(path) ?? 'any');
    return found ? [{ ...found, path }] : [];
  });
  const [concern] = concerns;
  const [first] = guarded.map(({ path: _, ...found }) => found);
  // After its scheme, a URL looks like an absolute path. The URL has its own reason for an approval, which is clearer.
  const paths = guarded.filter(({ path }) => !(path.startsWith('//') && analysis.source.includes(`:${path}`)));
  const reasons = gravestFirst([...concerns, ...paths.map(({ reason }) => ({ rule: 'guarded-path' as const, reason }))]);
  const all = reasons.length > 1 && { reasons };
  if (concern) return { kind: 'ask', ...concern, ...all };
  if (first) return { kind: 'ask', rule: 'guarded-path', ...first, ...all };
  const allowedBy = new Set<string>();
  for (const command of analysis.commands.filter(({ isCovered }) => !isCovered)) {
    const matchingPrefixes = allow.filter((each) => isCoveredBy(each, command));
    const [prefix] = matchingPrefixes;
    const place = prefix && !command.reads ? elsewhere?.(command, matchingPrefixes) : undefined;
    if (prefix && place !== undefined) {
      const reason = `You allowed \`${displayPrefix(prefix)}\` in another folder, but this command runs code from ${visibleCommand(place)}.`;
      return { kind: 'ask', rule: 'command-elsewhere', reason };
    }
    if (prefix) allowedBy.add(`\`${displayPrefix(prefix)}\``);
    else if (allowReadOnly && command.reads) allowedBy.add('read-only commands');
    else return { kind: 'ask', rule: 'command', reason: `\`${excerpt(command.source)}\` is not on the allowlist.` };
  }
  if (allowedBy.size === 0) return { kind: 'ask', rule: 'command', reason: 'The command is empty.' };
  return { kind: 'allow', rule: 'command-prefix', reason: `You allowed ${[...allowedBy].join(', ')}.` };
}

/** The reasons for an approval, the most serious first. Other reasons follow in the order of the command. */
const GRAVITY: readonly RuleId[] = [
  'inline-code',
  'deletes',
  'system',
  'devices',
  'secrets',
  'installs',
  'guarded-path',
  'sends',
  'runs-other',
];

function gravestFirst(reasons: readonly Reason[]): Reason[] {
  const rank = ({ rule }: Reason) => (GRAVITY.includes(rule) ? GRAVITY.indexOf(rule) : GRAVITY.length);
  const different = reasons.filter(({ reason }, at) => reasons.findIndex((each) => each.reason === reason) === at);
  return different.sort((a, b) => rank(a) - rank(b)).map(({ rule, reason }) => ({ rule, reason }));
}

/** Splits a prefix at whitespace; quotes have no meaning in it. */
function prefixWords(prefix: Prefix): readonly string[] {
  return typeof prefix === 'string' ? prefix.split(/\s+/).filter((word) => word !== '') : prefix;
}

function isCoveredBy(prefix: Prefix, { argv, words, floor }: SimpleCommand): boolean {
  const required = prefixWords(prefix);
  const isMatch = required.every((word, at) => argv[at] === word && word !== '');
  // A glob expands to words that are not known yet.
  return required.length > 0 && required.length >= floor && isMatch && !words.slice(0, required.length).some(({ glob }) => glob);
}

/**
 * Finds the prefix of a deny or ask rule that the command matches. Such rules match more broadly than allow rules: also with other
 * spellings of the program, with options between the words, and in text that could not be parsed.
 */
function findMatchingPrefix({ commands, opaque, dangers, source }: CommandAnalysis, prefixes: readonly Prefix[]): Prefix | undefined {
  const isRead = opaque.length === 0 && dangers.length === 0;
  return prefixes.find((prefix) => {
    const prefixParts = prefixWords(prefix);
    if (prefixParts.length === 0) return false;
    return (
      commands.some(
        ({ argv, words }) =>
          matches(argv, prefixParts) ||
          matches(
            words.map(({ value }) => value),
            prefixParts,
          ),
      ) ||
      (!isRead && occursInText(source, prefixParts))
    );
  });
}

function matches(argv: readonly (string | undefined)[], prefix: readonly string[]): boolean {
  const [program, ...rest] = prefix as [string, ...string[]];
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

function isSameProgram(actual: string, expected: string): boolean {
  const name = expected.toLowerCase();
  return (
    actual.toLowerCase() === name || (!/[\\/]/.test(name) && (programName(actual) === name || programName(actual) === programName(name)))
  );
}

/** Returns true if the arguments begin with the operands, with any options and option values before each of them. */
function follows(args: readonly (string | undefined)[], operands: readonly string[]): boolean {
  let starts = new Set([0]);
  for (const word of operands) {
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

/** @param canCut whether the program accepts abbreviated options, as Git accepts `--no-ver` for `--no-verify`. */
function hasOption(args: readonly (string | undefined)[], option: string, canCut: boolean): boolean {
  if (args.some((word) => word === option || word?.startsWith(`${option}=`))) return true;
  if (canCut && args.some((word) => /^--[^=]{2}/.test(word ?? '') && option.startsWith((word as string).split('=')[0] as string)))
    return true;
  const letters = args.filter((word) => /^-[^-]/.test(word ?? '')).join('');
  return /^-[^-]/.test(option) && [...option.slice(1)].every((letter) => letters.includes(letter));
}

/** Searches the text of a command that could not be parsed completely for a prefix, ignoring quotes and backslashes. */
function occursInText(source: string, prefix: readonly string[]): boolean {
  const words = source
    .replace(/\\\n/g, '')
    .replace(/[\\'"^`]/g, (sign) => (sign === '`' ? ' ' : ''))
    .split(/[^\w.+@:/%=-]+/);
  let at = words.findIndex((word) => isSameProgram(word, prefix[0] as string));
  for (const each of prefix.slice(1)) at = at < 0 ? -1 : words.indexOf(each, at + 1);
  return at >= 0;
}

function displayPrefix(prefix: Prefix): string {
  return visibleCommand(prefixWords(prefix).join(' '));
}

function excerpt(source: string): string {
  const text = visibleCommand(source).replaceAll('\n', ' ');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

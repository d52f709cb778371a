/** Inspects one simple command by its words: its concerns, the shortest prefix that may cover it, and what it runs. */

import type { CommandConcern } from '../../core/session/rule-ids.ts';
import { hiddenCharacter } from '../../core/words/visible-text.ts';
import { concern } from './concern-messages.ts';
import type { Finding } from './program-check.ts';
import { checkOf } from './programs/argument-checks.ts';
import { isHarmless, isHarmlessWord, isListed, unlistedOptions } from './programs/harmless-options.ts';
import { interpreters } from './programs/interpreters.ts';
import { bringsCode, findOption } from './programs/options.ts';
import { alwaysAsks, dangerousOptions, hasExactOptions, isReading, programName } from './programs/program-tables.ts';
import type { Concern, Word } from './types.ts';

export type Inspection = {
  concerns: Concern[];
  /** The words that prefixes are compared with; undefined for a word whose value is only known at run time. */
  argv: readonly (string | undefined)[];
  floor: number;
  reads: boolean;
  inner: Finding['inner'] | undefined;
  script: string | undefined;
};

/** Shell keywords. If the grammar reports a keyword as a program name, the grammar and the shell disagree about the command. */
const RESERVED = new Set('if then else elif fi for while until do done case esac in select function { } ! coproc [[ ]] (( ))'.split(' '));

/** Matches paths of devices and processes, and of PowerShell drives that do not contain files. */
const DEVICE = /(?:^|=)(?:\/+(?:proc|dev|sys)\/|(?:env|hk\w\w|registry|cert|function|alias|variable|wsman|temp):)/i;

const TAKES_ARGUMENT_FILES = new Set(
  'gcc clang g++ cc ld ar dotnet msbuild java javac tsc rustc pytest strings nm objdump readelf size'.split(' '),
);

export function inspect(words: readonly Word[]): Inspection {
  const [program = '', ...all] = words.map(({ value }) => value ?? '');
  const name = programName(program);
  const args = withoutKnown(name, all);
  const wordProblems = wordConcerns(words);
  const always = alwaysAsks(name);
  const check = checkOf(name);
  const options = dangerousOptions(name);
  const finding = check?.(all, name) ?? {};
  const clusteredOptions = args.filter((word) => !isHarmlessWord(name, word));
  const dangers = Object.entries(options ?? {}).flatMap(([rule, list]) => {
    const option = findOption(clusteredOptions, list, hasExactOptions(name));
    return option === undefined ? [] : [concern(rule as CommandConcern, `${name} ${option}`)];
  });
  const isRunner = Object.hasOwn(interpreters, name);
  // Git and read-only programs have their own tables of risky options. For wrappers, the arguments include options of the wrapped program.
  const isJudged = isReading(name) || name === 'git' || finding.inner !== undefined;
  // For programs without a table, the name of an unlisted option indicates whether it loads code.
  const unknownOptions = isJudged || name === 'tsc' ? [] : args.filter((word) => isRunner || !isHarmless(name, word));
  const bringing = bringsCode(args, unknownOptions);
  const concerns = [
    ...wordProblems,
    ...globConcerns(words, isReading(name) && !options && !check),
    ...(always ? [concern(always, name)] : []),
    ...dangers,
    ...(finding.concerns ?? []),
    ...(bringing === undefined ? [] : [concern('runs-other', `${name} ${bringing}`)]),
  ];
  const argv = finding.argv && wordProblems.length === 0 ? [program, ...finding.argv.slice(1)] : words.map(({ value }) => value);
  // A program given by path could be any file, regardless of its name.
  const isAtPath = /[\\/]/.test(program);
  const isOwn = isAtPath && !isListed(name);
  const needsAll = !isJudged && !isRunner && !isOwn && unlistedOptions(name, args).length > 0;
  return {
    concerns,
    argv,
    floor: needsAll ? argv.length : (finding.floor ?? 1),
    reads: concerns.length === 0 && !isAtPath && (finding.reads ?? isReading(name)),
    inner: finding.inner ?? (always === 'runs-other' ? guessInner(all) : undefined),
    script: finding.script ?? (name === 'eval' ? all.join(' ') : undefined),
  };
}

/** Options that normally load code, with the values that only select a built-in feature of the program. */
const KNOWN_VALUES: readonly [programs: RegExp, options: RegExp, values: RegExp][] = [
  [
    /^(?:vitest|mocha|jest|npm|pnpm|yarn|bun)$/,
    /^(?:--reporters?|-R)$/,
    /^(?:default|verbose|dot|json|junit|tap|tap-flat|basic|hanging-process|github-actions|list|spec|min|summary|silent|tree)$/,
  ],
  [/^mocha$/, /^(?:-u|--ui)$/, /^(?:bdd|tdd|qunit|exports)$/],
  [/^jest$/, /^--coverageReporters$/, /^(?:text|text-summary|json|json-summary|lcov|lcovonly|html|clover|cobertura|none)$/],
  [/^vitest$/, /^--pool$/, /^(?:forks|threads|vmForks|vmThreads)$/],
  [/^vitest$/, /^--coverage\.(?:provider|reporter)$/, /^(?:v8|istanbul|text|text-summary|json|json-summary|lcov|html)$/],
  [/^eslint$/, /^(?:-f|--format)$/, /^(?:stylish|json|html|unix|compact)$/],
  [/^pytest$/, /^-p$/, /^no:\w+$/],
  [/^pytest$/, /^-W$/, /^(?:error|ignore|default|always|once|module)(?:::\w*Warning)?$/],
  [/^pytest$/, /^--cov-report$/, /^(?:term|term-missing|term-missing:skip-covered|html|xml|json|lcov)$/],
  [/^(?:rspec|rubocop)$/, /^(?:-f|--format)$/, /^(?:d|doc|documentation|p|progress|j|json|s|simple|o|offenses|f|failures)$/],
  [/^(?:dart|flutter)$/, /^(?:-r|--reporter)$/, /^(?:compact|expanded|json|github|silent|failures-only)$/],
  [/^mvn$/, /^-Dtest$/, /^[\w.$#*+,!?]+$/],
  [/^deno$/, /^--reporter$/, /^(?:dot|pretty|tap)$/],
];

/** Removes options whose values are known to be harmless. */
function withoutKnown(name: string, args: readonly string[]): string[] {
  const rows = KNOWN_VALUES.filter(([programs]) => programs.test(name));
  const isKnown = (option: string, value: string) => rows.some(([, options, values]) => options.test(option) && values.test(value));
  return args.filter((word, at) => {
    const [option = '', value = args[at + 1] ?? ''] = word.split('=');
    return !isKnown(option, value) && !isKnown(args[at - 1] ?? '', word);
  });
}

/** Finds the wrapped program in `sudo -u me …` or `xargs -n 1 …`: the first word that looks like a program name. */
function guessInner(args: readonly string[]): Finding['inner'] {
  const at = args.findIndex((word) => /^[A-Za-z_./][\w./+-]*$/.test(word));
  return at < 0 ? undefined : { at: at + 1, isCovered: false };
}

function wordConcerns(words: readonly Word[]): Concern[] {
  const [program, ...args] = words as [Word, ...Word[]];
  const concerns: Concern[] = [];
  if (program.value === undefined || program.glob || program.value === '') concerns.push(concern('dynamic', program.source));
  else if (!/^[\w.+@:[\\/~-]+$/.test(program.value))
    concerns.push(concern('unreadable', `\`${program.source}\` is an unusual program name`));
  if (program.value !== undefined && RESERVED.has(program.value) && program.value !== '[[') {
    concerns.push(concern('unreadable', `\`${program.value}\` is at an unexpected position`));
  }
  const dynamic = args.find(({ value }) => value === undefined);
  if (dynamic) concerns.push(concern('dynamic', dynamic.source));
  const device = args.find(({ value }) => DEVICE.test(value ?? '') && !/\/dev\/null$/.test(value ?? ''));
  if (device) concerns.push(concern('devices', device.source));
  // Compilers and similar programs read further arguments from `@file`, which may contain any option.
  const more = args.find(({ value }) => value?.startsWith('@') && TAKES_ARGUMENT_FILES.has(programName(program.value ?? '')));
  if (more) concerns.push(concern('runs-other', `${program.source} ${more.source}`));
  const remote = /^[a-z]+-[a-z]+$/i.test(program.value ?? '') && args.find(({ value }) => /^-(?:cn|comp|cred)/i.test(value ?? ''));
  if (remote) concerns.push(concern('sends', `${program.source} ${remote.source}`));
  // `du` and `wc` read file names from a list. They print entries that are not file names, which reveals the content of the list.
  const list = args.find(({ value }) => /^--f/.test(value ?? '') && /^(?:du|wc)$/.test(programName(program.value ?? '')));
  if (list) concerns.push(concern('dynamic', list.source));
  const hidden = words.find(({ value }) => value !== undefined && hiddenCharacter(value) !== undefined);
  if (hidden) concerns.push(concern('unreadable', `\`${hidden.source}\` contains a control character`));
  return concerns;
}

/**
 * Reports a glob at the beginning of a word: it may expand to a file name such as `--pre=x`, which the program reads as an option. Programs
 * without harmful options are exempt.
 */
function globConcerns(words: readonly Word[], isHarmless: boolean): Concern[] {
  const risky = words.find(({ glob, value }) => glob && /^(?:-|[^*?[]*$|[*?[])/.test(value ?? '') && !isHarmless);
  return risky ? [concern('dynamic', risky.source)] : [];
}

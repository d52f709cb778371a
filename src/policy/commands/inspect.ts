/** One simple command, by its words alone: what about it asks, how long a prefix must be to cover it, and what it runs. */

import type { CommandConcern } from '../../core/session/rule-ids.ts';
import { hiddenCharacter } from '../../core/words/visible-text.ts';
import { concern } from './concerns.ts';
import type { Finding } from './findings.ts';
import { checkOf } from './programs/checks.ts';
import { isHarmless, isHarmlessWord, isListed, unlistedOptions } from './programs/harmless.ts';
import { interpreters } from './programs/interpreters.ts';
import { bringsCode, findOption } from './programs/options.ts';
import { alwaysAsks, dangerousOptions, hasExactOptions, isReading, programName } from './programs/programs.ts';
import type { Concern, Word } from './types.ts';

export type Inspection = {
  concerns: Concern[];
  /** The values of the words as prefixes see them; undefined where one is not known. */
  argv: readonly (string | undefined)[];
  floor: number;
  reads: boolean;
  inner: Finding['inner'] | undefined;
  script: string | undefined;
};

/** Words that begin something else than a simple command: where one is taken for a program, grammar and shell do not agree. */
const RESERVED = new Set('if then else elif fi for while until do done case esac in select function { } ! coproc [[ ]] (( ))'.split(' '));

/** Also the drives of PowerShell on which no files are. */
const DEVICE = /(?:^|=)(?:\/+(?:proc|dev|sys)\/|(?:env|hk\w\w|registry|cert|function|alias|variable|wsman|temp):)/i;

const TAKES_ARGUMENT_FILES = new Set(
  'gcc clang g++ cc ld ar dotnet msbuild java javac tsc rustc pytest strings nm objdump readelf size'.split(' '),
);

export function inspect(words: readonly Word[]): Inspection {
  const [program = '', ...all] = words.map(({ value }) => value ?? '');
  const name = programName(program);
  const args = withoutKnown(name, all);
  const unknown = wordConcerns(words);
  const always = alwaysAsks(name);
  const check = checkOf(name);
  const options = dangerousOptions(name);
  const found = check?.(all, name) ?? {};
  const doubtful = args.filter((word) => !isHarmlessWord(name, word));
  const dangers = Object.entries(options ?? {}).flatMap(([rule, list]) => {
    const option = findOption(doubtful, list, hasExactOptions(name));
    return option === undefined ? [] : [concern(rule as CommandConcern, `${name} ${option}`)];
  });
  const isRunner = Object.hasOwn(interpreters, name);
  // Git and programs that only read have tables of what asks; in front of another program stand its options too.
  const isJudged = isReading(name) || name === 'git' || found.inner !== undefined;
  // What a program's table does not say, the names of its options do.
  const unknownOptions = isJudged || name === 'tsc' ? [] : args.filter((word) => isRunner || !isHarmless(name, word));
  const bringing = bringsCode(args, unknownOptions);
  const concerns = [
    ...unknown,
    ...globConcerns(words, isReading(name) && !options && !check),
    ...(always ? [concern(always, name)] : []),
    ...dangers,
    ...(found.concerns ?? []),
    ...(bringing === undefined ? [] : [concern('runs-other', `${name} ${bringing}`)]),
  ];
  const argv = found.argv && unknown.length === 0 ? [program, ...found.argv.slice(1)] : words.map(({ value }) => value);
  // A program at a path is whatever lies there.
  const isAtPath = /[\\/]/.test(program);
  const isOwn = isAtPath && !isListed(name);
  const needsAll = !isJudged && !isRunner && !isOwn && unlistedOptions(name, args).length > 0;
  return {
    concerns,
    argv,
    floor: needsAll ? argv.length : (found.floor ?? 1),
    reads: concerns.length === 0 && !isAtPath && (found.reads ?? isReading(name)),
    inner: found.inner ?? (always === 'runs-other' ? guessInner(all) : undefined),
    script: found.script ?? (name === 'eval' ? all.join(' ') : undefined),
  };
}

/** Options that load what their value names, with the values that the program brings along itself. */
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

/** Without options whose values are known to be harmless. */
function withoutKnown(name: string, args: readonly string[]): string[] {
  const rows = KNOWN_VALUES.filter(([programs]) => programs.test(name));
  const isKnown = (option: string, value: string) => rows.some(([, options, values]) => options.test(option) && values.test(value));
  return args.filter((word, at) => {
    const [option = '', value = args[at + 1] ?? ''] = word.split('=');
    return !isKnown(option, value) && !isKnown(args[at - 1] ?? '', word);
  });
}

/** Behind `sudo -u me`, `xargs -n 1`: the first word that looks like a program. */
function guessInner(args: readonly string[]): Finding['inner'] {
  const at = args.findIndex((word) => /^[A-Za-z_./][\w./+-]*$/.test(word));
  return at < 0 ? undefined : { at: at + 1, isCovered: false };
}

function wordConcerns(words: readonly Word[]): Concern[] {
  const [program, ...args] = words as [Word, ...Word[]];
  const concerns: Concern[] = [];
  if (program.value === undefined || program.glob || program.value === '') concerns.push(concern('dynamic', program.source));
  else if (!/^[\w.+@:[\\/~-]+$/.test(program.value))
    concerns.push(concern('unreadable', `${program.source} is an unusual name for a program`));
  if (program.value !== undefined && RESERVED.has(program.value) && program.value !== '[[') {
    concerns.push(concern('unreadable', `${program.value} does not stand where the shell expects it`));
  }
  const dynamic = args.find(({ value }) => value === undefined);
  if (dynamic) concerns.push(concern('dynamic', dynamic.source));
  const device = args.find(({ value }) => DEVICE.test(value ?? '') && !/\/dev\/null$/.test(value ?? ''));
  if (device) concerns.push(concern('devices', device.source));
  // Files of arguments can hold any option.
  const more = args.find(({ value }) => value?.startsWith('@') && TAKES_ARGUMENT_FILES.has(programName(program.value ?? '')));
  if (more) concerns.push(concern('runs-other', `${program.source} ${more.source}`));
  const remote = /^[a-z]+-[a-z]+$/i.test(program.value ?? '') && args.find(({ value }) => /^-(?:cn|comp|cred)/i.test(value ?? ''));
  if (remote) concerns.push(concern('sends', `${program.source} ${remote.source}`));
  // A list of names is read, and what is no name is told.
  const list = args.find(({ value }) => /^--f/.test(value ?? '') && /^(?:du|wc)$/.test(programName(program.value ?? '')));
  if (list) concerns.push(concern('dynamic', list.source));
  const hidden = words.find(({ value }) => value !== undefined && hiddenCharacter(value) !== undefined);
  if (hidden) concerns.push(concern('unreadable', `${hidden.source} holds a control character`));
  return concerns;
}

/** A file can be named `--pre=x`: a glob that begins a word can become an option, except where no option does harm. */
function globConcerns(words: readonly Word[], isHarmless: boolean): Concern[] {
  const risky = words.find(({ glob, value }) => glob && /^(?:-|[^*?[]*$|[*?[])/.test(value ?? '') && !isHarmless);
  return risky ? [concern('dynamic', risky.source)] : [];
}

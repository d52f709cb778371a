/** Checks programs whose arguments form a small language. Arguments that are not known to be harmless need approval. */
import { asks, type Check, wordSet } from '../program-check.ts';
import { checkGit } from './git.ts';
import { interpreters } from './interpreters.ts';
import { otherOption } from './options.ts';
import { subcommands } from './subcommands.ts';
import { wrappers } from './wrappers.ts';

const FIND =
  wordSet(`-name -iname -path -ipath -wholename -iwholename -type -xtype -maxdepth -mindepth -size -mtime -mmin -ctime -cmin -atime -amin
  -newer -anewer -cnewer -empty -not -o -or -a -and -print -print0 -prune -perm -user -group -uid -gid -nouser -nogroup -regex -iregex
  -regextype -H -L -P -E -s -xdev -mount -x -depth -d -ls -printf -links -readable -writable -executable -true -false -samefile -lname
  -ilname -inum -quit -daystart -follow -noleaf -fstype`);

const find: Check = (args) => {
  const other = args.find((word) => /^-./.test(word) && !FIND.has(word) && !/^-\d+$/.test(word));
  if (other === undefined) return { reads: true };
  const at = args.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  const inner = at >= 0 && at + 2 < args.length + 1 ? { inner: { at: at + 2, isCovered: false } } : {};
  if (other === '-delete') return asks('deletes', 'find -delete');
  return { ...asks(/^-f(?:print|ls)/.test(other) ? 'writes' : 'runs-other', `find ${other}`), ...inner };
};

/** Patterns for the sed command `s`, one for each usual delimiter. The flags `e` and `w`, which execute and write, do not match. */
const SUBSTITUTION = ['/', '\\|', '#', ',', '@', ':', '!', '_', '%', '~'].map(
  (sign) => `s${sign}(?:\\[\\^?\\]?[^\\]\\n]*\\]|\\\\.|(?!${sign})[^\\\\\\n[])*${sign}(?:\\\\.|(?!${sign})[^\\\\\\n])*${sign}[gpiI0-9]*`,
);
const ADDRESS = '(?:\\d+|\\$|/(?:\\\\.|[^/\\\\\\n[\\]])*/I?)';
const SED_COMMAND = `(?:${ADDRESS}(?:,[+~]?${ADDRESS})?)? ?!?(?:[pdqlDPNnhHgGx=]|${SUBSTITUTION.join('|')})`;
const SED_SCRIPT = new RegExp(`^ ?${SED_COMMAND}(?: ?[;\\n] ?${SED_COMMAND})* ?;?$`);
/** The maximum length of a sed script in characters. A longer script needs approval. */
const MAX_SCRIPT = 300;
/** Matches a delimiter inside brackets. Some sed versions end the pattern there; others treat it as a literal character. */
const AMBIGUOUS_SET = /\[[^\]]*[/|#,@:!_%~;][^\]]*\]/;

const sed: Check = (args) => {
  const isOther = otherOption(
    args,
    '-n -E -r -s -u -z -e --quiet --silent --regexp-extended --expression --null-data --unbuffered --debug --posix',
  );
  if (isOther !== undefined) return asks(/^-[^-]*i|^--i/.test(isOther) ? 'writes' : 'inline-code', `sed ${isOther}`);
  const scripts = sedScripts(args);
  const unsafeScript = scripts.find(
    (script) => script.length > MAX_SCRIPT || !SED_SCRIPT.test(script) || (/^[^[]*\[/.test(script) && AMBIGUOUS_SET.test(script)),
  );
  if (scripts.length === 0 || unsafeScript !== undefined) return asks('inline-code', `sed ${unsafeScript ?? ''}`.trim());
  return { reads: true };
};

function sedScripts(args: readonly string[]): string[] {
  const optionScripts = args.flatMap((word, at) => {
    if (word.startsWith('--expression=')) return [word.slice('--expression='.length)];
    return word === '--expression' || /^-[nErsuz]*e$/.test(word) ? [args[at + 1] ?? '?'] : [];
  });
  const first = args.find((word) => !word.startsWith('-') || word === '-');
  return optionScripts.length > 0 ? optionScripts : first === undefined ? [] : [first];
}

/** Matches awk features that write, run programs or load code. */
const AWK_DANGER = /[|>@`]|\/inet|\b(?:system|getline|close|fflush|ENVIRON|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB|nextfile|extension)\b/;

/**
 * Removes comparisons: `>=`, and `>` outside braces, where nothing can be printed to a file. If braces are unbalanced or may be part of a
 * string, pattern or comment, only `>=` is removed.
 */
function withoutComparisons(program: string): string {
  const text = program.replaceAll('>=', '');
  const patterns = text.replace(/\{[^{}]*\}/g, '');
  const actions = text.match(/\{[^{}]*\}/g)?.join('') ?? '';
  return /[{}"/\\#]/.test(patterns) ? text : patterns.replaceAll('>', '') + actions;
}

const awk: Check = (args) => {
  let at = 0;
  while (at < args.length) {
    const word = args[at] as string;
    if (word === '-F' || word === '-v') at += 2;
    else if (/^-F./.test(word) || /^-v[A-Za-z_]/.test(word)) at += 1;
    else break;
  }
  const program = args[at];
  if (program === undefined || (program.startsWith('-') && program !== '--')) return asks('inline-code', `awk ${program ?? ''}`.trim());
  const dangerousWord = args.find((word, index) => AWK_DANGER.test(index === at ? withoutComparisons(word) : word));
  if (dangerousWord !== undefined) return asks('inline-code', 'awk');
  // Options after the program could still change what it does.
  return args.slice(at + 1).some((word) => /^-./.test(word)) ? asks('inline-code', 'awk') : { reads: true };
};

const tar: Check = (args) => {
  const [mode = '', ...rest] = args;
  const isList = mode === '--list' || /^-?[vzjJf]*t[vzjJf]*$/.test(mode);
  if (!isList) return asks('writes', `tar ${mode}`.trim());
  const other = otherOption(rest, '-v -f -z -j -J --file --verbose --gzip --list --no-recursion');
  if (other !== undefined) return asks('runs-other', `tar ${other}`);
  return args.some((word) => word.includes(':')) ? asks('runs-other', `tar ${args.find((word) => word.includes(':'))}`) : { reads: true };
};

const unzip: Check = (args) =>
  /^-[lvtZ]+$/.test(args[0] ?? '') && !args.slice(1).some((word) => word.startsWith('-')) ? { reads: true } : asks('writes', 'unzip');

/**
 * Returns a check for programs that write to their second operand. Any word after the first operand counts as the second, including `-`.
 * @param valued matches options whose value is the next word.
 */
const secondOperandWrites =
  (valued: RegExp): Check =>
  (args, program) => {
    const isValue = (word: string, at: number) => valued.test(args[at - 1] ?? '') && /^[\d+-]\w*$/.test(word);
    const first = args.findIndex((word, at) => (!word.startsWith('-') || word === '-' || args[at - 1] === '--') && !isValue(word, at));
    return first >= 0 && first < args.length - 1 ? asks('writes', program) : {};
  };

const hexDump = secondOperandWrites(/^-(?:[cglos]|cols|groupsize|len|offset|seek)$/);
const xxd: Check = (args) => (args.some((word) => /^-{1,2}r/.test(word)) ? asks('writes', 'xxd -r') : hexDump(args, 'xxd'));

/** On macOS, `arch` runs its arguments as a command. */
const arch: Check = (args) => (args.length > 0 ? asks('runs-other', 'arch') : { reads: true });

/** `tsc -p` and `tsc -b` use the configuration of another folder and write to the output path set there. */
const tsc: Check = (args) => {
  const project = args.find((word) => /^--?(?:p|project)$/i.test(word));
  if (project !== undefined && !args.some((word) => /^--?noEmit$/i.test(word))) return asks('other-folder', `tsc ${project}`);
  const build = args.findIndex((word) => /^--?(?:b|build)$/i.test(word));
  return build >= 0 && args.some((word) => !word.startsWith('-')) ? asks('other-folder', 'tsc --build') : {};
};

const test: Check = (args, program) =>
  args.some((word) => /[[$`]/.test(word)) || /^(?:-v|-R)$/.test(args[0] ?? '') ? asks('inline-code', program) : {};

const hostname: Check = (args) =>
  args.some((word) => !word.startsWith('-') || /^-(?:-b|-F|F|b|-file|-boot)/.test(word)) ? asks('system', 'hostname') : {};

/** Allows only folders below the current folder, because others may be outside the workspace. */
const cd: Check = (args) =>
  args.length === 1 && !/^[/~+-]|^$|(?:^|[\\/])\.\.(?:[\\/]|$)|[:*?[]|(?:^|[\\/])node_modules(?:[\\/]|$)/.test(args[0] as string)
    ? {}
    : asks('other-folder', `cd ${args.join(' ')}`.trim());

const date: Check = (args) => {
  const isSetting = args.some(
    (word, at) => !word.startsWith('+') && !word.startsWith('-') && !/^-(?:[dr]|-date|-reference)$/.test(args[at - 1] ?? ''),
  );
  return isSetting ? asks('system', 'date') : {};
};

/** Checks build programs such as make. Each operand is a target that runs commands, so a prefix must name all targets. */
const targets: Check = (args, program) => {
  const isPlain = (word: string) =>
    /^-j\d*$|^-[skBqn]$|^-ntp$|^--(?:silent|quiet|no-print-directory|no-daemon|info|batch-mode)$/.test(word);
  const isLoud = (word: string) => /^(?:V|VERBOSE|CI)=\w*$/.test(word);
  if (args.some((word) => /^[^-].*[=:]/.test(word) && !isLoud(word)))
    return asks('runs-other', `${program} ${args.find((word) => /^[^-].*[=:]/.test(word) && !isLoud(word))}`);
  const rest = args.filter((word) => !isPlain(word));
  const isTarget = (word: string, at: number) => !/^(?:-|\d+$)/.test(word) && !isLoud(word) && rest[at - 1] !== '--tests';
  return { argv: [program, ...rest], floor: rest.findLastIndex(isTarget) + 2 };
};

/** jq can read the environment, which may contain keys, and can load libraries, which are code. */
const jq: Check = (args, program) =>
  args.some((word) => /\benv\b|\$ENV|\b(?:strenv|envsubst|system|load\w*|import|include|modulemeta)\b/.test(word))
    ? asks('inline-code', program)
    : {};
/** Letters without a dash are BSD options; with `e`, ps prints the environment of each process. */
const ps: Check = (args) => (args.some((word) => /^[aAcCefFgGhHjlLmnrSTuvVwxX]*e|^-E/.test(word)) ? asks('devices', 'ps e') : {});
const noArguments: Check = (args, program) => (args.length > 0 ? asks('system', program) : {});

const CHECKS: Record<string, Check> = {
  ...interpreters,
  ...subcommands,
  ...wrappers,
  git: checkGit,
  find,
  sed,
  awk,
  tar,
  unzip,
  uniq: secondOperandWrites(/^-[fsw]$/),
  xxd,
  arch,
  tsc,
  test,
  '[': test,
  '[[': test,
  hostname,
  date,
  make: targets,
  ninja: targets,
  mvn: targets,
  gradle: targets,
  gradlew: targets,
  rake: targets,
  task: targets,
  just: targets,
  jq,
  yq: jq,
  cd,
  ps,
  java: () => ({ floor: 2 }),
  uptime: noArguments,
  dmesg: noArguments,
};

export const checkOf = (name: string): Check | undefined => (Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined);

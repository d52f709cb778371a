/**
 * Programs that run code. Code from the command line or a pipe needs approval; a script file can be allowed, but only by its name.
 */
import { asks, type Check, wordSet } from '../program-check.ts';
import { countLeadingOptions, otherOption } from './options.ts';

/** Options before the script file that do not run anything. */
const SHELL = '-e -u -x -v -n';
const HARMLESS: Record<string, string> = {
  bash: SHELL,
  sh: SHELL,
  zsh: SHELL,
  dash: SHELL,
  ash: SHELL,
  ksh: SHELL,
  mksh: SHELL,
  fish: '',
  csh: '',
  tcsh: '',
  nu: '',
  xonsh: '',
  elvish: '',
  powershell: '',
  python: '-m -u -B -O -I -s -E -S -q -V --version -h --help',
  pypy: '-m -u -B -O -I -s -E -S -q -V --version',
  node: `--test --check --watch --version -v --help -h --enable-source-maps --no-warnings --experimental-strip-types --trace-warnings
    --max-old-space-size --stack-trace-limit --test-only --expose-gc --test-name-pattern --test-concurrency --experimental-test-coverage`,
  perl: '-w -c -v --version',
  ruby: '-w -c -v --version',
  php: '-v --version -l',
  lua: '-v',
  luajit: '-v',
  elixir: '',
  guile: '',
  racket: '',
  raku: '',
  ocaml: '',
  kotlin: '',
};
/** With one of these options, the script file is optional. */
const NEEDS_NO_FILE = wordSet('--version -V --help -h --test');

export const interpreters: Record<string, Check> = Object.fromEntries(
  Object.entries(HARMLESS).map(([name, harmless]): [string, Check] => [name, (args) => checkInterpreter(name, harmless, args)]),
);

/** Programs for which `-v` alone prints the version. For others it means verbose output. */
const TELL = /^(?:node|ruby|perl|php|lua|luajit)$/;
/** Node runs files with such names as tests even without `--test`. */
const IS_TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[cm]?[jt]sx?$/;

function checkInterpreter(name: string, harmless: string, args: readonly string[]): ReturnType<Check> {
  if (args.length === 1 && (args[0] === '--version' || (args[0] === '-v' && TELL.test(name)) || (args[0] === '-V' && name === 'python')))
    return { reads: true };
  const count = countLeadingOptions(args);
  const options = args.slice(0, count);
  const file = args[count];
  const other = otherOption(options, harmless);
  if (other !== undefined) {
    const at = args.findIndex((word) => /^-[^-]*c$/i.test(word) || /^-{1,2}c(?:ommand)?$/i.test(word));
    const script = harmless === SHELL && at >= 0 ? args.slice(at + 1).find((word) => !/^[-+]/.test(word)) : undefined;
    return { ...asks('inline-code', `${name} ${other}`), reads: false, ...(script === undefined ? {} : { script }) };
  }
  const isModule = name.startsWith('py') && options.some((word) => /m$/.test(word));
  if (file === undefined) return options.some((word) => NEEDS_NO_FILE.has(word)) ? { floor: 2 } : asks('inline-code', name);
  if (/^[-+]|^\/dev\/|^\/proc\/|:\/\//.test(file)) return asks('inline-code', `${name} ${file}`);
  if (isModule && file === 'json.tool' && args.slice(count + 1).filter((word) => !word.startsWith('-')).length > 1)
    return asks('writes', 'json.tool');
  const isTests = name === 'node' && options.includes('--test') && args.slice(count).every((word) => IS_TEST.test(word));
  if (isTests) return { floor: options.indexOf('--test') + 2 };
  return { floor: count + 2, ...(isModule ? { inner: { at: count + 1, isCovered: true } } : {}) };
}

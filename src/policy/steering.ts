/** Determines from a command's text what it runs: files, package scripts, and programs of an ecosystem. */
import { wordSet } from './commands/program-check.ts';
import { interpreters } from './commands/programs/interpreters.ts';
import { isReading, programName } from './commands/programs/program-tables.ts';
import { ANY, ecosystemOf, ecosystemsSteered } from './ecosystems.ts';
import { runsNoCode } from './projects.ts';

/** Returns true if a file with this name controls what some command does. `path` has the same form as in `isProtected`. */
export const isSteering = (path: string): boolean => ecosystemsSteered(path).length > 0;

/** Returns true if a file with this name controls what commands of the given ecosystems do. */
export const steersOne = (path: string, ecosystems: ReadonlySet<string>): boolean =>
  ecosystemsSteered(path).some((each) => each === ANY || ecosystems.has(ANY) || ecosystems.has(each));

/** A command that is allowed to run without asking, by a rule, a grant or a check of the confirmed plan, and the folders it may run in. */
export type Standing = { text: string; folders: readonly string[] };

/** Returns true if the command may run workspace code, so that files can control what it does. A command that only reads does not. */
export function runsCode({ text }: Standing): boolean {
  return segments(text).some(([program = '']) => !isReading(programName(program)) && !runsNoCode(program));
}

const RUNS_HOOKS = /^(?:|commit|merge|push|pull|checkout|switch|rebase|revert|cherry-pick|am)$/;

/** Returns true if Git runs hooks for the command. */
export const runsHooks = (text: string): boolean =>
  launchedCommands(text).some(
    ([program = '', ...args]) => programName(program) === 'git' && RUNS_HOOKS.test(behindOptions('git', args)[0] ?? ''),
  );

const KEYWORDS = wordSet('if then else elif do while until ! { exec time');
/** Shell keywords and programs that run no workspace code. Git LFS and husky add some of these commands to every hook. */
const OF_SHELL = wordSet(`fi done esac case for in exit return set local export shift test [ [[ } echo printf true false unset trap cd read
  hash type which dirname git git-lfs -v`);

/** Returns the commands of a hook that may run workspace code, one per line; empty if there are none. */
export function commandsOfHook(script: string): string {
  const commands = segments(script.replace(/^\s*#.*$/gm, '')).map((words) => words.slice(words.findIndex((word) => !KEYWORDS.has(word))));
  const own = commands.filter(
    ([program = '', first = '']) =>
      /^[\w./-]*[A-Za-z.][\w./-]*$/.test(program) &&
      !OF_SHELL.has(program) &&
      !KEYWORDS.has(program) &&
      !(/^(?:\.|source)$/.test(program) && /(?:husky\.sh|\/h)$/.test(first)),
  );
  return own.map((words) => words.map(quoted).join(' ')).join('\n');
}

/** Quotes a word for use in the text of a command. */
export function quoted(word: string): string {
  return /[\s;|&()"'\\]/.test(word) ? `"${word}"` : word;
}

/** Files with such names run as tests. Changing tests is an expected part of a run, so it does not need approval each time. */
export const isTest = (path: string): boolean => IS_TEST.test(path);
const IS_TEST = /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$/;
const RUNNERS = /^(?:tsx|ts-node|jiti|esno|babel-node|vite-node|bun|deno|go|source|\.|rscript|julia|ipython)$/i;
const RUNS_TESTS = /^(?:jest|mocha|vitest|ava|tap|jasmine|playwright|pytest|rspec|phpunit)$/;
/** Options whose value is a file that is loaded before the script. */
const LOADING = /^(?:-r|--require|--import|--loader|--experimental-loader|--config)$/;
/** File name extensions and entry points that runtimes try if a name has no extension or is a directory. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts'];
const ENTRIES = ['index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py', 'main.go'];

/** Matches `./x`, and `x.py` in `uv run x.py`. */
const IS_FILE = /^(?!\/).*(?:\/|\.(?:py|rb|sh|ps1|[cm]?[jt]s)$)/;

/**
 * Returns the workspace files that a command executes, judging by its text: `scripts/x.sh` for `bash scripts/x.sh`. With `withTests`, the tests
 * that it names are included.
 */
export function filesRunBy({ text, folders }: Standing, withTests = false): string[] {
  const candidateFiles = launchedCommands(text).flatMap(([program = '', ...args]) => {
    const [loaded, operands] = loadedAndOperands(args);
    const own = IS_FILE.test(program) ? ['', '.ps1', '.cmd', '.bat'].map((ending) => program + ending) : [];
    const hasVerb = RUNNERS.test(program) && operands[0] === 'run';
    const runsTests = withTests && (RUNS_TESTS.test(programName(program)) || NPM.test(programName(program)));
    const isRunner = Object.hasOwn(interpreters, programName(program)) || RUNNERS.test(program);
    const first = isRunner ? operands[hasVerb ? 1 : 0] : undefined;
    if (runsTests || (withTests && isRunner)) own.push(...operands.filter(isTest));
    // A module in the working directory takes precedence over an installed module of the same name.
    const module = first?.replaceAll('.', '/');
    if (module !== undefined && args.includes('-m')) return [...own, `${module}.py`, `${module}/__main__.py`, `${module}/__init__.py`];
    return [...own, ...[...loaded, ...(first === undefined ? [] : [first])].flatMap(candidatePaths)];
  });
  const files = candidateFiles.map((file) => file.replace(/^(?:\.\/+)+/, '')).filter((file) => withTests || !isTest(file));
  const places = foldersOf({ text, folders });
  return files.flatMap((file) => places.flatMap((folder) => joined(folder, file) ?? []));
}

const CHANGES_FOLDER = /^(?:cd|chdir|pushd|set-location|sl)$/i;
const NAMES_FOLDER = /^(?:-C|--prefix|--cwd|--dir|--directory|--chdir|--project)$/;
const MAX_FOLDERS = 20;

/**
 * Returns the directories in which parts of a command may run: its folders and those it changes to, such as `tools` in `cd tools &&
 * ./x.sh`.
 */
export function foldersOf({ text, folders }: Standing): string[] {
  const all = new Set(folders);
  for (const [program = '', ...args] of launchedCommands(text)) {
    const options = args.flatMap((word, at) => {
      const [name = '', value] = word.split('=');
      return NAMES_FOLDER.test(name) ? (value ?? args[at + 1] ?? []) : [];
    });
    const targetFolders = CHANGES_FOLDER.test(program) ? args.filter((word) => !word.startsWith('-')) : [];
    for (const name of [...targetFolders, ...options])
      for (const folder of [...all]) {
        const place = joined(folder, name);
        if (place !== undefined) all.add(place);
        if (all.size >= MAX_FOLDERS) return [...all];
      }
  }
  return [...all];
}

/** Joins a folder and a path. Returns undefined if the result is outside the workspace. */
function joined(folder: string, path: string): string | undefined {
  if (/^[/~]|^[A-Za-z]:/.test(path)) return undefined;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '' && part !== '.' && part !== '..') parts.push(part);
  }
  return parts.join('/') || '.';
}

function loadedAndOperands(args: readonly string[]): [loaded: string[], operands: string[]] {
  const loaded: string[] = [];
  const operands: string[] = [];
  args.forEach((word, at) => {
    const [name = '', value] = word.split('=');
    if (LOADING.test(args[at - 1] ?? '')) loaded.push(word);
    else if (value !== undefined && LOADING.test(name)) loaded.push(value);
    else if (!word.startsWith('-')) operands.push(word);
  });
  return [loaded, operands];
}

function candidatePaths(file: string): string[] {
  const place = file.replace(/\/+$/, '');
  const inside = ENTRIES.map((entry) => `${place}/${entry}`);
  return /^\.?$/.test(place) ? inside : [...ENDINGS.map((ending) => place + ending), ...inside];
}

export const runsMake = (text: string): boolean => launchedCommands(text).some(([program = '']) => programName(program) === 'make');

/** Returns the files that a Makefile in this folder includes, and the files its recipes run. */
export function filesRunByMakefile(makefile: string, folder: string, withTests = false): string[] {
  // A variable at the start of a recipe usually names the program to run: `$(PYTHON) tools/x.py`.
  const lines = makefile.replace(/\\\n/g, ' ').split('\n');
  const included = lines.flatMap((line) => /^[-s]?include\s+(.+)/.exec(line)?.[1]?.trim().split(/\s+/) ?? []);
  const recipes = lines.flatMap((line) => /^\t[@+-]*(.*)/.exec(line)?.[1]?.replace(/^\s*\$[({]\w+[)}]/, 'sh') ?? []);
  const files = included.flatMap((file) => joined(folder, file) ?? []);
  return [...files, ...recipes.flatMap((text) => filesRunBy({ text, folders: [folder] }, withTests))];
}

const NPM = /^(?:npm|pnpm|yarn|bun)$/;
const IS_RUN = /^(?:run|run-script|rum|urn)$/;
/** The name for all scripts of package.json. It is used if a command could run any of them. */
export const EVERY = '*';
/** Scripts that npm runs for an abbreviated or built-in command. */
const SCRIPTS: Record<string, string[]> = {
  t: ['test'],
  tst: ['test'],
  i: ['install', 'prepare'],
  ci: ['install', 'prepare'],
  install: ['prepare'],
};
const RUNS_SCRIPTS = /^(?:run-s|run-p|npm-run-all2?)$/;

/** Returns the package.json scripts a command may run, judging by its text: `build` and `start` for `npm run -s build && npm start`. */
export function scriptsRunBy(text: string): string[] {
  return launchedCommands(text).flatMap(([program = '', ...args]) => {
    const name = programName(program);
    const operands = args.filter((word) => !word.startsWith('-'));
    if (RUNS_SCRIPTS.test(name))
      return operands.some((word) => word.includes('*')) ? [EVERY] : operands.flatMap((word) => word.split(/\s+/));
    if (!NPM.test(name)) return [];
    if (IS_RUN.test(operands.at(-1) ?? 'run')) return [EVERY];
    return operands.flatMap((word) => [word, ...(Object.hasOwn(SCRIPTS, word) ? (SCRIPTS[word] ?? []) : [])]);
  });
}

/** npm subcommands that run only package.json scripts and installed programs. */
const NPM_COMMANDS =
  wordSet(`test t tst start stop restart install i ci add remove rm uninstall update up upgrade audit outdated ls list view info why
  pack publish version link unlink rebuild dedupe prune config cache init create import fund doctor ping whoami`);
const OTHER_PACKAGES = /^(?:-w|-ws|-r|-F|--workspaces?|--workspace=.*|--recursive|--filter.*|workspaces?|foreach)$/;

/** Programs that scripts often call and that run no code. Commands that run other scripts are followed separately. */
const NEUTRAL = wordSet('rm cp mv mkdir mkdirp touch sleep rimraf del-cli cpx copyfiles run-s run-p npm-run-all npm-run-all2');

/**
 * Returns the ecosystems whose files control a command, including `ANY` if any file might.
 * @param isScript whether package.json has a script with this name
 */
export function ecosystemsOf(text: string, isScript: (name: string) => boolean): string[] {
  const ofCommand = ([program = '', ...args]: readonly string[]): string[] => {
    const name = programName(program);
    const [first = '', second] = behindOptions(name, args);
    if (isReading(name) || runsNoCode(program) || OF_SHELL.has(program) || NEUTRAL.has(name)) return [];
    // A workspace file can run anything regardless of its name, and so can a wrapper that is allowed without arguments.
    if (/[\\/]/.test(program) && !INSTALLED.test(program)) return [ANY];
    if (Object.hasOwn(WRAPPERS, name) && (first === '' || WRAPPERS[name]?.test(first)) && innerOf([program, ...args]) === undefined)
      return [ANY];
    if (!NPM.test(name)) return [ecosystemOf(name, first)];
    const scriptName = IS_RUN.test(first) ? second : first;
    if (scriptName === undefined || scriptName === '' || args.some((word) => OTHER_PACKAGES.test(word))) return [ANY];
    const isKnown = isScript(scriptName) || NPM_COMMANDS.has(scriptName) || IS_RUN.test(first) || /\.[cm]?[jt]sx?$/.test(scriptName);
    return ['node', ...(isKnown ? [] : [ecosystemOf(scriptName)])];
  };
  const outer = ([program = '']: readonly string[]) => [ecosystemOf(programName(program))].filter((each) => each !== ANY);
  return segments(text).flatMap((words) => {
    const chain = wrapperChain(words);
    return chain.flatMap((each, at) => (at < chain.length - 1 ? outer(each) : ofCommand(each)));
  });
}

/** Locations of installed programs and wrapper scripts, where the name identifies the program. */
const INSTALLED =
  /(?:^|[\\/])(?:gradlew|mvnw)(?:\.\w+)?$|(?:^|[\\/])(?:node_modules[\\/]\.bin|\.?venv[\\/](?:bin|Scripts)|vendor[\\/]bin|usr[\\/](?:local[\\/])?bin)[\\/]/;

const LAUNCHERS = /^(?:\w+=.*|npx|env|cross-env|exec|time|command)$/;
/** Programs that only start another program. With a pattern, they do so only after a matching subcommand. */
const WRAPPERS: Record<string, RegExp | undefined> = {
  ...Object.fromEntries(
    [...wordSet('timeout nice ionice nohup setsid stdbuf sudo chronic unbuffer xvfb-run dotenv corepack npx bunx uvx env cross-env')].map(
      (name) => [name, undefined],
    ),
  ),
  ...Object.fromEntries([...wordSet('uv poetry pdm pipenv hatch rye pipx conda')].map((name) => [name, /^run$/])),
  ...Object.fromEntries([...wordSet('npm pnpm yarn bun bundle mise asdf')].map((name) => [name, /^(?:exec|dlx|x)$/])),
};
/** Options whose value is the next word. */
const VALUE_FOLLOWS =
  /^(?:-[CFpuk]|--(?:prefix|cwd|dir|directory|project|workspace|filter|package|with|python|group|extra|env-file|loglevel|script-shell|kill-after|signal|chdir|unset|user))$/;
const VALUE_FOLLOWS_IN: Record<string, RegExp> = {
  timeout: /^-s$/,
  nice: /^-n$/,
  ionice: /^-[cn]$/,
  stdbuf: /^-[ioe]$/,
  npm: /^-w$/,
  git: /^-c$/,
};

function behindOptions(program: string, args: readonly string[]): readonly string[] {
  const own = Object.hasOwn(VALUE_FOLLOWS_IN, program) ? VALUE_FOLLOWS_IN[program] : undefined;
  let at = 0;
  while (args[at]?.startsWith('-')) {
    const word = args[at] as string;
    at += VALUE_FOLLOWS.test(word) || own?.test(word) ? 2 : 1;
    if (word === '--') break;
  }
  return args.slice(at);
}

/** Returns the command that a wrapper starts: `./x.sh` for `timeout -k 5 60 ./x.sh`. */
function innerOf([program = '', ...args]: readonly string[]): string[] | undefined {
  const name = programName(program);
  // The launcher may already have been removed, so that its options come first: `-u X` from `env -u X`.
  const isOption = /^--?\w/.test(program);
  if (!isOption && !Object.hasOwn(WRAPPERS, name)) return undefined;
  const verb = isOption ? undefined : WRAPPERS[name];
  const operands = isOption ? behindOptions('', [program, ...args]) : behindOptions(name, args);
  if (verb && !verb.test(operands[0] ?? '')) return undefined;
  const rest = verb ? behindOptions(name, operands.slice(1)) : operands;
  const from = rest.findIndex((word) => !/^(?:\w+=.*|\d[\d.]*[smhd]?|--)$/.test(word));
  return from < 0 ? undefined : rest.slice(from);
}

/** The maximum number of nested wrappers. Deeper nesting has no legitimate use and is not analyzed. */
const MAX_WRAPPERS = 10;

/** Returns the command as written, followed by each command that a wrapper in it starts. */
function wrapperChain(words: string[]): string[][] {
  const chain = [words];
  for (let next = innerOf(words); next !== undefined && chain.length < MAX_WRAPPERS; next = innerOf(next)) chain.push(next);
  return chain;
}

/** Returns the words of each simple command, including commands started by wrappers. */
const launchedCommands = (text: string): string[][] => segments(text).flatMap(wrapperChain);

/** Splits text into simple commands. A backslash may be a part of a Windows path or an escape, so both interpretations are returned. */
const segments = (text: string): string[][] => {
  const other = text.replace(/\\(?=[\w.-])/g, '/');
  return other === text ? simpleCommands(text) : [...simpleCommands(text), ...simpleCommands(other)];
};

/** Splits text into simple commands, approximately: without quotes and without leading launchers. */
function simpleCommands(text: string): string[][] {
  const tokens = text.replace(/\\\n/g, ' ').match(/(?:"[^"]*"|'[^']*'|\\.|[^\s;|&()"'\\])+|[;|&\n()]+/g) ?? [];
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if (/^[;|&\n()]/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/"([^"]*)"|'([^']*)'|\\(.)/g, '$1$2$3'));
  }
  return commands.map((words) => words.slice(words.findIndex((word) => !LAUNCHERS.test(word)))).filter((words) => words.length > 0);
}

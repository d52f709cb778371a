/** What a command runs that runs without asking, by its text: files, scripts, programs of an ecosystem. */
import { wordSet } from './commands/findings.ts';
import { interpreters } from './commands/programs/interpreters.ts';
import { isReading, programName } from './commands/programs/programs.ts';
import { ANY, ecosystemOf, ecosystemsSteered } from './ecosystems.ts';
import { runsNoCode } from './projects.ts';

/** Whether commands of the workspace take from this file what they do, by its name. `path` is as for `isProtected`. */
export const isSteering = (path: string): boolean => ecosystemsSteered(path).length > 0;

/** Whether commands of these ecosystems do. */
export const steersOne = (path: string, ecosystems: ReadonlySet<string>): boolean =>
  ecosystemsSteered(path).some((each) => each === ANY || ecosystems.has(ANY) || ecosystems.has(each));

/** A command that runs without asking, in these folders: by a rule, a grant or a check of the confirmed plan. */
export type Standing = { text: string; folders: readonly string[] };

/** Those that run code of the workspace; for what only reads, no file decides anything. */
export function runsCode({ text }: Standing): boolean {
  return segments(text).some(([program = '']) => !isReading(programName(program)) && !runsNoCode(program));
}

const RUNS_HOOKS = /^(?:|commit|merge|push|pull|checkout|switch|rebase|revert|cherry-pick|am)$/;

/** Whether git runs hooks for it. */
export const runsHooks = (text: string): boolean =>
  launched(text).some(([program = '', ...args]) => programName(program) === 'git' && RUNS_HOOKS.test(behindOptions('git', args)[0] ?? ''));

const KEYWORDS = wordSet('if then else elif do while until ! { exec time');
/** They run no code of the workspace; Git LFS and husky put lines of their own into each hook. */
const OF_SHELL = wordSet(`fi done esac case for in exit return set local export shift test [ [[ } echo printf true false unset trap cd read
  hash type which dirname git git-lfs -v`);

/** The commands of a hook that may run code of the workspace, one a line; nothing where there are none. */
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

/** A word as the text of a command has it. */
export function quoted(word: string): string {
  return /[\s;|&()"'\\]/.test(word) ? `"${word}"` : word;
}

/** What is called so runs as a test, and changing tests is what a run is for. */
const IS_TEST = /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$/;
const RUNNERS = /^(?:tsx|ts-node|jiti|esno|babel-node|vite-node|bun|deno|go|source|\.|rscript|julia|ipython)$/i;
/** Options whose value is loaded before the script. */
const LOADING = /^(?:-r|--require|--import|--loader|--experimental-loader|--config)$/;
/** What runtimes try where the name they are given has no ending, or is a directory. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts'];
const ENTRIES = ['index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py', 'main.go'];

/** `./x`, and `x.py` of `uv run x.py`. */
const IS_FILE = /^(?!\/).*(?:\/|\.(?:py|rb|sh|ps1|[cm]?[jt]s)$)/;

/** Files of the workspace that a command runs itself, by its text: `scripts/x.sh` of `bash scripts/x.sh`. */
export function filesRunBy({ text, folders }: Standing): string[] {
  const named = launched(text).flatMap(([program = '', ...args]) => {
    const [loaded, operands] = loadedAndOperands(args);
    const own = IS_FILE.test(program) ? ['', '.ps1', '.cmd', '.bat'].map((ending) => program + ending) : [];
    const hasVerb = RUNNERS.test(program) && operands[0] === 'run';
    const isRunner = Object.hasOwn(interpreters, programName(program)) || RUNNERS.test(program);
    const first = isRunner ? operands[hasVerb ? 1 : 0] : undefined;
    // A module of that name in the folder comes before the one that is installed.
    const module = first?.replaceAll('.', '/');
    if (module !== undefined && args.includes('-m')) return [...own, `${module}.py`, `${module}/__main__.py`, `${module}/__init__.py`];
    return [...own, ...[...loaded, ...(first === undefined ? [] : [first])].flatMap(tried)];
  });
  const files = named.map((file) => file.replace(/^(?:\.\/+)+/, '')).filter((file) => !IS_TEST.test(file));
  const places = foldersOf({ text, folders });
  return files.flatMap((file) => places.flatMap((folder) => joined(folder, file) ?? []));
}

const CHANGES_FOLDER = /^(?:cd|chdir|pushd|set-location|sl)$/i;
const NAMES_FOLDER = /^(?:-C|--prefix|--cwd|--dir|--directory|--chdir|--project)$/;
const MAX_FOLDERS = 20;

/** Where the parts of a command may run: in its folders, and in those that it goes to itself, as `tools` of `cd tools && ./x.sh`. */
export function foldersOf({ text, folders }: Standing): string[] {
  const all = new Set(folders);
  for (const [program = '', ...args] of launched(text)) {
    const options = args.flatMap((word, at) => {
      const [name = '', value] = word.split('=');
      return NAMES_FOLDER.test(name) ? (value ?? args[at + 1] ?? []) : [];
    });
    const gone = CHANGES_FOLDER.test(program) ? args.filter((word) => !word.startsWith('-')) : [];
    for (const name of [...gone, ...options])
      for (const folder of [...all]) {
        const place = joined(folder, name);
        if (place !== undefined) all.add(place);
        if (all.size >= MAX_FOLDERS) return [...all];
      }
  }
  return [...all];
}

/** A path from a folder of the workspace; undefined where it leads out of the workspace. */
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

function tried(file: string): string[] {
  const place = file.replace(/\/+$/, '');
  const inside = ENTRIES.map((entry) => `${place}/${entry}`);
  return /^\.?$/.test(place) ? inside : [...ENDINGS.map((ending) => place + ending), ...inside];
}

export const runsMake = (text: string): boolean => launched(text).some(([program = '']) => programName(program) === 'make');

/** Files that a Makefile in this folder includes, and those that its recipes run. */
export function filesRunByMakefile(makefile: string, folder: string): string[] {
  // A variable at the beginning of a recipe names the program that runs what follows: `$(PYTHON) tools/x.py`.
  const lines = makefile.replace(/\\\n/g, ' ').split('\n');
  const included = lines.flatMap((line) => /^[-s]?include\s+(.+)/.exec(line)?.[1]?.trim().split(/\s+/) ?? []);
  const recipes = lines.flatMap((line) => /^\t[@+-]*(.*)/.exec(line)?.[1]?.replace(/^\s*\$[({]\w+[)}]/, 'sh') ?? []);
  const files = included.flatMap((file) => joined(folder, file) ?? []);
  return [...files, ...recipes.flatMap((text) => filesRunBy({ text, folders: [folder] }))];
}

const NPM = /^(?:npm|pnpm|yarn|bun)$/;
const IS_RUN = /^(?:run|run-script|rum|urn)$/;
/** Every script, where any may be named. */
export const EVERY = '*';
/** Names of scripts that others stand for. */
const SCRIPTS: Record<string, string[]> = {
  t: ['test'],
  tst: ['test'],
  i: ['install', 'prepare'],
  ci: ['install', 'prepare'],
  install: ['prepare'],
};
const RUNS_SCRIPTS = /^(?:run-s|run-p|npm-run-all2?)$/;

/** Scripts of a package.json that a command may run, by its text: `build` and `start` of `npm run -s build && npm start`. */
export function scriptsRunBy(text: string): string[] {
  return launched(text).flatMap(([program = '', ...args]) => {
    const name = programName(program);
    const operands = args.filter((word) => !word.startsWith('-'));
    if (RUNS_SCRIPTS.test(name))
      return operands.some((word) => word.includes('*')) ? [EVERY] : operands.flatMap((word) => word.split(/\s+/));
    if (!NPM.test(name)) return [];
    if (IS_RUN.test(operands.at(-1) ?? 'run')) return [EVERY];
    return operands.flatMap((word) => [word, ...(Object.hasOwn(SCRIPTS, word) ? (SCRIPTS[word] ?? []) : [])]);
  });
}

/** Subcommands of these that run nothing but what the scripts of the package.json say, and the programs that are installed. */
const NPM_COMMANDS =
  wordSet(`test t tst start stop restart install i ci add remove rm uninstall update up upgrade audit outdated ls list view info why
  pack publish version link unlink rebuild dedupe prune config cache init create import fund doctor ping whoami`);
const OTHER_PACKAGES = /^(?:-w|-ws|-r|-F|--workspaces?|--workspace=.*|--recursive|--filter.*|workspaces?|foreach)$/;

/** What scripts do besides running code; those that run scripts say which. */
const NEUTRAL = wordSet('rm cp mv mkdir mkdirp touch sleep rimraf del-cli cpx copyfiles run-s run-p npm-run-all npm-run-all2');

/** The ecosystems whose files decide what a command does; ANY among them where all may. `isScript`: the package.json has a script of this name. */
export function ecosystemsOf(text: string, isScript: (name: string) => boolean): string[] {
  const ofCommand = ([program = '', ...args]: readonly string[]): string[] => {
    const name = programName(program);
    const [first = '', second] = behindOptions(name, args);
    if (isReading(name) || runsNoCode(program) || OF_SHELL.has(program) || NEUTRAL.has(name)) return [];
    // A file of the workspace may run anything, whatever it is called; a wrapper that is allowed alone may, too.
    if (/[\\/]/.test(program) && !INSTALLED.test(program)) return [ANY];
    if (Object.hasOwn(WRAPPERS, name) && (first === '' || WRAPPERS[name]?.test(first)) && innerOf([program, ...args]) === undefined)
      return [ANY];
    if (!NPM.test(name)) return [ecosystemOf(name, first)];
    const called = IS_RUN.test(first) ? second : first;
    if (called === undefined || called === '' || args.some((word) => OTHER_PACKAGES.test(word))) return [ANY];
    const isKnown = isScript(called) || NPM_COMMANDS.has(called) || IS_RUN.test(first) || /\.[cm]?[jt]sx?$/.test(called);
    return ['node', ...(isKnown ? [] : [ecosystemOf(called)])];
  };
  const outer = ([program = '']: readonly string[]) => [ecosystemOf(programName(program))].filter((each) => each !== ANY);
  return segments(text).flatMap((words) => {
    const chain = unwrapped(words);
    return chain.flatMap((each, at) => (at < chain.length - 1 ? outer(each) : ofCommand(each)));
  });
}

/** Programs at these places are the ones that they are called after. */
const INSTALLED =
  /(?:^|[\\/])(?:gradlew|mvnw)(?:\.\w+)?$|(?:^|[\\/])(?:node_modules[\\/]\.bin|\.?venv[\\/](?:bin|Scripts)|vendor[\\/]bin|usr[\\/](?:local[\\/])?bin)[\\/]/;

const LAUNCHERS = /^(?:\w+=.*|npx|env|cross-env|exec|time|command)$/;
/** Programs that only start another one; with a pattern, where such a subcommand stands before it. */
const WRAPPERS: Record<string, RegExp | undefined> = {
  ...Object.fromEntries(
    [...wordSet('timeout nice ionice nohup setsid stdbuf sudo chronic unbuffer xvfb-run dotenv corepack npx bunx uvx env cross-env')].map(
      (name) => [name, undefined],
    ),
  ),
  ...Object.fromEntries([...wordSet('uv poetry pdm pipenv hatch rye pipx conda')].map((name) => [name, /^run$/])),
  ...Object.fromEntries([...wordSet('npm pnpm yarn bun bundle mise asdf')].map((name) => [name, /^(?:exec|dlx|x)$/])),
};
/** The word behind one of these belongs to it. */
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

/** The command that this one only starts: `./x.sh` of `timeout -k 5 60 ./x.sh`. */
function innerOf([program = '', ...args]: readonly string[]): string[] | undefined {
  const name = programName(program);
  // What an option became of which the launcher before it was cut off: `-u X` of `env -u X`.
  const isOption = /^--?\w/.test(program);
  if (!isOption && !Object.hasOwn(WRAPPERS, name)) return undefined;
  const verb = isOption ? undefined : WRAPPERS[name];
  const operands = isOption ? behindOptions('', [program, ...args]) : behindOptions(name, args);
  if (verb && !verb.test(operands[0] ?? '')) return undefined;
  const rest = verb ? behindOptions(name, operands.slice(1)) : operands;
  const from = rest.findIndex((word) => !/^(?:\w+=.*|\d[\d.]*[smhd]?|--)$/.test(word));
  return from < 0 ? undefined : rest.slice(from);
}

/** Wrappers in one another; who writes more means to hide something, and gets no further. */
const MAX_WRAPPERS = 10;

/** The command as it is written, and what it starts in the end. */
function unwrapped(words: string[]): string[][] {
  const chain = [words];
  for (let next = innerOf(words); next !== undefined && chain.length < MAX_WRAPPERS; next = innerOf(next)) chain.push(next);
  return chain;
}

/** The words of each simple command, and of the ones that they start. */
const launched = (text: string): string[][] => segments(text).flatMap(unwrapped);

/** A backslash is a sign of its own in PowerShell and between the names of a path on Windows: both ways to read it count. */
const segments = (text: string): string[][] => {
  const other = text.replace(/\\(?=[\w.-])/g, '/');
  return other === text ? simpleCommands(text) : [...simpleCommands(text), ...simpleCommands(other)];
};

/** The words of each simple command, roughly: without quotes, and without what only starts it. */
function simpleCommands(text: string): string[][] {
  const tokens = text.replace(/\\\n/g, ' ').match(/(?:"[^"]*"|'[^']*'|\\.|[^\s;|&()"'\\])+|[;|&\n()]+/g) ?? [];
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if (/^[;|&\n()]/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/"([^"]*)"|'([^']*)'|\\(.)/g, '$1$2$3'));
  }
  return commands.map((words) => words.slice(words.findIndex((word) => !LAUNCHERS.test(word)))).filter((words) => words.length > 0);
}

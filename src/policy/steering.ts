/** Files that decide what a command does which runs without asking: manifests with scripts, build files, configuration that is code. */
import { wordSet } from './commands/finding.ts';
import { interpreters } from './commands/interpreters.ts';
import { isReading, programName } from './commands/programs.ts';
import { foldedParts } from './names.ts';
import { runsNoCode } from './projects.ts';

const FILES =
  wordSet(`package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock lerna.json nx.json
  project.json workspace.json turbo.json angular.json deno.json deno.jsonc deno.lock import_map.json cypress.json .sequelizerc ember-cli-build.js
  conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml dodo.py setup.cfg setup.py pyproject.toml noxfile.py tasks.py fabfile.py sconstruct sconscript .coveragerc
  mypy.ini .mypy.ini pylintrc .pylintrc .flake8 pipfile pipfile.lock poetry.lock uv.lock hatch.toml hatch_build.py
  cargo.toml build.rs go.mod go.work magefile.go makefile gnumakefile justfile .justfile build.ninja cmakelists.txt cmakepresets.json meson.build
  configure configure.ac taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml
  pom.xml build.xml build.sbt gradle.properties gradlew gradlew.bat mvnw mvnw.cmd build.bazel build workspace workspace.bazel module.bazel .bazelversion
  gemfile gemfile.lock rakefile rakefile.rb guardfile .rspec spec_helper.rb rails_helper.rb .rubocop.yml
  composer.json composer.lock phpunit.xml phpunit.xml.dist phpstan.neon phpstan.neon.dist .php-cs-fixer.php rector.php
  mix.exs mix.lock .formatter.exs test_helper.exs package.swift pubspec.yaml build.yaml dart_test.yaml analysis_options.yaml global.json
  dune dune-project project.clj deps.edn bb.edn shadow-cljs.edn foundry.toml truffle-config.js snakefile jakefile config-overrides.js testem.js
  cucumber.js jasmine.json jest-e2e.json mocha.opts nodemon.json binding.gyp cmakeuserpresets.json meson.options meson_options.txt build.sc pants.toml
  directory.build.rsp msbuild.rsp phpunit.dist.xml psalm.xml cabal.project nextest.toml
  stack.yaml setup.hs build.zig shard.yml .golangci.yml .golangci.yaml .golangci.toml .golangci.json`);

const TOOLS =
  `jest|vitest|vite|mocha|karma|playwright|cypress|eslint|babel|webpack|rollup|tsup|tsdown|esbuild|rspack|rsbuild|rolldown|metro|postcss|tailwind
  |svelte|astro|nuxt|wdio|ava|c8|nyc|jasmine|nightwatch|codecept|stryker|stylelint|prettier|swc|unocss|drizzle|craco|snowpack|protractor|lintstaged`.replace(
    /\s+/g,
    '',
  );
const FAMILIES = [
  // `jest.config.ts`, `webpack.prod.js`, `karma.conf.js`, `vitest.workspace.ts`
  new RegExp(`^(?:${TOOLS})\\.[\\w.-]*\\.(?:[cm]?[jt]s|json5?|ya?ml|toml)$`),
  /^(?:next|vue|tap|release|typedoc|knip|remix|ecosystem|prisma|hardhat|web-test-runner|rslib|unbuild|build)\.config\.(?:[cm]?[jt]s|json5?)$/,
  /^(?:gulpfile|gruntfile|knexfile|jakefile)\.(?:[cm]?[jt]s|babel\.js|coffee)$/,
  // `.eslintrc.cjs`, `.babelrc`, `.mocharc.yml`
  new RegExp(`^\\.(?:${TOOLS}|tap|release|lintstaged|c8|lerna)rc(?:\\..+)?$`),
  /^tsconfig(?:[.-][\w.-]+)?\.json$/,
  /^requirements[\w.-]*\.txt$/,
  /\.(?:mk|mak|cmake|gradle|gradle\.kts|versions\.toml|rake|gemspec|bzl|sbt|cabal|nimble|csproj|fsproj|vbproj|sln|slnx|props|targets|runsettings|ninja)$/,
];
/** Also what is installed: it runs with every command. */
const DIRECTORIES = wordSet('buildsrc build-logic node_modules site-packages .venv venv');

/** Whether commands of the workspace take from this file what they do, by its name. `path` is as for `isProtected`. */
export function isSteering(path: string): boolean {
  const parts = foldedParts(path).filter((part) => part !== '');
  const name = parts.at(-1) ?? '';
  return FILES.has(name) || FAMILIES.some((family) => family.test(name)) || parts.slice(0, -1).some((part) => DIRECTORIES.has(part));
}

/** A command that runs without asking, in these folders: by a rule, a grant or a check of the confirmed plan. */
export type Standing = { text: string; folders: readonly string[] };

/** Those that run code of the workspace; for what only reads, no file decides anything. */
export function runsCode({ text }: Standing): boolean {
  return segments(text).some(([program = '']) => !isReading(programName(program)) && !runsNoCode(program));
}

const RUNS_HOOKS = /^(?:|commit|merge|push|pull|checkout|switch|rebase|revert|cherry-pick|am)$/;

/** Whether git runs hooks for it. */
export const runsHooks = (text: string): boolean =>
  segments(text).some(([program = '', subcommand = '']) => programName(program) === 'git' && RUNS_HOOKS.test(subcommand));

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

/** Files of the workspace that a command runs itself, by its text: `scripts/x.sh` of `bash scripts/x.sh`. */
export function filesRunBy({ text, folders }: Standing): string[] {
  const named = segments(text).flatMap(([program = '', ...args]) => {
    const [loaded, operands] = loadedAndOperands(args);
    const own = /^(?!\/).*\//.test(program) ? [program] : [];
    const hasVerb = RUNNERS.test(program) && operands[0] === 'run';
    const isRunner = Object.hasOwn(interpreters, programName(program)) || RUNNERS.test(program);
    const first = isRunner ? operands[hasVerb ? 1 : 0] : undefined;
    // A module of that name in the folder comes before the one that is installed.
    const module = first?.replaceAll('.', '/');
    if (module !== undefined && args.includes('-m')) return [...own, `${module}.py`, `${module}/__main__.py`, `${module}/__init__.py`];
    return [...own, ...[...loaded, ...(first === undefined ? [] : [first])].flatMap(tried)];
  });
  const files = named.map((file) => file.replace(/^(?:\.\/+)+/, '')).filter((file) => !IS_TEST.test(file));
  return files.flatMap((file) => folders.map((folder) => (folder === '.' ? file : `${folder}/${file}`)));
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

export const runsMake = (text: string): boolean => segments(text).some(([program = '']) => programName(program) === 'make');

/** Files that a Makefile in this folder includes, and those that its recipes run. */
export function filesRunByMakefile(makefile: string, folder: string): string[] {
  // A variable at the beginning of a recipe names the program that runs what follows: `$(PYTHON) tools/x.py`.
  const lines = makefile.replace(/\\\n/g, ' ').split('\n');
  const included = lines.flatMap((line) => /^[-s]?include\s+(.+)/.exec(line)?.[1]?.trim().split(/\s+/) ?? []);
  const recipes = lines.flatMap((line) => /^\t[@+-]*(.*)/.exec(line)?.[1]?.replace(/^\s*\$[({]\w+[)}]/, 'sh') ?? []);
  const files = included.map((file) => (folder === '.' ? file : `${folder}/${file}`));
  return [...files, ...recipes.flatMap((text) => filesRunBy({ text, folders: [folder] }))];
}

/** Scripts of a package.json that a command runs, by its text: `build` of `npm run build && npm start`. */
export function scriptsRunBy(text: string): string[] {
  return segments(text).flatMap(([program = '', first = '', second = '']) => {
    if (/^(?:run-s|run-p|npm-run-all)$/.test(program)) return text.split(/\s+/);
    if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return [];
    return [/^(?:run|run-script)$/.test(first) ? second : first];
  });
}

const LAUNCHERS = /^(?:\w+=.*|npx|env|cross-env|exec|time|command)$/;

/** The words of each simple command, roughly: without quotes, and without what only starts it. */
function segments(text: string): string[][] {
  const tokens = text.replace(/\\\n/g, ' ').match(/(?:"[^"]*"|'[^']*'|\\.|[^\s;|&()"'\\])+|[;|&\n()]+/g) ?? [];
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if (/^[;|&\n()]/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/"([^"]*)"|'([^']*)'|\\(.)/g, '$1$2$3'));
  }
  return commands.map((words) => words.slice(words.findIndex((word) => !LAUNCHERS.test(word)))).filter((words) => words.length > 0);
}

/** Files that determine what the commands of an ecosystem do: manifests with scripts, build files, and configuration that is code. */
import { wordSet } from './commands/program-check.ts';
import { normalizedParts } from './path-normalization.ts';

/** `programs` are controlled by the files of this ecosystem and by those of the ecosystem `ANY`. */
type Ecosystem = { programs?: string; files: string; kinds?: RegExp[]; directories?: string };

const TOOLS =
  `jest|vitest|vite|mocha|karma|playwright|cypress|eslint|babel|webpack|rollup|tsup|tsdown|esbuild|rspack|rsbuild|rolldown|metro|postcss|tailwind
  |svelte|astro|nuxt|wdio|ava|c8|nyc|jasmine|nightwatch|codecept|stryker|stylelint|prettier|swc|unocss|drizzle|craco|snowpack|protractor|lintstaged`.replace(
    /\s+/g,
    '',
  );

/** The ecosystem of files that can control any command, and of programs that can be controlled by any file. */
export const ANY = 'any';

const ECOSYSTEMS: Record<string, Ecosystem> = {
  // Programs that can run anything, such as make, nx or tox, are not part of an ecosystem, so all files apply to them.
  [ANY]: {
    files: `makefile gnumakefile justfile .justfile taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml build.ninja cmakelists.txt
    cmakepresets.json cmakeuserpresets.json meson.build meson.options meson_options.txt configure configure.ac sconstruct sconscript snakefile
    build.bazel build workspace workspace.bazel module.bazel .bazelversion pants.toml`,
    kinds: [/\.(?:mk|mak|cmake|bzl|ninja)$/],
  },
  node: {
    programs: `${TOOLS.replaceAll('|', ' ')} npm pnpm yarn bun deno node tsc tsx ts-node vite-node babel-node esno jiti next ng nest vue-cli-service
    react-scripts tap prisma hardhat truffle typedoc knip cucumber-js vue-tsc wdio gulp grunt jake ember jasmine webpack-cli biome tailwindcss`,
    files: `package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock lerna.json nx.json
    project.json workspace.json turbo.json angular.json deno.json deno.jsonc deno.lock import_map.json cypress.json .sequelizerc ember-cli-build.js
    jakefile config-overrides.js testem.js cucumber.js jasmine.json jest-e2e.json mocha.opts nodemon.json binding.gyp truffle-config.js`,
    kinds: [
      // Matches `jest.config.ts`, `webpack.prod.js`, `karma.conf.js`, `vitest.workspace.ts`.
      new RegExp(`^(?:${TOOLS})\\.[\\w.-]*\\.(?:[cm]?[jt]s|json5?|ya?ml|toml)$`),
      /^(?:next|vue|tap|release|typedoc|knip|remix|ecosystem|prisma|hardhat|web-test-runner|rslib|unbuild|build)\.config\.(?:[cm]?[jt]s|json5?)$/,
      /^(?:gulpfile|gruntfile|knexfile|jakefile)\.(?:[cm]?[jt]s|babel\.js|coffee)$/,
      // Matches `.eslintrc.cjs`, `.babelrc`, `.mocharc.yml`.
      new RegExp(`^\\.(?:${TOOLS}|tap|release|lintstaged|c8|lerna)rc(?:\\..+)?$`),
      /^tsconfig(?:[.-][\w.-]+)?\.json$/,
    ],
    directories: 'node_modules',
  },
  python: {
    programs: 'python pypy ipython pytest mypy pylint flake8 coverage nose2 trial django-admin pyright uv poetry pipenv',
    files: `conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml dodo.py setup.cfg setup.py pyproject.toml noxfile.py tasks.py
    fabfile.py .coveragerc mypy.ini .mypy.ini pylintrc .pylintrc .flake8 pipfile pipfile.lock poetry.lock uv.lock hatch.toml hatch_build.py`,
    kinds: [/^requirements[\w.-]*\.txt$/],
    directories: 'site-packages .venv venv',
  },
  rust: { programs: 'cargo rustc rustdoc', files: 'cargo.toml build.rs nextest.toml' },
  go: {
    programs: 'go golangci-lint gotestsum',
    files: 'go.mod go.work magefile.go .golangci.yml .golangci.yaml .golangci.toml .golangci.json',
  },
  jvm: {
    programs: 'mvn mvnw gradle gradlew ant java javac kotlin kotlinc sbt scala scalac mill lein clojure clj shadow-cljs',
    files: `pom.xml build.xml build.sbt build.sc gradle.properties gradlew gradlew.bat mvnw mvnw.cmd project.clj deps.edn bb.edn shadow-cljs.edn`,
    kinds: [/\.(?:gradle|gradle\.kts|versions\.toml|sbt)$/],
    directories: 'buildsrc build-logic',
  },
  ruby: {
    programs: 'ruby bundle rake rspec rubocop rails guard irb',
    files: 'gemfile gemfile.lock rakefile rakefile.rb guardfile .rspec spec_helper.rb rails_helper.rb .rubocop.yml',
    kinds: [/\.(?:rake|gemspec)$/],
  },
  php: {
    programs: 'php phpunit phpstan psalm pest php-cs-fixer rector',
    files: `composer.json composer.lock phpunit.xml phpunit.xml.dist phpunit.dist.xml phpstan.neon phpstan.neon.dist .php-cs-fixer.php rector.php
    psalm.xml`,
  },
  dotnet: {
    programs: 'dotnet msbuild nuget',
    files: 'global.json directory.build.rsp msbuild.rsp',
    kinds: [/\.(?:csproj|fsproj|vbproj|sln|slnx|props|targets|runsettings)$/],
  },
  elixir: { programs: 'mix elixir iex', files: 'mix.exs mix.lock .formatter.exs test_helper.exs' },
  swift: { programs: 'swift swiftc', files: 'package.swift' },
  dart: { programs: 'dart flutter', files: 'pubspec.yaml build.yaml dart_test.yaml analysis_options.yaml' },
  ocaml: { programs: 'dune ocaml', files: 'dune dune-project' },
  haskell: { programs: 'cabal stack ghc runghc runhaskell', files: 'cabal.project stack.yaml setup.hs', kinds: [/\.cabal$/] },
  solidity: { programs: 'forge', files: 'foundry.toml' },
  zig: { programs: 'zig', files: 'build.zig' },
  crystal: { programs: 'crystal', files: 'shard.yml' },
  nim: { programs: 'nim nimble', files: '', kinds: [/\.nimble$/] },
};

const READ = Object.entries(ECOSYSTEMS).map(([name, { programs = '', files, kinds = [], directories = '' }]) => ({
  name,
  programs: wordSet(programs),
  files: wordSet(files),
  kinds,
  /** Includes the directories of installed packages, because commands run their code. */
  directories: wordSet(directories),
}));

/** Subcommands that are part of the program. Any other name may be a separate program, or may be defined by workspace files. */
const SUBCOMMANDS: Record<string, RegExp> = {
  cargo: /^(?:build|b|test|t|check|c|run|r|bench|doc|d|fmt|clippy|nextest|tree|metadata|update|fetch|clean)$/,
  go: /^(?:build|test|vet|run|fmt|mod|install|list|get|env|version|doc|clean)$/,
  deno: /^(?:run|test|check|lint|fmt|bench|doc|compile|cache)$/,
};

/** Returns the ecosystem of a program, or `ANY` if the program is not known to belong to a single one. */
export function ecosystemOf(program: string, subcommand = ''): string {
  if (Object.hasOwn(SUBCOMMANDS, program) && !SUBCOMMANDS[program]?.test(subcommand)) return ANY;
  return READ.find(({ programs }) => programs.has(program))?.name ?? ANY;
}

/** Returns the ecosystems whose commands a file with this name controls. `path` has the same form as in `isProtected`. */
export function ecosystemsSteered(path: string): string[] {
  const parts = normalizedParts(path).filter((part) => part !== '');
  const name = parts.at(-1) ?? '';
  const within = parts.slice(0, -1);
  return READ.filter(
    ({ files, kinds, directories }) =>
      files.has(name) || kinds.some((kind) => kind.test(name)) || within.some((part) => directories.has(part)),
  ).map((each) => each.name);
}

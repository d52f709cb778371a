/** Where the code of one project ends and that of another begins: a yes to a command is one to the code of the folder it was given in. */
import { wordSet } from './commands/findings.ts';
import { interpreters } from './commands/programs/interpreters.ts';
import { programName } from './commands/programs/programs.ts';

/** A directory with one of these is a project of its own. */
const MANIFESTS =
  wordSet(`package.json deno.json deno.jsonc pyproject.toml setup.py pytest.ini tox.ini noxfile.py cargo.toml go.mod go.work pom.xml
  build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.xml build.sbt module.bazel workspace gemfile composer.json mix.exs
  package.swift pubspec.yaml shard.yml stack.yaml build.zig node_modules .git`);
const MANIFEST_KINDS = /\.(?:csproj|fsproj|vbproj|sln|cabal|gemspec|nimble)$/;
/** What these programs look for in the folder where they run; elsewhere such a file may stand beside the code of the same project. */
const RECIPES: Record<string, ReadonlySet<string>> = {
  make: wordSet('makefile gnumakefile'),
  ninja: wordSet('build.ninja'),
  just: wordSet('justfile .justfile'),
  task: wordSet('taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml'),
  rake: wordSet('rakefile rakefile.rb'),
};
/** Git takes a directory with these for a repository. */
const BARE_REPOSITORY = ['head', 'objects', 'refs'];

/** Directories of what others wrote, and what was installed. */
const FOREIGN =
  wordSet(`node_modules vendor vendored third_party third-party thirdparty external externals bower_components jspm_packages site-packages
  .venv venv .tox .nox .eggs .yarn .pnpm-store .cargo .bundle .gradle .m2`);

/** These run no code of the folder they run in, nor what its files name. */
const RUNS_NO_CODE = wordSet(`git gh docker podman nerdctl kubectl ruff black gofmt shellcheck yq bat ps cd pip`);
/** They do as the configuration says in the folder they run in, and only look at the files they are given. */
const ONLY_LOOKS_AT_ARGUMENTS = wordSet('tsc mypy');

/** Their value chooses among tests by their names. */
const PATTERN_FOLLOWS = /^(?:-[kmtg]|--grep|--testNamePattern|-run|--tests|--example)$/;

export const runsNoCode = (program: string): boolean => RUNS_NO_CODE.has(programName(program));

/** Of the names in a directory those that tell whether it is a project, in lower case. */
export function markersIn(names: readonly string[]): string[] {
  const folded = names.map((name) => name.toLowerCase());
  const recipes = Object.values(RECIPES);
  const isMarker = (name: string) =>
    MANIFESTS.has(name) || MANIFEST_KINDS.test(name) || BARE_REPOSITORY.includes(name) || recipes.some((recipe) => recipe.has(name));
  return folded.filter(isMarker);
}

/** Whether the directory is another project than the one it lies in, for this program. */
export function beginsProject(directory: string, markers: readonly string[], program: string): boolean {
  if (FOREIGN.has((directory.split('/').at(-1) ?? '').toLowerCase())) return true;
  if (BARE_REPOSITORY.every((name) => markers.includes(name))) return true;
  const name = programName(program);
  const recipe = Object.hasOwn(RECIPES, name) ? RECIPES[name] : undefined;
  return markers.some((marker) => MANIFESTS.has(marker) || MANIFEST_KINDS.test(marker) || recipe?.has(marker));
}

/** For a place, itself and what it lies in, up to the folder of the workspace. */
export function upwards(place: string): string[] {
  const parts = place.split('/');
  const all = parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
  return place === '.' || place.startsWith('../') ? [place] : [...all, '.'];
}

/** Where the code that a command runs comes from: where it runs, and what its words lead to. */
export type CodePlaces = {
  /** Directories that it may run in, as paths of the workspace. */
  folders: readonly string[];
  /** By a word, or a part of one, the files and directories that it names. */
  words: ReadonlyMap<string, readonly string[]>;
  /** By a directory on the way to them what it holds that makes a project; see `markersIn`. */
  markers: ReadonlyMap<string, readonly string[]>;
};

/** A prefix that is allowed, and where. */
export type Allowed = { prefix: readonly string[]; isHome(directory: string): boolean };

/** A place whose code none of these is meant for; undefined where there is none. `argv` are the words of one command that all of them fit. */
export function placeElsewhere(
  argv: readonly (string | undefined)[],
  fits: readonly Allowed[],
  { folders, words, markers }: CodePlaces,
): string | undefined {
  const program = programName(argv[0] ?? '');
  if (runsNoCode(program)) return undefined;
  const isBegin = (directory: string) => beginsProject(directory, markers.get(directory) ?? [], program);
  /** The code there is that of a home, and of no project between. */
  const isInHome = ({ isHome }: Allowed, place: string) => {
    const way = upwards(place);
    const end = way.findIndex(isBegin);
    return (end < 0 ? way : way.slice(0, end + 1)).some(isHome);
  };
  // From another folder the words of such a prefix lead to other files.
  const isExact = ({ prefix }: Allowed) => Object.hasOwn(interpreters, program) || prefix.some((word) => /[\\/]/.test(word));
  const folder = folders.find((each) => !fits.some((fit) => (isExact(fit) ? fit.isHome(each) : isInHome(fit, each))));
  if (folder !== undefined || ONLY_LOOKS_AT_ARGUMENTS.has(program)) return folder;
  const named = argv.slice(1).flatMap((word = '', at) => {
    if (PATTERN_FOLLOWS.test(argv[at] ?? '')) return [];
    const beyond = fits.filter(({ prefix }) => prefix.length <= at + 1);
    if (beyond.length < fits.length) return [];
    return codeWords(program, word).flatMap((part) => words.get(part) ?? []);
  });
  return named.find((place) => !fits.some((fit) => isInHome(fit, place)));
}

/** Folders that a yes has to name, so that it is one to all of the code: where the command runs, and projects that its words name. */
export function homesOf(argv: readonly (string | undefined)[], prefix: readonly string[], places: CodePlaces): string[] {
  const homes = [...places.folders];
  for (let count = 0; count < 20; count++) {
    const beyond = placeElsewhere(argv, [{ prefix, isHome: (directory) => homes.includes(directory) }], places);
    if (beyond === undefined) break;
    const program = programName(argv[0] ?? '');
    homes.push(upwards(beyond).find((each) => beginsProject(each, places.markers.get(each) ?? [], program)) ?? beyond);
  }
  return homes;
}

/** To these `vendor.x.tests` is a file in `vendor`. */
const NAMES_MODULES = /^(?:python|pypy|nose2|trial|coverage|django-admin|uv|poetry|pdm|hatch|pipenv|tox|nox)$/;
const MODULE = /^[\w-]+(?:\.\w+)+$/;
const FILE = /\.(?:py|txt|md|rst|json|ya?ml|toml|cfg|ini|csv|tsv|xml|html?|log|lock|sql|db|zip|gz|whl|png|jpg|svg|pdf)$/i;

/** What a word of a command may name: all of it, what is behind its option, and the parts of a list. */
export function codeWords(program: string, word: string): string[] {
  const value = word.startsWith('-') ? word.replace(/^--?[\w.-]+?=|^-[A-Za-z](?=[./\w])/, '') : word;
  const module = NAMES_MODULES.test(program) && MODULE.test(value) && !FILE.test(value) ? [value.replaceAll('.', '/')] : [];
  const places = [word, value, ...module, ...value.split(/[,:=]+/)].map((part) => part.replace(/\/\.\.\.$/, ''));
  // Names of packages and of tests are no paths to these.
  const needsSlash = /^(?:cargo|go|gradlew?|mvn)$/.test(program);
  return [...new Set(places)].filter((part) => part !== '' && !part.startsWith('-') && (!needsSlash || /[\\/]/.test(part)));
}

/** In the places of a command that is not looked up on the disk: what its letters tell. */
export function placesByLetters(cwd: string): CodePlaces {
  return { folders: [cwd], words: new Map(), markers: new Map() };
}

/**
 * Determines where one project ends and another begins. A permission for a command covers only the code of the project it was given for.
 */
import { wordSet } from './commands/program-check.ts';
import { interpreters } from './commands/programs/interpreters.ts';
import { programName } from './commands/programs/program-tables.ts';

/** A directory that contains one of these files or directories is a separate project. */
const MANIFESTS =
  wordSet(`package.json deno.json deno.jsonc pyproject.toml setup.py pytest.ini tox.ini noxfile.py cargo.toml go.mod go.work pom.xml
  build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.xml build.sbt module.bazel workspace gemfile composer.json mix.exs
  package.swift pubspec.yaml shard.yml stack.yaml build.zig node_modules .git`);
const MANIFEST_KINDS = /\.(?:csproj|fsproj|vbproj|sln|cabal|gemspec|nimble)$/;
/** The files that each program looks for in its working directory. For other programs, these files do not mark a separate project. */
const RECIPES: Record<string, ReadonlySet<string>> = {
  make: wordSet('makefile gnumakefile'),
  ninja: wordSet('build.ninja'),
  just: wordSet('justfile .justfile'),
  task: wordSet('taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml'),
  rake: wordSet('rakefile rakefile.rb'),
};
/** Git treats a directory with these entries as a repository. */
const BARE_REPOSITORY = ['head', 'objects', 'refs'];

/** Directories with third-party code or installed packages. */
const FOREIGN =
  wordSet(`node_modules vendor vendored third_party third-party thirdparty external externals bower_components jspm_packages site-packages
  .venv venv .tox .nox .eggs .yarn .pnpm-store .cargo .bundle .gradle .m2`);

/** Programs that do not run code from the current folder or code that its files name. */
const RUNS_NO_CODE = wordSet(`git gh docker podman nerdctl kubectl ruff black gofmt shellcheck yq bat ps cd pip`);
/** Programs that are controlled by the configuration in the current folder and only read the files given as arguments. */
const ONLY_LOOKS_AT_ARGUMENTS = wordSet('tsc mypy');

/** Options whose value selects tests by name. */
const PATTERN_FOLLOWS = /^(?:-[kmtg]|--grep|--testNamePattern|-run|--tests|--example)$/;

export const runsNoCode = (program: string): boolean => RUNS_NO_CODE.has(programName(program));

/** Returns the names in a directory that indicate a project, in lower case. */
export function markersIn(names: readonly string[]): string[] {
  const folded = names.map((name) => name.toLowerCase());
  const recipes = Object.values(RECIPES);
  const isMarker = (name: string) =>
    MANIFESTS.has(name) || MANIFEST_KINDS.test(name) || BARE_REPOSITORY.includes(name) || recipes.some((recipe) => recipe.has(name));
  return folded.filter(isMarker);
}

/** Returns true if a directory belongs to a different project than its parent, for this program. */
export function beginsProject(directory: string, markers: readonly string[], program: string): boolean {
  if (FOREIGN.has((directory.split('/').at(-1) ?? '').toLowerCase())) return true;
  if (BARE_REPOSITORY.every((name) => markers.includes(name))) return true;
  const name = programName(program);
  const recipe = Object.hasOwn(RECIPES, name) ? RECIPES[name] : undefined;
  return markers.some((marker) => MANIFESTS.has(marker) || MANIFEST_KINDS.test(marker) || recipe?.has(marker));
}

/** Returns the path and its parent directories, up to the workspace folder. */
export function upwards(place: string): string[] {
  const parts = place.split('/');
  const all = parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
  return place === '.' || place.startsWith('../') ? [place] : [...all, '.'];
}

/** The places whose code a command runs: its working directories and the paths that its words refer to. */
export type CodePlaces = {
  /** Possible working directories, as workspace paths. */
  folders: readonly string[];
  /** The files and directories a word, or part of a word, refers to. */
  words: ReadonlyMap<string, readonly string[]>;
  /** The project markers in the directories of `folders` and `words` and in their parent directories; see `markersIn`. */
  markers: ReadonlyMap<string, readonly string[]>;
};

/** An allowed prefix and the directories it applies to. */
export type Allowed = { prefix: readonly string[]; isHome(directory: string): boolean };

/**
 * Returns a place with code to which none of the prefixes applies, or undefined. `argv` is one command that all prefixes match.
 */
export function placeElsewhere(
  argv: readonly (string | undefined)[],
  candidates: readonly Allowed[],
  { folders, words, markers }: CodePlaces,
): string | undefined {
  const program = programName(argv[0] ?? '');
  if (runsNoCode(program)) return undefined;
  const isBegin = (directory: string) => beginsProject(directory, markers.get(directory) ?? [], program);
  /** Returns true if the prefix applies to the place or to a parent directory in the same project. */
  const appliesTo = ({ isHome }: Allowed, place: string) => {
    const way = upwards(place);
    const end = way.findIndex(isBegin);
    return (end < 0 ? way : way.slice(0, end + 1)).some(isHome);
  };
  // A prefix with a path refers to different files when it is used from another folder.
  const isExact = ({ prefix }: Allowed) => Object.hasOwn(interpreters, program) || prefix.some((word) => /[\\/]/.test(word));
  const folder = folders.find((each) => !candidates.some((fit) => (isExact(fit) ? fit.isHome(each) : appliesTo(fit, each))));
  if (folder !== undefined || ONLY_LOOKS_AT_ARGUMENTS.has(program)) return folder;
  const referencedPlaces = argv.slice(1).flatMap((word = '', at) => {
    if (PATTERN_FOLLOWS.test(argv[at] ?? '')) return [];
    const beyond = candidates.filter(({ prefix }) => prefix.length <= at + 1);
    if (beyond.length < candidates.length) return [];
    return codeWords(program, word).flatMap((part) => words.get(part) ?? []);
  });
  return referencedPlaces.find((place) => !candidates.some((fit) => appliesTo(fit, place)));
}

/**
 * Returns the folders a grant must name to cover all of the code: the working directories and the projects that the command's words refer
 * to.
 */
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

/** Programs that accept module names: `vendor.x.tests` is a module in the directory `vendor`. */
const NAMES_MODULES = /^(?:python|pypy|nose2|trial|coverage|django-admin|uv|poetry|pdm|hatch|pipenv|tox|nox)$/;
const MODULE = /^[\w-]+(?:\.\w+)+$/;
const FILE = /\.(?:py|txt|md|rst|json|ya?ml|toml|cfg|ini|csv|tsv|xml|html?|log|lock|sql|db|zip|gz|whl|png|jpg|svg|pdf)$/i;

/** Returns what a word may refer to: the word itself, the value of an option, and the items of a list. */
export function codeWords(program: string, word: string): string[] {
  const value = word.startsWith('-') ? word.replace(/^--?[\w.-]+?=|^-[A-Za-z](?=[./\w])/, '') : word;
  const module = NAMES_MODULES.test(program) && MODULE.test(value) && !FILE.test(value) ? [value.replaceAll('.', '/')] : [];
  const places = [word, value, ...module, ...value.split(/[,:=]+/)].map((part) => part.replace(/\/\.\.\.$/, ''));
  // For these programs, an argument without a slash is the name of a package or test, not a path.
  const needsSlash = /^(?:cargo|go|gradlew?|mvn)$/.test(program);
  return [...new Set(places)].filter((part) => part !== '' && !part.startsWith('-') && (!needsSlash || /[\\/]/.test(part)));
}

/** Determines the places from the text of a command that was not resolved on disk. */
export function placesByLetters(cwd: string): CodePlaces {
  return { folders: [cwd], words: new Map(), markers: new Map() };
}

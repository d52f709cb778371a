/** Judges a command by the user's rules and grants. */

import type { Judgement } from '../core/run/tool.ts';
import type { CommandLine } from '../core/session/effects.ts';
import type { Permission } from '../core/session/grant-scope.ts';
import { concern } from './commands/concerns.ts';
import { analyzeCommand, judgeCommand, suggestedPrefix } from './commands/index.ts';
import { configuredProgram, type GitSetting, showsCredentials } from './commands/programs/git-programs.ts';
import { programName } from './commands/programs/programs.ts';
import { foldersOf, type SearchedPlaces, searchesOf } from './commands/programs/searches.ts';
import type { ShellParser } from './commands/shells/syntax.ts';
import type { CommandAnalysis, Guarded, Use } from './commands/types.ts';
import type { Aliases } from './names.ts';
import type { CommandJudge } from './policy-input.ts';
import { type Allowed, type CodePlaces, codeWords, homesOf, placeElsewhere, placesByLetters } from './projects.ts';
import { isProtected } from './protected.ts';
import { matchesTool, ruleSentence, type SourcedRule, touchesPath } from './rules.ts';
import { inScope } from './scope.ts';
import { isSecret } from './secrets.ts';

export type CommandOptions = {
  hookPlaces?: readonly string[];
  readOnlyCommands?: boolean;
  /** It runs in a directory that may be a repository of its own, with hooks of its own. */
  isBelow?: boolean;
  /** Whether a path of the workspace is one that no model is to see. */
  hides?: ((path: string) => boolean) | undefined;
  /** What else paths of the workspace are called, where that is known. */
  aliases?: Aliases | undefined;
  /** What its words come to on the disk, where that is known. */
  reach?: { paths: readonly string[]; maybe?: readonly string[]; isCut: boolean };
  /** Which code it runs, where that is known. */
  code?: CodePlaces;
  /** The folders of the workspace, as commands run there: `.`, or their names. */
  tops?: readonly string[];
  /** For git: what the repository's own configuration says, where that was looked up. */
  gitSettings?: readonly GitSetting[] | 'unknown' | undefined;
};

const NO_ALIASES: Aliases = { names: (path) => [path], places: (path) => [path] };
const TOOL = { name: 'run_command', source: 'builtin' };

export function commandJudge(
  { text, shell, cwd }: CommandLine,
  parser: ShellParser | undefined,
  options: CommandOptions = {},
): CommandJudge {
  const read = withGit(analyzeCommand(text, shell, parser), options.gitSettings);
  const analysis = options.isBelow ? below(read, cwd) : read;
  const { reach } = options;
  const { aliases = NO_ALIASES } = options;
  const named = [...placesOf(analysis, cwd), ...(reach?.paths ?? [])].flatMap(aliases.names);
  const touches = (glob: string) => named.some((path) => touchesPath(glob, path));
  const hidden = (path: string, use: Use): Guarded | undefined =>
    use !== 'name' && [path, `${cwd}/${path}`].some((each) => options.hides?.(each))
      ? { reason: `${path} is hidden by .kedgeignore.` }
      : undefined;
  const { tops = ['.'] } = options;
  const places = options.code ?? placesByLetters(cwd);
  /** A rule names them by a glob. */
  const homes = (folders: readonly string[] | string = tops) =>
    typeof folders === 'string' ? (at: string) => inScope(at, [folders.replace(/\/+$/, '')]) : (at: string) => folders.includes(at);
  /** Of a command that could not be read nobody knows what it names. */
  const mayTouch = ({ path }: SourcedRule) => path === undefined || analysis.opaque.length > 0 || touches(path);

  return (rules, grants) => {
    const mine = rules.filter(
      (rule) => rule.server === undefined && rule.host === undefined && (!rule.tool || matchesTool(rule.tool, TOOL)),
    );
    const barred = mine.find(
      ({ effect, command, path }) => effect === 'deny' && command === undefined && path !== undefined && touches(path),
    );
    if (barred) return { kind: 'deny', rule: 'rule', reason: ruleSentence(barred) };
    const asked = mine.find(
      ({ effect, command, path }) => effect === 'ask' && command === undefined && path !== undefined && touches(path),
    );

    const prefixes = (effect: SourcedRule['effect'], counts: (rule: SourcedRule) => boolean) =>
      mine.flatMap((rule) => (rule.effect === effect && rule.command !== undefined && counts(rule) ? [rule.command] : []));
    const allowed: Allowed[] = [
      ...mine.flatMap(({ effect, from, command, path }) =>
        effect === 'allow' && from === 'user' && command !== undefined ? [{ prefix: command.split(/\s+/), isHome: homes(path) }] : [],
      ),
      ...grants.flatMap((covers) => (covers.kind === 'command' ? [{ prefix: covers.prefix, isHome: homes(covers.folders) }] : [])),
    ];
    const judge = (all: readonly Allowed[]): Judgement => {
      const judged = judgeCommand(analysis, {
        allow: all.map(({ prefix }) => prefix),
        elsewhere: ({ argv }, fits) => {
          const fitting = all.filter(({ prefix }) => fits.includes(prefix));
          return placeElsewhere(argv, fitting, places);
        },
        deny: prefixes('deny', mayTouch),
        ask: prefixes('ask', mayTouch),
        allowReadOnly: options.readOnlyCommands ?? false,
        guard: (path, use) => guard(path, use, { ...options, aliases, cwd, isPowerShell: shell === 'powershell' }) ?? hidden(path, use),
      });
      if (judged.kind !== 'allow' || !reach) return judged;
      const [maybe] = reach.maybe ?? [];
      const named: Guarded | undefined = reach.isCut
        ? { reason: 'It looks into more files than can be judged.' }
        : firstOf(reach.paths, (path) => guardRead(path, aliases) ?? hidden(path, 'read'));
      const shows =
        maybe === undefined ? undefined : { reason: `It may show what is or was in ${maybe}. Naming other files would leave it out.` };
      const guarded = named ?? shows;
      return guarded ? { kind: 'ask', rule: 'guarded-path', ...guarded } : judged;
    };
    const judged = judge(allowed);
    if (asked && judged.kind !== 'deny') return { kind: 'ask', rule: 'rule', reason: ruleSentence(asked) };
    if (judged.kind !== 'ask') return judged;
    // A yes can stand for more only where it would then be enough.
    const prefix = suggestedPrefix(analysis);
    if (!prefix) return judged;
    const isBound = analysis.commands.some(({ reads }) => !reads);
    const folders = [...new Set(analysis.commands.flatMap(({ argv }) => homesOf(argv, prefix, places)))];
    if (judge([...allowed, { prefix, isHome: homes(folders) }]).kind !== 'allow') return judged;
    return { ...judged, covers: [{ kind: 'command', prefix: [...prefix], ...(isBound && { folders }) } satisfies Permission] };
  };
}

/** Git runs what the repository's configuration names, and shows the addresses in it. */
function withGit(analysis: CommandAnalysis, settings: CommandOptions['gitSettings']): CommandAnalysis {
  if (settings === undefined) return analysis;
  const named = settings === 'unknown' ? 'it cannot be read' : configuredProgram(analysis.commands, settings);
  const concerns = [
    ...(named === undefined ? [] : [concern('repository-config', named)]),
    ...(settings !== 'unknown' && showsCredentials(analysis.commands, settings) ? [concern('secrets', 'git remote')] : []),
  ];
  return concerns.length === 0 ? analysis : { ...analysis, isReadOnly: false, dangers: [...analysis.dangers, ...concerns] };
}

/** What the app needs to find out what a command comes to. */
export type Named = {
  words: readonly string[];
  /** Those of them of which nothing is shown but the name. */
  names: ReadonlySet<string>;
  searched: readonly SearchedPlaces[];
  /** Those of the words that the shell replaces by names. */
  globs: ReadonlySet<string>;
  /** Directories that the command goes to, in their order. */
  folders: readonly string[];
  /** The one directory that all but the `cd` itself runs in, where that is sure. */
  goesTo: string | undefined;
  /** Parts of words that may name code which is run. */
  code: readonly string[];
  runsGit: boolean;
};

export function namedBy({ text, shell }: CommandLine, parser: ShellParser | undefined): Named {
  const { paths, uses, commands } = analyzeCommand(text, shell, parser);
  const names = new Set(paths.filter((path) => uses.get(path) === 'name'));
  const globs = commands.flatMap(({ words }) => words.flatMap(({ glob, value }) => (glob && value !== undefined ? [value] : [])));
  const searched = searchesOf(commands, shell === 'powershell');
  const runsGit = commands.some(({ argv: [program] }) => programName(program ?? '') === 'git');
  const code = commands.flatMap(({ argv: [program = '', ...words], reads }) =>
    reads ? [] : words.flatMap((word) => codeWords(programName(program), word ?? '')),
  );
  const folders = foldersOf(commands);
  // Behind a lone `cd … &&` nothing runs where it did not get to.
  const goesTo = folders.length === 1 && /^cd [\w./-]+ &&(?!.*(?:[;\n]|\|\||(?<![&>])&(?![&\d])))/s.test(text) ? folders[0] : undefined;
  return { words: paths, names, searched, globs: new Set(globs), folders, goesTo, code: [...new Set(code)], runsGit };
}

/**
 * A directory with the files of a bare repository in it is one to git, and its configuration names programs. What was installed has
 * scripts of its own, which nobody means by `npm test`.
 */
function below(analysis: CommandAnalysis, cwd: string): CommandAnalysis {
  const runsGit = analysis.commands.some(({ argv }) => programName(argv[0] ?? '') === 'git');
  const isInstalled = /(?:^|\/)node_modules(?:\/|$)/.test(cwd) && !analysis.isReadOnly;
  if (!runsGit && !isInstalled) return analysis;
  const danger = concern('other-folder', runsGit ? 'git below the workspace' : 'A command in node_modules');
  return { ...analysis, isReadOnly: false, dangers: [...analysis.dangers, danger] };
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What it names, as paths of the workspace: seen from where it runs, and as it is written, since it may change directory. */
function placesOf({ paths, writes }: CommandAnalysis, cwd: string): string[] {
  const written = [...paths, ...writes].map((path) => path.replaceAll('\\', '/').replace(/^(\.\/)+/, ''));
  return cwd === '.' || cwd === '' ? written : [cwd, ...written.flatMap((path) => [path, `${cwd}/${path}`])];
}

function guardRead(path: string, { places }: Aliases): Guarded | undefined {
  if (path.startsWith('../')) return { reason: `${path.slice(3)} leads out of the workspace.` };
  return places(path).some(isSecret) ? { reason: `It reads ${path}, which may hold keys or passwords.`, secret: true } : undefined;
}

type Guard = { hookPlaces?: readonly string[]; aliases: Aliases; cwd: string; isPowerShell: boolean };

/** A path in a command is judged by its letters alone, so what leads out of the workspace asks as well. */
function guard(path: string, use: Use, { hookPlaces = [], aliases, cwd, isPowerShell }: Guard): Guarded | undefined {
  const clean = path.replaceAll('\\', '/');
  if (clean === '/dev/null') return undefined;
  if ((isPowerShell ? /^[a-z]:/i : /^[a-z]:\//i).test(clean) || /^\/|^~|(^|\/)\.\.(\/|$)/.test(clean))
    return { reason: `${path} is outside the workspace.` };
  const places = [clean, ...aliases.places(cwd === '.' ? clean : `${cwd}/${clean}`)];
  if (use !== 'name' && places.some(isSecret)) return { reason: `${path} may hold keys or passwords.`, secret: true };
  if (use === 'any' && (isProtected(clean, hookPlaces) || places.some((place) => isProtected(place))))
    return { reason: `${path} is protected.` };
  return undefined;
}

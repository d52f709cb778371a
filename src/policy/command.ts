/** Evaluates a command against the user's rules and grants. */

import type { Judgement } from '../core/run/tool.ts';
import type { CommandLine } from '../core/session/effects.ts';
import type { Action, Permission } from '../core/session/grant-scope.ts';
import type { RuleId } from '../core/session/rule-ids.ts';
import { concern } from './commands/concern-messages.ts';
import { analyzeCommand, evaluateCommand, suggestedPrefix } from './commands/index.ts';
import { configuredProgram, type GitSetting, showsCredentials } from './commands/programs/git-programs.ts';
import { programName } from './commands/programs/program-tables.ts';
import { foldersOf, type SearchedPlaces, searchesOf } from './commands/programs/searches.ts';
import type { ShellParser } from './commands/shells/syntax.ts';
import type { CommandAnalysis, Guarded, Use } from './commands/types.ts';
import type { Aliases } from './path-normalization.ts';
import type { CommandJudge } from './policy-input.ts';
import { type Allowed, type CodePlaces, codeWords, homesOf, placeElsewhere, placesByLetters } from './projects.ts';
import { isProtected } from './protected.ts';
import { allows, matchesTool, ruleSentence, type SourcedRule, touchesPath } from './rules.ts';
import { inScope } from './scope.ts';
import { isSecret } from './secrets.ts';

export type CommandOptions = {
  hookPlaces?: readonly string[];
  readOnlyCommands?: boolean;
  /** Whether the command runs in a subdirectory, which may be a Git repository with its own hooks. */
  isBelow?: boolean;
  /** Returns whether `.kedgeignore` excludes a workspace path. */
  hides?: ((path: string) => boolean) | undefined;
  /** Other names of workspace paths, if they were resolved. */
  aliases?: Aliases | undefined;
  /**
   * The paths that the command's words expand to on disk, if they were resolved. `maybe` lists files whose current or earlier content the
   * command may print. `isCut` is set if there are too many paths to check.
   */
  reach?: { paths: readonly string[]; maybe?: readonly string[]; isCut: boolean };
  /** The locations of the code that the command runs, if they were resolved on disk. */
  code?: CodePlaces;
  /** The workspace folders as seen by commands: `.`, or the folder names of a multi-root workspace. */
  tops?: readonly string[];
  /** Whether the user confirmed exactly this command in this folder, as a check of the plan of the run. */
  isConfirmed?: boolean;
  /** For Git commands: the repository's own configuration, if it was read. */
  gitSettings?: readonly GitSetting[] | 'unknown' | undefined;
};

const NO_ALIASES: Aliases = { names: (path) => [path], places: (path) => [path] };
const TOOL = { name: 'run_command', source: 'builtin' };

export function createCommandJudge(
  { text, shell, cwd }: CommandLine,
  parser: ShellParser | undefined,
  options: CommandOptions = {},
): CommandJudge {
  const read = withGit(analyzeCommand(text, shell, parser), options.gitSettings);
  const analysis = options.isBelow ? below(read, cwd) : read;
  const { reach } = options;
  const { aliases = NO_ALIASES } = options;
  const namedPaths = [...placesOf(analysis, cwd), ...(reach?.paths ?? [])].flatMap(aliases.names);
  const touches = (glob: string) => namedPaths.some((path) => touchesPath(glob, path));
  const hidden = (path: string, use: Use): Guarded | undefined =>
    use !== 'name' && [path, `${cwd}/${path}`].some((each) => options.hides?.(each))
      ? { reason: `${path} is excluded by .kedgeignore.` }
      : undefined;
  const shown = actionsShown(analysis);
  const { tops = ['.'] } = options;
  const places = options.code ?? placesByLetters(cwd);
  /** Returns a predicate for the folders of a rule, which are given by a glob, or of a grant, which are given by a list. */
  const homes = (folders: readonly string[] | string = tops) =>
    typeof folders === 'string' ? (at: string) => inScope(at, [folders.replace(/\/+$/, '')]) : (at: string) => folders.includes(at);
  /** A command that could not be parsed might name any path, so every rule with a path applies to it. */
  const mayTouch = ({ path }: SourcedRule) => path === undefined || analysis.opaque.length > 0 || touches(path);

  return (rules, grants) => {
    const applicableRules = rules.filter(
      (rule) => rule.server === undefined && rule.host === undefined && (!rule.tool || matchesTool(rule.tool, TOOL)),
    );
    const isAboutThis = ({ command, path, action }: SourcedRule) =>
      command === undefined &&
      (path === undefined ? action !== undefined && shown.has(action) : touches(path) && action !== 'network' && action !== 'mcp');
    const denyingRule = applicableRules.find((rule) => rule.effect === 'deny' && isAboutThis(rule));
    if (denyingRule) return { kind: 'deny', rule: 'rule', reason: ruleSentence(denyingRule) };
    const askingRule = applicableRules.find((rule) => rule.effect === 'ask' && isAboutThis(rule));

    const prefixes = (effect: SourcedRule['effect'], counts: (rule: SourcedRule) => boolean) =>
      applicableRules.flatMap((rule) => (rule.effect === effect && rule.command !== undefined && counts(rule) ? [rule.command] : []));
    const allowed: Allowed[] = [
      ...applicableRules.flatMap((rule) => {
        const { effect, from, command, path } = rule;
        return effect === 'allow' && from === 'user' && command !== undefined && allows(rule, 'command')
          ? [{ prefix: command.split(/\s+/), isHome: homes(path) }]
          : [];
      }),
      ...grants.flatMap((covers) => (covers.kind === 'command' ? [{ prefix: covers.prefix, isHome: homes(covers.folders) }] : [])),
    ];
    const judge = (all: readonly Allowed[]): Judgement => {
      const decision = evaluateCommand(analysis, {
        allow: all.map(({ prefix }) => prefix),
        elsewhere: ({ argv }, matchingPrefixes) => {
          const fitting = all.filter(({ prefix }) => matchingPrefixes.includes(prefix));
          return placeElsewhere(argv, fitting, places);
        },
        deny: prefixes('deny', mayTouch),
        ask: prefixes('ask', mayTouch),
        allowReadOnly: options.readOnlyCommands ?? false,
        guard: (path, use) => guard(path, use, { ...options, aliases, cwd, isPowerShell: shell === 'powershell' }) ?? hidden(path, use),
      });
      if (decision.kind !== 'allow' || !reach) return decision;
      const [maybe] = reach.maybe ?? [];
      const guardedPath: Guarded | undefined = reach.isCut
        ? { reason: 'The command searches more files than Kedge can check.' }
        : firstOf(reach.paths, (path) => guardRead(path, aliases) ?? hidden(path, 'read'));
      const possiblySecret =
        maybe === undefined
          ? undefined
          : { reason: `The command may show the current or earlier content of ${maybe}. To avoid this, name the files to search.` };
      const guarded = guardedPath ?? possiblySecret;
      return guarded ? { kind: 'ask', rule: 'guarded-path', ...guarded } : decision;
    };
    const decision = judge(allowed);
    if (askingRule && decision.kind !== 'deny') return { kind: 'ask', rule: 'rule', reason: ruleSentence(askingRule) };
    if (decision.kind !== 'ask') return decision;
    // Confirming the plan allows the words of the command. Reasons that require approval regardless of permissions still apply.
    if (options.isConfirmed && judge([...allowed, ...exactly(analysis)]).kind === 'allow')
      return { kind: 'allow', rule: 'confirmed-plan', reason: 'The confirmed plan names this command as a check.' };
    // A wider permission is offered only if it is enough to allow this command.
    const prefix = suggestedPrefix(analysis);
    if (!prefix) return decision;
    const isBound = analysis.commands.some(({ reads }) => !reads);
    const folders = [...new Set(analysis.commands.flatMap(({ argv }) => homesOf(argv, prefix, places)))];
    if (judge([...allowed, { prefix, isHome: homes(folders) }]).kind !== 'allow') return decision;
    return { ...decision, covers: [{ kind: 'command', prefix: [...prefix], ...(isBound && { folders }) } satisfies Permission] };
  };
}

const ACTION_OF: Partial<Record<RuleId, Action>> = { writes: 'edit', deletes: 'delete', sends: 'network', installs: 'network' };

/** Returns the actions besides reading that the words of a command indicate. A program may do more than its words indicate. */
function actionsShown({ writes, dangers }: CommandAnalysis): ReadonlySet<Action> {
  return new Set([...(writes.length > 0 ? (['edit'] as const) : []), ...dangers.flatMap(({ rule }) => ACTION_OF[rule] ?? [])]);
}

/** Returns a permission for exactly the words of each part of a command. Words from the first glob on are unknown until the command runs. */
function exactly({ commands }: CommandAnalysis): Allowed[] {
  return commands.map(({ argv, words }) => {
    const glob = words.findIndex((word) => word.glob);
    const known = glob < 0 ? argv : argv.slice(0, glob);
    return { prefix: known.map((word) => word ?? ''), isHome: () => true };
  });
}

/** Adds the risks of the repository's Git configuration: it can name programs that Git runs, and remote addresses with credentials. */
function withGit(analysis: CommandAnalysis, settings: CommandOptions['gitSettings']): CommandAnalysis {
  if (settings === undefined) return analysis;
  if (settings === 'unknown') {
    const reason = 'The Git configuration of this repository cannot be read, so Git might run a program named in it.';
    return { ...analysis, isReadOnly: false, dangers: [...analysis.dangers, { rule: 'repository-config', reason }] };
  }
  const program = configuredProgram(analysis.commands, settings);
  const concerns = [
    ...(program === undefined ? [] : [concern('repository-config', program)]),
    ...(showsCredentials(analysis.commands, settings) ? [concern('secrets', 'git remote')] : []),
  ];
  return concerns.length === 0 ? analysis : { ...analysis, isReadOnly: false, dangers: [...analysis.dangers, ...concerns] };
}

/** The paths that the host must resolve on disk before a command can be evaluated. */
export type CommandFacts = {
  words: readonly string[];
  /** The subset of `words` for which the command prints only the name, not the content. */
  names: ReadonlySet<string>;
  searched: readonly SearchedPlaces[];
  /** The subset of `words` that the shell expands as globs. */
  globs: ReadonlySet<string>;
  /** Directories the command changes to, in order. */
  folders: readonly string[];
  /** The directory in which everything after a single `cd` runs, if that is certain. */
  goesTo: string | undefined;
  /** The parts of arguments that may refer to code that the command runs, such as the path of a script or the name of a module. */
  code: readonly string[];
  runsGit: boolean;
};

export function factsOfCommand({ text, shell }: CommandLine, parser: ShellParser | undefined): CommandFacts {
  const { paths, uses, commands } = analyzeCommand(text, shell, parser);
  const names = new Set(paths.filter((path) => uses.get(path) === 'name'));
  const globs = commands.flatMap(({ words }) => words.flatMap(({ glob, value }) => (glob && value !== undefined ? [value] : [])));
  const searched = searchesOf(commands, shell === 'powershell');
  const runsGit = commands.some(({ argv: [program] }) => programName(program ?? '') === 'git');
  const code = commands.flatMap(({ argv: [program = '', ...words], reads }) =>
    reads ? [] : words.flatMap((word) => codeWords(programName(program), word ?? '')),
  );
  const folders = foldersOf(commands);
  // After a single `cd … &&`, nothing runs if the directory cannot be changed.
  const goesTo = folders.length === 1 && /^cd [\w./-]+ &&(?!.*(?:[;\n]|\|\||(?<![&>])&(?![&\d])))/s.test(text) ? folders[0] : undefined;
  return { words: paths, names, searched, globs: new Set(globs), folders, goesTo, code: [...new Set(code)], runsGit };
}

/**
 * Adds the risks of a command that runs in a subdirectory. Git treats a directory with the files of a bare repository as a repository, and
 * its configuration can name programs to run. Installed packages have their own scripts, which a user who allowed `npm test` did not mean.
 */
function below(analysis: CommandAnalysis, cwd: string): CommandAnalysis {
  const runsGit = analysis.commands.some(({ argv }) => programName(argv[0] ?? '') === 'git');
  const isInstalled = /(?:^|\/)node_modules(?:\/|$)/.test(cwd) && !analysis.isReadOnly;
  if (!runsGit && !isInstalled) return analysis;
  const danger = concern('other-folder', runsGit ? '`git` in a subfolder' : 'a command in `node_modules`');
  return { ...analysis, isReadOnly: false, dangers: [...analysis.dangers, danger] };
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/**
 * Returns the workspace paths that the command names, both relative to its working directory and as written, because the command itself
 * may change the directory.
 */
function placesOf({ paths, writes }: CommandAnalysis, cwd: string): string[] {
  const written = [...paths, ...writes].map((path) => path.replaceAll('\\', '/').replace(/^(\.\/)+/, ''));
  return cwd === '.' || cwd === '' ? written : [cwd, ...written.flatMap((path) => [path, `${cwd}/${path}`])];
}

function guardRead(path: string, { places }: Aliases): Guarded | undefined {
  if (path.startsWith('../')) return { reason: `${path.slice(3)} is outside the workspace.` };
  return places(path).some(isSecret)
    ? { reason: `The command reads ${path}, which may contain keys or passwords.`, secret: true }
    : undefined;
}

type Guard = { hookPlaces?: readonly string[]; aliases: Aliases; cwd: string; isPowerShell: boolean };

/** Checks a path of a command as text, without resolving symbolic links. A path that may lead out of the workspace needs approval. */
function guard(path: string, use: Use, { hookPlaces = [], aliases, cwd, isPowerShell }: Guard): Guarded | undefined {
  const clean = path.replaceAll('\\', '/');
  if (clean === '/dev/null') return undefined;
  if ((isPowerShell ? /^[a-z]:/i : /^[a-z]:\//i).test(clean) || /^\/|^~|(^|\/)\.\.(\/|$)/.test(clean))
    return { reason: `${path} is outside the workspace.` };
  const places = [clean, ...aliases.places(cwd === '.' ? clean : `${cwd}/${clean}`)];
  if (use !== 'name' && places.some(isSecret)) return { reason: `${path} may contain keys or passwords.`, secret: true };
  if (use === 'any' && (isProtected(clean, hookPlaces) || places.some((place) => isProtected(place))))
    return { reason: `${path} is protected.` };
  return undefined;
}

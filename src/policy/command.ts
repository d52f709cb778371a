/** Judges a command by the user's rules and grants. */
import type { Covers } from '../core/covers.ts';
import type { CommandLine } from '../core/tool.ts';
import { concern } from './commands/concerns.ts';
import { analyzeCommand, judgeCommand, suggestedPrefix } from './commands/index.ts';
import { programName } from './commands/programs.ts';
import { type SearchedPlaces, searchedPlaces } from './commands/searches.ts';
import type { ShellParser } from './commands/syntax.ts';
import type { CommandAnalysis } from './commands/types.ts';
import type { CommandJudge } from './grants.ts';
import { isProtected } from './protected.ts';
import { matchesTool, ruleSentence, type SourcedRule, touchesPath } from './rules.ts';
import { isSecret } from './secrets.ts';

export type CommandOptions = {
  hookPlaces?: readonly string[];
  readOnlyCommands?: boolean;
  /** It runs in a directory that may be a repository of its own, with hooks of its own. */
  isBelow?: boolean;
  /** What its words come to on the disk, where that is known. */
  reach?: { paths: readonly string[]; isCut: boolean };
};

const TOOL = { name: 'run_command', source: 'builtin' };

export function commandJudge(
  { text, shell, cwd }: CommandLine,
  parser: ShellParser | undefined,
  options: CommandOptions = {},
): CommandJudge {
  const read = analyzeCommand(text, shell, parser);
  const analysis = options.isBelow ? withoutGit(read) : read;
  const { reach } = options;
  const places = [...placesOf(analysis, cwd), ...(reach?.paths ?? [])];
  const touches = (glob: string) => places.some((path) => touchesPath(glob, path));
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
    const granted = grants.flatMap((covers) => (covers.kind === 'command' ? [covers.prefix] : []));
    const allowed = [...prefixes('allow', ({ from, path }) => from === 'user' && path === undefined), ...granted];
    const judge = (allow: readonly (string | readonly string[])[]) => {
      const judged = judgeCommand(analysis, {
        allow,
        deny: prefixes('deny', mayTouch),
        ask: prefixes('ask', mayTouch),
        allowReadOnly: options.readOnlyCommands ?? false,
        guard: (path) => guard(path, options.hookPlaces),
      });
      if (judged.kind !== 'allow' || !reach) return judged;
      const reason = reach.isCut ? 'It looks into more files than can be judged.' : firstOf(reach.paths, (path) => guardRead(path));
      return reason === undefined ? judged : { kind: 'ask' as const, rule: 'guarded-path', reason };
    };
    const judged = judge(allowed);
    if (asked && judged.kind !== 'deny') return { kind: 'ask', rule: 'rule', reason: ruleSentence(asked) };
    if (judged.kind !== 'ask') return judged;
    // A yes can stand for more only where it would then be enough.
    const prefix = suggestedPrefix(analysis);
    if (!prefix || judge([...allowed, prefix]).kind !== 'allow') return judged;
    return { ...judged, covers: [{ kind: 'command', prefix: [...prefix] } satisfies Covers] };
  };
}

/** What the app needs to find out what a command's words come to. */
export function namedBy(
  { text, shell }: CommandLine,
  parser: ShellParser | undefined,
): { words: readonly string[]; searched: SearchedPlaces[] } {
  const { paths, commands } = analyzeCommand(text, shell, parser);
  return { words: paths, searched: commands.flatMap((command) => searchedPlaces(command) ?? []) };
}

/** A directory with the files of a bare repository in it is one to git, and its configuration names programs. */
function withoutGit(analysis: CommandAnalysis): CommandAnalysis {
  const runsGit = analysis.commands.some(({ argv }) => programName(argv[0] ?? '') === 'git');
  return runsGit
    ? { ...analysis, isReadOnly: false, dangers: [...analysis.dangers, concern('other-folder', 'git below the workspace')] }
    : analysis;
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
  return cwd === '.' || cwd === '' ? written : written.flatMap((path) => [path, `${cwd}/${path}`]);
}

function guardRead(path: string): string | undefined {
  if (path.startsWith('../')) return `${path.slice(3)} leads out of the workspace.`;
  return isSecret(path) ? `It reads ${path}, which may hold keys or passwords.` : undefined;
}

/** A path in a command is judged by its letters alone, so what leads out of the workspace asks as well. */
function guard(path: string, hookPlaces: readonly string[] = []): string | undefined {
  const clean = path.replaceAll('\\', '/');
  if (/^([a-z]:)?\/|^~|(^|\/)\.\.(\/|$)/i.test(clean)) return `${path} is outside the workspace.`;
  if (isSecret(clean)) return `${path} may hold keys or passwords.`;
  if (isProtected(clean, hookPlaces)) return `${path} is protected.`;
  return undefined;
}

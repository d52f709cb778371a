/** Describes a rename or replacement and creates a plan for it. */
import type { Check, PlanStep } from '../../core/plan/plan.ts';
import { count, paragraphs, place, placeList } from '../markdown.ts';
import { quote } from '../quotes.ts';
import { IDENTIFIER, type Substitution } from '../request.ts';
import { type FileHits, hitCount } from '../results.ts';
import { directoryOf, EVERYWHERE, isEverywhere, type Scope, scopeText } from '../scope.ts';
import type { Skill } from '../script.ts';
import { affected, exactScope, keepsOld, sentence, targetText } from './affected.ts';
import { note } from './find.ts';
import type { Survey } from './survey.ts';

const MAX_STEPS = 12;
const RESERVED = new Set(
  [
    'break case catch class const continue def default delete do else enum except export extends false finally fn for from func function if',
    'import in instanceof interface let match new nil None null pass package private protected public raise return self static struct super',
    'switch this throw true True False try typeof undefined use var void while with yield',
  ].flatMap((words) => words.split(' ')),
);

/** Returns why a rename is rejected. The new name may contain a dash only if the old one does, as in CSS. */
export function refusal({ kind, from, to }: Substitution): string | undefined {
  if (kind !== 'rename') return undefined;
  const isName = IDENTIFIER.test(to) && (from.includes('-') || !to.includes('-'));
  if (!isName) return `${quote(to)} is not a valid name. Use only letters, digits and _.`;
  return RESERVED.has(to) ? `${quote(to)} is a reserved word in many languages. Choose another name.` : undefined;
}

/** States the limits of a textual rename. */
export function honesty({ kind }: Substitution): string {
  return kind === 'rename'
    ? 'I rename every whole word, including in comments, strings and property names. I cannot tell which of them refer to the same thing.'
    : '';
}

export function* surveySubstitution(request: Substitution): Skill<Survey> {
  const refused = refusal(request);
  if (refused) return { problem: refused };
  const scope = yield* exactScope(request.scope);
  if ('problem' in scope) return scope;
  const where = scopeText(scope);
  const result = yield* affected(request, scope, `Searching for ${targetText(request)}${where}.`, EVERYWHERE);
  if ('problem' in result) return result;
  const unread = [...result.read.values()].flatMap((lookup) => ('problem' in lookup ? [lookup.problem] : []));
  const total = hitCount(result.files);
  if (total === 0)
    return { problem: unread[0] ?? `There is no ${targetText(request)}${where || ' in the workspace'}, so there is nothing to change.` };
  const size = `${result.more ? 'at least ' : ''}${count(total, 'line')} in ${count(result.files.length, 'file')}`;
  return {
    would: paragraphs(
      `${sentence(request)} would change ${size}:`,
      placeList(result.files),
      clashText(request, result.clash),
      honesty(request),
      note(result.more),
    ),
    brief: paragraphs(`There ${total === 1 ? 'is' : 'are'} ${size} to change.`, clashText(request, result.clash), honesty(request)),
    ...(result.clash.length > 0 && { warning: clashLine(request, result.clash) }),
    steps: result.more === undefined ? steps(request, result.files) : [wideStep(request, scope)],
    checks: [check(request, scopeText(request.scope))],
  };
}

export function clashText({ to }: Substitution, clash: readonly FileHits[]): string {
  if (clash.length === 0) return '';
  return `**Warning: ${to} was already in use** on ${count(hitCount(clash), 'line')}. The rename merges the two names:\n\n${placeList(clash, 8)}`;
}

/** Returns the warning of `clashText` in one line, for a plan. */
function clashLine({ to }: Substitution, clash: readonly FileHits[]): string {
  const all = clash.flatMap(({ path, hits }) => hits.map(({ line }) => place(path, line)));
  const more = all.length > 5 ? ` and ${all.length - 5} more` : '';
  return `Warning: ${to} is already in use (${all.slice(0, 5).join(', ')}${more}). The rename merges the two names.`;
}

function check(request: Substitution, where: string): string {
  return keepsOld(request) ? `${quote(request.to)} occurs${where || ' in the workspace'}` : `No ${targetText(request)} is left${where}`;
}

/** Returns a check that Kedge can run without the model: that the old text no longer occurs in these files. */
function search(request: Substitution, paths: readonly string[]): Check | undefined {
  const isWord = /^\w+$/.test(request.from);
  if (keepsOld(request) || (request.kind === 'rename' && !isWord) || paths.some((path) => /[*?{}[\],]/.test(path))) return undefined;
  const pattern = request.kind === 'rename' ? `\\b${request.from}\\b` : request.from.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return /\n/.test(pattern) ? undefined : { search_empty: { pattern, glob: paths.length === 1 ? paths[0] : `{${paths.join(',')}}` } };
}

function steps(request: Substitution, files: readonly FileHits[]): PlanStep[] {
  const step = (where: string, paths: string[]): PlanStep => ({
    title: sentence(request, ` in ${where}`),
    files: paths,
    tools: ['replace_in_file'],
    check: search(request, paths) ?? check(request, ` in ${where}`),
  });
  if (files.length <= MAX_STEPS) return files.map(({ path }) => step(/\s/.test(path) ? quote(path) : path, [path]));
  const byDirectory = (depth: number) => {
    const groups = new Map<string, FileHits[]>();
    for (const file of files) {
      const directory = directoryOf(file.path).split('/').slice(0, depth).join('/');
      groups.set(directory, [...(groups.get(directory) ?? []), file]);
    }
    return groups;
  };
  const exact = byDirectory(Number.POSITIVE_INFINITY);
  const groups = exact.size <= MAX_STEPS ? exact : byDirectory(1);
  return [...groups].map(([directory, members]) => {
    const paths = members.map(({ path }) => path);
    return step(directory === '' ? 'the top directory' : `${directory}/`, paths);
  });
}

/** Returns a single step for all files, for changes with too many matches to list in one search. */
function wideStep(request: Substitution, scope: Scope): PlanStep {
  const where = scopeText(scope);
  const files = isEverywhere(scope) ? ['**'] : [...scope.globs, ...scope.paths];
  return { title: sentence(request, where), files, tools: ['replace_in_file'], check: check(request, where) };
}

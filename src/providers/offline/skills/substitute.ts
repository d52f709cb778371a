/** Rename and replace: what they would change, and the plan for it. */
import type { PlanStep } from '../../../core/plan.ts';
import { count, paragraphs, place, placeList } from '../markdown.ts';
import type { Substitution } from '../request.ts';
import { type FileHits, hitCount } from '../results.ts';
import { directoryOf, isEverywhere, type Scope, scopeText } from '../scope.ts';
import type { Skill } from '../script.ts';
import { quote } from '../words.ts';
import { affected, exactScope, keepsOld, sentence, wanted } from './affected.ts';
import { note } from './find.ts';
import type { Survey } from './survey.ts';

const MAX_STEPS = 12;

export function* surveySubstitution(request: Substitution): Skill<Survey> {
  const scope = yield* exactScope(request.scope);
  if ('problem' in scope) return scope;
  const where = scopeText(scope);
  const found = yield* affected(request, scope, `Searching for ${wanted(request)}${where}.`, true);
  if ('problem' in found) return found;
  const unread = [...found.read.values()].flatMap((lookup) => ('problem' in lookup ? [lookup.problem] : []));
  const total = hitCount(found.files);
  if (total === 0)
    return { problem: unread[0] ?? `There is no ${wanted(request)}${where || ' in the workspace'}, so there is nothing to change.` };
  const size = `${found.more ? 'at least ' : ''}${count(total, 'line')} in ${count(found.files.length, 'file')}`;
  return {
    would: paragraphs(
      `${sentence(request)} would change ${size}:`,
      placeList(found.files),
      clashText(request, found.clash),
      note(found.more),
    ),
    brief: paragraphs(`There ${total === 1 ? 'is' : 'are'} ${size} to change.`, clashText(request, found.clash)),
    steps: found.more === undefined ? steps(request, found.files) : [wideStep(request, scope)],
    checks: [check(request, scopeText(request.scope))],
  };
}

export function clashText({ to }: Substitution, clash: readonly FileHits[]): string {
  const first = clash[0];
  if (!first) return '';
  const lines = hitCount(clash);
  const cited = `${place(first.path, first.hits[0]?.line ?? 1)}${lines > 1 ? ` and ${lines - 1} more` : ''}`;
  return `Note that ${to} was in use already, on ${count(lines, 'line')} (${cited}): with this, the two names become one.`;
}

function check(request: Substitution, where: string): string {
  return keepsOld(request) ? `${quote(request.to)} stands${where || ' in the workspace'}` : `No ${wanted(request)} is left${where}`;
}

function steps(request: Substitution, files: readonly FileHits[]): PlanStep[] {
  const step = (where: string, paths: string[]): PlanStep => ({
    title: sentence(request, ` in ${where}`),
    files: paths,
    tools: ['replace_in_file'],
    check: check(request, ` in ${where}`),
  });
  if (files.length <= MAX_STEPS) return files.map(({ path }) => step(/\s/.test(path) ? quote(path) : path, [path]));
  const byDirectory = (depth: number) => Map.groupBy(files, ({ path }) => directoryOf(path).split('/').slice(0, depth).join('/'));
  const exact = byDirectory(Number.POSITIVE_INFINITY);
  const groups = exact.size <= MAX_STEPS ? exact : byDirectory(1);
  return [...groups].map(([directory, members]) => {
    const paths = members.map(({ path }) => path);
    return step(directory === '' ? 'the top directory' : `${directory}/`, paths);
  });
}

/** Too many hits for one search: which files there are shows only while they are changed. */
function wideStep(request: Substitution, scope: Scope): PlanStep {
  const where = scopeText(scope);
  const files = isEverywhere(scope) ? ['**'] : [...scope.globs, ...scope.paths];
  return { title: sentence(request, where), files, tools: ['replace_in_file'], check: check(request, where) };
}

/** Carries out a rename or replacement: search, read, edit, and search again. */
import { exactEdits } from '../edits.ts';
import { bullets, count, paragraphs, placeList } from '../markdown.ts';
import { quote } from '../quotes.ts';
import type { Substitution } from '../request.ts';
import { type FileHits, hitCount } from '../results.ts';
import { EVERYWHERE, hasGlob, type Scope, scopeText } from '../scope.ts';
import { ask, type Context, type Outcome, type Skill } from '../script.ts';
import { type Affected, affected, changer, exactScope, keepsOld, targetText } from './affected.ts';
import { note } from './find.ts';
import { type File, type Lookup, readAll } from './lookup.ts';
import { clashText, honesty, refusal } from './substitute.ts';
import { firstLine, problemOutcome } from './survey.ts';

const MAX_ROUNDS = 25;

type Work = {
  done: { path: string; lines: { line: number; text: string }[] }[];
  failed: { path: string; reason: string }[];
  attempted: Set<string>;
};

/** Repeats the search because a single search may not return all matches. Each file is edited only once. */
export function* actSubstitution(request: Substitution, context: Context): Skill<Outcome> {
  const refused = refusal(request);
  if (refused) return problemOutcome(refused);
  const isStep = context.files !== undefined && context.files.length > 0;
  const scope = isStep ? stepScope(context.files as readonly string[]) : yield* exactScope(request.scope);
  if ('problem' in scope) return problemOutcome(scope.problem);
  const work: Work = { done: [], failed: [], attempted: new Set() };
  let clash: FileHits[] = [];
  for (let round = 1; ; round++) {
    const say = round === 1 ? `Looking for ${targetText(request)}${scopeText(scope)}.` : 'Searching again for remaining matches.';
    const result = yield* affected(request, scope, say, round === 1 ? (isStep ? scope : EVERYWHERE) : undefined);
    if ('problem' in result)
      return round === 1 ? problemOutcome(result.problem) : report(request, scope, work, { files: [], more: result.problem, clash });
    if (round === 1) clash = result.clash;
    const unread = [...result.read].filter(([, lookup]) => 'problem' in lookup).map(([path]) => path);
    const open = [...unread, ...result.files.map(({ path }) => path)].filter((path) => !work.attempted.has(path));
    if (open.length === 0 || round > MAX_ROUNDS) return report(request, scope, work, { ...result, clash });
    yield* changeFiles(request, open, result.read, work, round === 1 ? clashText(request, clash) : '');
  }
}

/** Returns the files of a step as a scope. A step may change only these files, even if its title contains others. */
function stepScope(files: readonly string[]): Scope {
  return { paths: files.filter((entry) => !hasGlob(entry)), globs: files.filter(hasGlob) };
}

function* changeFiles(
  request: Substitution,
  paths: readonly string[],
  lookups: ReadonlyMap<string, Lookup>,
  work: Work,
  warning: string,
): Skill<void> {
  const unreadPaths = paths.filter((path) => !lookups.has(path));
  const read = yield* readAll('', unreadPaths);
  const ready: ReturnType<typeof editsOf>[] = [];
  for (const path of paths) {
    work.attempted.add(path);
    const lookup = lookups.get(path) ?? read.get(path);
    if (!lookup || 'problem' in lookup) {
      work.failed.push({ path, reason: lookup?.problem ?? 'The file could not be read.' });
      continue;
    }
    const edits = editsOf(request, lookup.file);
    if (edits.tooLong.length > 0)
      work.failed.push({ path, reason: `Line ${edits.tooLong.join(', ')} is too long for a safe edit. Change it in the editor.` });
    if (edits.calls.length > 0) ready.push(edits);
  }
  const total = ready.reduce((sum, { lines }) => sum + lines.length, 0);
  const replies = yield* ask(
    paragraphs(warning, `Changing ${count(total, 'line')} in ${count(ready.length, 'file')}.`),
    ready.map(({ path, calls }) => ({ name: 'replace_in_file', input: { path, edits: calls } })),
  );
  for (const [index, { path, lines }] of ready.entries()) {
    const reply = replies[index];
    if (reply && !reply.isError) work.done.push({ path, lines });
    else work.failed.push({ path, reason: reply?.text ?? 'The edit has no result. Send the request again.' });
  }
}

function editsOf(request: Substitution, { path, lines, cut }: File) {
  const change = changer(request);
  const changes = new Map<number, string>();
  const tooLong: number[] = [];
  for (const [index, line] of lines.entries()) {
    const now = change(line, path);
    if (now !== line && cut.has(index)) tooLong.push(index + 1);
    else if (now !== line) changes.set(index, now);
  }
  return { path, tooLong, calls: exactEdits(lines, changes, cut), lines: [...changes].map(([index, text]) => ({ line: index + 1, text })) };
}

function report(request: Substitution, scope: Scope, { done, failed }: Work, matches: Pick<Affected, 'files' | 'more' | 'clash'>): Outcome {
  const where = scopeText(scope) || ' in the workspace';
  const isFailed = new Set(failed.map(({ path }) => path));
  const remainingFiles = keepsOld(request) ? [] : matches.files.filter(({ path }) => !isFailed.has(path));
  if (done.length === 0 && failed.length === 0 && remainingFiles.length === 0)
    return problemOutcome(`There is no ${targetText(request)}${where}; nothing was changed.`);
  const total = done.reduce((sum, file) => sum + file.lines.length, 0);
  const names =
    request.kind === 'rename' ? `Renamed ${request.from} to ${request.to}` : `Replaced ${quote(request.from)} with ${quote(request.to)}`;
  const reasons = failed.map(({ path, reason }) => `${path}: ${firstLine(reason)}`);
  const remaining = remainingFiles.map(({ path, hits }) => `${path}:${hits[0]?.line} still contains ${targetText(request)}`);
  const isClean = reasons.length === 0 && remainingFiles.length === 0 && matches.more === undefined && !keepsOld(request);
  const clashes = total > 0 ? clashText(request, matches.clash) : '';
  return {
    text: paragraphs(
      total > 0 ? `${names}: ${count(total, 'line')} in ${count(done.length, 'file')}.` : 'Nothing was changed.',
      clashes,
      placeList(done.map(({ path, lines }) => ({ path, hits: lines }))),
      reasons.length > 0 ? `Not changed:\n\n${bullets(reasons)}` : '',
      remainingFiles.length > 0 ? `Remaining on ${count(hitCount(remainingFiles), 'line')}:\n\n${placeList(remainingFiles)}` : '',
      isClean && !clashes ? `I searched again: no ${targetText(request)} is left${where}.` : '',
      total > 0 ? honesty(request) : '',
      note(matches.more),
    ),
    ...(reasons.length + remaining.length > 0 && { failed: [...reasons, ...remaining].slice(0, 3).join('; ') }),
    ...(clashes && { doubtful: true }),
  };
}

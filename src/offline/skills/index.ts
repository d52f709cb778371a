/** Runs the skill for each kind of request. The mode determines whether a change is described, planned or carried out. */
import type { PlanDraft, PlanStep } from '../../core/plan/plan.ts';
import { count, paragraphs } from '../markdown.ts';
import { type Change, isChange, type Question, type Request } from '../request.ts';
import { askOne, type Context, type Outcome, type Skill } from '../script.ts';
import { documents, NOT_FOUND, SEARCH } from './documents.ts';
import { actFile, surveyFile } from './files.ts';
import { text, where } from './find.ts';
import { ASK_CANNOT_WRITE, GREETING, HELP_AGAIN, help } from './help.ts';
import { overview } from './overview.ts';
import { counting, explain, files, listing, read } from './show.ts';
import { surveySubstitution } from './substitute.ts';
import { actSubstitution } from './substitute-act.ts';
import { firstLine, type Survey } from './survey.ts';

/** @param goal the request in the user's own words */
export function* answer(request: Request, goal: string, context: Context): Skill<Outcome> {
  const readsFiles = context.offered.has('read_file');
  if (context.offered.has(SEARCH) && (request.kind === 'unknown' || !readsFiles)) {
    const found = yield* documents(goal);
    // Without the tools for files, only the documents can be asked.
    if (found || !readsFiles) return found ?? NOT_FOUND;
  }
  if (request.kind === 'greeting') return { text: GREETING };
  if (request.kind === 'unknown')
    return { text: context.helped ? HELP_AGAIN : help(context.mode), failed: 'Offline does not understand this request' };
  const requests = request.kind === 'several' ? request.requests : [request];
  if (context.mode === 'plan' && requests.some(isChange)) return yield* propose(requests.filter(isChange), goal);
  const outcomes: Outcome[] = [];
  for (const each of requests) outcomes.push(yield* isChange(each) ? change(each, context) : question(each));
  const failed = outcomes.flatMap((outcome) => outcome.failed ?? []).join('; ');
  const cannot = context.mode === 'ask' && requests.some(isChange) ? ASK_CANNOT_WRITE : '';
  const doubtful = outcomes.some((outcome) => outcome.doubtful);
  return { text: paragraphs(...outcomes.map((outcome) => outcome.text), cannot), ...(failed && { failed }), ...(doubtful && { doubtful }) };
}

function question(request: Question): Skill<Outcome> {
  switch (request.kind) {
    case 'where':
      return where(request);
    case 'text':
      return text(request);
    case 'files':
      return files(request);
    case 'list':
      return listing(request);
    case 'explain':
      return explain(request);
    case 'overview':
      return overview();
    case 'count':
      return counting(request);
    case 'read':
      return read(request);
  }
}

function survey(request: Change): Skill<Survey> {
  return request.kind === 'rename' || request.kind === 'replace' ? surveySubstitution(request) : surveyFile(request);
}

function* change(request: Change, context: Context): Skill<Outcome> {
  if (context.mode === 'agent')
    return yield* request.kind === 'rename' || request.kind === 'replace' ? actSubstitution(request, context) : actFile(request);
  const result = yield* survey(request);
  return 'problem' in result ? { text: result.problem, failed: result.problem } : { text: result.would };
}

function* propose(requests: readonly Change[], goal: string): Skill<Outcome> {
  const steps: PlanStep[] = [];
  const checks: string[] = [];
  const briefs: string[] = [];
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const request of requests) {
    const result = yield* survey(request);
    if ('problem' in result) {
      problems.push(result.problem);
      continue;
    }
    steps.push(...result.steps);
    checks.push(...(result.checks ?? []));
    briefs.push(result.brief);
    if (result.warning) warnings.push(result.warning);
  }
  if (steps.length === 0) return { text: paragraphs(...problems, 'There is no plan to propose.'), failed: problems.join('; ') };
  const plan: PlanDraft = { goal: [goal, ...warnings].join('\n'), steps, ...(checks.length > 0 && { checks }) };
  const say = paragraphs(...briefs, ...problems, `The plan has ${count(steps.length, 'step')}.`);
  const reply = yield* askOne(say, { name: 'propose_plan', input: plan });
  if (reply.isError) return { text: `The plan could not be proposed: ${firstLine(reply.text)}`, failed: reply.text };
  return { text: 'The plan was proposed. Nothing is changed before you confirm it.' };
}

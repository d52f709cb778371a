/** Carries out a confirmed plan step by step. Each step's title is parsed by the grammar, and only the step's files may be changed. */
import { parseRequest } from '../grammar.ts';
import { bullets, count, paragraphs } from '../markdown.ts';
import type { ConfirmedPlan } from '../message.ts';
import { ask, type Call, type Context, type Outcome, type Reply, type Skill } from '../script.ts';
import { runChecks } from './checks.ts';
import { answer } from './index.ts';

const NOT_UNDERSTOOD = 'Offline does not understand this step. Choose another model for the plan.';

export function* carryOut(plan: ConfirmedPlan, context: Context): Skill<Outcome> {
  const reports: string[] = [];
  const failures: string[] = [];
  const doubtfulSteps: number[] = [];
  // Step updates are sent with the calls of the next turn, so that they do not need a separate turn.
  let notes: Call[] = [];
  for (const [index, { title, files, agent, state }] of plan.steps.entries()) {
    if (state) continue;
    const step = index + 1;
    const name = title.split('\n', 1)[0] ?? title;
    const request = parseRequest(title);
    notes.push(update(step, 'started'));
    if (agent !== undefined) {
      // The call that starts the step returns when the agent has carried it out.
      const replies = yield* ask('', notes);
      const ended = replies.at(-1);
      if (replies.slice(0, -1).some(({ isError }) => isError) || !ended)
        return rejectedOutcome(replies.find(({ isError }) => isError) as Reply, reports);
      notes = [];
      if (ended.isError) failures.push(`step ${step}`);
      reports.push(`**${step}. ${name.slice(0, 160)}**: ${ended.isError ? 'failed' : 'done'}\n\n${ended.text}`);
      continue;
    }
    const skill = request.kind === 'unknown' ? undefined : answer(request, title, { ...context, mode: 'agent', files });
    const [outcome, unsentNotes, refused] = skill
      ? yield* runWithCalls(notes, skill)
      : ([{ text: NOT_UNDERSTOOD, failed: NOT_UNDERSTOOD }, notes] as const);
    if (refused) return rejectedOutcome(refused, reports);
    notes = [...unsentNotes, outcome.failed === undefined ? update(step, 'done') : update(step, 'failed', outcome.failed)];
    if (outcome.doubtful) doubtfulSteps.push(step);
    if (outcome.failed !== undefined) failures.push(`step ${step}`);
    reports.push(`**${step}. ${name.slice(0, 160)}**: ${outcome.failed === undefined ? 'done' : 'failed'}\n\n${outcome.text}`);
  }
  const refused = (yield* ask('', notes)).find(({ isError }) => isError);
  if (refused) return rejectedOutcome(refused, reports);
  const { lines, broken } = yield* runChecks(plan.checks ?? []);
  if (broken > 0) failures.push(count(broken, 'check'));
  const total = reports.length;
  const done = reports.length - failures.filter((each) => each.startsWith('step ')).length;
  const clashes = doubtfulSteps.length > 0 ? ` Check step ${doubtfulSteps.join(', ')}: the new name was already in use.` : '';
  const intro =
    failures.length === 0
      ? `The plan was carried out: ${count(total, 'step')} done.`
      : `${done} of ${count(total, 'step')} done; failed: ${failures.join(', ')}.`;
  return {
    text: paragraphs(intro + clashes, ...reports, lines.length > 0 ? `Checks:\n\n${bullets(lines)}` : ''),
    ...(failures.length > 0 && { failed: failures.join(', ') }),
  };
}

function update(step: number, status: 'started' | 'done' | 'failed', note?: string): Call {
  return { name: 'update_step', input: { step, status, ...(note !== undefined && { note: note.slice(0, 500) }) } };
}

/** Creates the outcome of a plan with a rejected step. Offline does not try again, because it would send the same call again. */
function rejectedOutcome({ text }: Reply, reports: readonly string[]): Outcome {
  return {
    text: paragraphs(
      'I stopped because a step update was rejected, and I cannot correct it. Choose another model for the plan.',
      text,
      ...reports,
    ),
    failed: text,
  };
}

/**
 * Runs a skill and adds `calls` to its first turn.
 * @returns the outcome, the calls that were not sent because the skill made none, and the first rejection of the added calls
 */
function* runWithCalls(calls: Call[], skill: Skill<Outcome>): Skill<readonly [Outcome, Call[], Reply?]> {
  let ahead = calls;
  let state = skill.next();
  while (!state.done) {
    const replies = yield { say: state.value.say, calls: [...ahead, ...state.value.calls] };
    const refused = replies.slice(0, ahead.length).find(({ isError }) => isError);
    if (refused) return [{ text: '' }, [], refused];
    state = skill.next(replies.slice(ahead.length));
    ahead = [];
  }
  return [state.value, ahead];
}

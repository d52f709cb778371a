import type { NotePart } from '../model/messages.ts';
import { note } from '../model/notes.ts';
import type { Check, Plan, PlanDraft, PlanStep } from './schema.ts';

export type { Check, Plan, PlanDraft, PlanStep } from './schema.ts';

export type PlanStatus = 'proposed' | 'confirmed' | 'discarded' | 'superseded';
export type StepStatus = 'started' | 'done' | 'failed' | 'skipped';

/** A check that Kedge runs. A plain string is a remark for the user. */
export type RunCheck = Exclude<Check, string>;

/** Formats a check as one line. `of` is the step or plan whose files a check for errors covers. */
export function checkText(check: Check, of: 'step' | 'plan' = 'step'): string {
  if (typeof check === 'string') return check;
  if ('command' in check) return `command: ${check.command}`;
  if ('diagnostics' in check) return `no errors in the files of the ${of}`;
  const { pattern, glob } = check.search_empty;
  return `nothing matches ${pattern}${glob ? ` in ${glob}` : ''}`;
}

/** Returns the checks after the last step that Kedge runs. */
export function checksAtEnd({ checks = [] }: Pick<PlanDraft, 'checks'>): RunCheck[] {
  return checks.filter((check) => typeof check !== 'string');
}

/** Returns every command that a check of the plan runs. */
export function checkCommands({ steps, checks = [] }: Pick<PlanDraft, 'steps' | 'checks'>): string[] {
  const all = [...steps.map(({ check }) => check), ...checks];
  return all.flatMap((check) => (typeof check === 'object' && 'command' in check ? [check.command] : []));
}

/** Returns true if an agent carries out a step of the plan. */
export function hasAgents({ steps }: Pick<PlanDraft, 'steps'>): boolean {
  return steps.some(({ agent }) => agent !== undefined);
}

export function isSameCheck(a: Check, b: Check): boolean {
  return checkText(a) === checkText(b);
}

/**
 * Formats the plan as text for the model and the terminal. Steps are numbered from 1. `stepStates` contains the states of the finished
 * steps by number.
 */
export function planText(plan: PlanDraft, stepStates: Readonly<Record<number, string>> = {}): string {
  const steps = plan.steps.map((step, index) => {
    const lines = [`${index + 1}. ${step.title}`];
    if (step.detail) lines.push(`   detail: ${step.detail.replace(/\s+/g, ' ')}`);
    if (step.files.length) lines.push(`   files: ${step.files.join(', ')}`);
    if (step.tools?.length) lines.push(`   tools: ${step.tools.join(', ')}`);
    if (step.agent) lines.push(`   agent: ${step.agent.replace(/\s+/g, ' ')}`);
    if (step.check) lines.push(`   check: ${checkText(step.check)}`);
    const state = stepStates[index + 1];
    if (state) lines.push(`   state: ${state}`);
    return lines.join('\n');
  });
  const list = (title: string, entries: readonly string[] | undefined) =>
    entries?.length ? ['', `${title}:`, ...entries.map((entry) => `- ${entry}`)] : [];
  const estimate = plan.estimatedCalls ? ['', `Estimated calls: ${plan.estimatedCalls}`] : [];
  const remarks = plan.checks?.filter((check) => typeof check === 'string');
  const atEnd = checksAtEnd(plan).map((check) => checkText(check, 'plan'));
  const more = [...list('Checks', remarks), ...list(RUN_AT_END, atEnd), ...list('Assumptions', plan.assumptions), ...estimate];
  return [`Goal: ${plan.goal}`, '', ...steps, ...more].join('\n');
}

/** The heading of the checks that Kedge runs. Offline finds these checks in the text of the plan by this heading. */
export const RUN_AT_END = 'Checks that are run after the last step';

const HOW =
  'Carry out the plan step by step. Call update_step with status "started" before each step and with "done" or "failed" after it. During a step, only its files may change. Its check is run when you report the step as done.';

const BY_AGENTS =
  ' A step with an agent is carried out by that agent when you report it "started", and its answer is the result. The agent sees only the step and your note, so tell it there what it needs. Report no further status of such a step.';

/** Builds the note that starts or continues the run of a confirmed plan. */
export function planNote(plan: Plan, stepStates: Readonly<Record<number, string>> = {}): NotePart {
  const first = plan.steps.findIndex((_, index) => !stepStates[index + 1]) + 1;
  const resumed = Object.keys(stepStates).length > 0 && first > 0 ? ` Steps with a state are finished. Begin with step ${first}.` : '';
  const agents = hasAgents(plan) ? BY_AGENTS : '';
  return note('plan', `The user confirmed this plan. ${HOW}${agents}${resumed}\n\n${planText(plan, stepStates)}`);
}

/** Builds the note that accompanies the user's request to change a plan. */
export function changeNote(plan: Plan): NotePart {
  return note('plan_change', `Propose the plan below again, with the changes that the user requests.\n\n${planText(plan)}`);
}

/** Adds files to a step of the plan or, without `step`, to a new step at the end. Returns the new revision. */
export function widenPlan(plan: Plan, step: number | undefined, files: readonly string[]): Plan {
  const { hash: _, ...rest } = plan;
  const wider = (entry: PlanStep) => ({ ...entry, files: [...new Set([...entry.files, ...files])] });
  const steps =
    step === undefined
      ? [...plan.steps, { title: `Change ${files.join(', ')}`, files: [...files] }]
      : plan.steps.map((entry, index) => (index + 1 === step ? wider(entry) : entry));
  return { ...rest, steps, revision: plan.revision + 1 };
}

/** Returns the plan with the top-level folder `from` replaced by `to` in all its paths. */
export function rerootPlan(plan: Plan, from: string, to: string): Plan {
  const { hash: _, ...rest } = plan;
  const path = (entry: string) => (entry === from || entry.startsWith(`${from}/`) ? to + entry.slice(from.length) : entry);
  const steps = plan.steps.map((step) => {
    const files = step.files.map(path);
    const { check } = step;
    if (typeof check !== 'object' || !('search_empty' in check) || !check.search_empty.glob) return { ...step, files };
    return { ...step, files, check: { search_empty: { ...check.search_empty, glob: path(check.search_empty.glob) } } };
  });
  return { ...rest, steps };
}

/** Splits a user message into the request and the context that the host appended, and parses confirmed plans. */
import { type PlanDraft, RUN_AT_END } from '../core/plan/plan.ts';

/** A file, or a range of its lines, that the user attached or selected. */
export type Reference = { path: string; from?: number; to?: number };
export type UserText = { request: string; references: Reference[] };

const TAGS = 'file|selection|folder|directory|diagnostics|problems|terminal|context|reference|attachment|document';
const BLOCK = new RegExp(`^[ \\t]*<(${TAGS})\\b([^>]*)>[\\s\\S]*?</\\1>[ \\t]*$`, 'gm');

export function splitMessage(text: string): UserText {
  const references: Reference[] = [];
  const request = text.replace(BLOCK, (_block, _tag, attributes: string) => {
    const path = /\bpath="([^"]*)"/.exec(attributes)?.[1];
    const [, from, to] = /\blines="(\d+)(?:\s*[-–]\s*(\d+))?"/.exec(attributes) ?? [];
    if (path) references.push({ path, ...(from && { from: Number(from), to: Number(to ?? from) }) });
    return '';
  });
  return { request: request.trim(), references };
}

export function isConfirmedPlan(text: string): boolean {
  return text.startsWith('The user confirmed this plan.');
}

/** A plan that the user confirmed. A step with a state has already ended. */
export type ConfirmedPlan = Omit<PlanDraft, 'steps' | 'checks'> & {
  steps: (PlanDraft['steps'][number] & { state?: string })[];
  /** The facts that Offline checks after the last step. */
  checks?: string[];
};

/** The headings of the sections below the steps and checks, which are ignored. */
const OTHERS = new RegExp(`^(Assumptions:|Estimated calls: \\d+|${RUN_AT_END}:)$`);

/** Parses the text written by `planText`. A title may have several lines; inside a fenced block, lines are not parsed as plan elements. */
export function parsePlan(text: string): ConfirmedPlan {
  const plan: ConfirmedPlan = { goal: '', steps: [] };
  let checks: string[] | undefined;
  let fenced = false;
  for (const line of text.slice(Math.max(0, text.search(/^Goal: /m))).split('\n')) {
    const step = plan.steps.at(-1);
    if (step && /^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const [, number, title] = fenced ? [] : (/^(\d+)\. (.*)$/.exec(line) ?? []);
    const [, key, value] = fenced ? [] : (/^ {3}(detail|files|tools|agent|check|state): (.*)$/.exec(line) ?? []);
    if (!fenced && step && OTHERS.test(line)) break;
    if (!fenced && checks && line.startsWith('- ')) checks.push(line.slice(2));
    else if (!fenced && line === 'Checks:' && step) checks = [];
    else if (Number(number) === plan.steps.length + 1) plan.steps.push({ title: title as string, files: [] });
    else if (step && key === 'files') step.files = (value as string).split(', ');
    else if (step && key === 'tools') step.tools = (value as string).split(', ');
    else if (step && key === 'agent') step.agent = value as string;
    else if (step && key === 'check') step.check = value as string;
    else if (step && key === 'detail') step.detail = value as string;
    else if (step && key === 'state') step.state = value as string;
    else if (step && !checks && line.trim() !== '') step.title += `\n${line}`;
    else if (!step) plan.goal += line.startsWith('Goal: ') ? line.slice(6) : `\n${line}`;
  }
  plan.goal = plan.goal.trim();
  if (checks?.length) plan.checks = checks;
  return plan;
}

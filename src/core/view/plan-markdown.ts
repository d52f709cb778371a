/** Formats a plan as a Markdown document. A plan that was started includes its progress. */

import { shortHash } from '../plan/hash.ts';
import { type Check, checkText, isSameCheck, type Plan } from '../plan/plan.ts';
import { isOver, statusText } from '../plan/progress.ts';
import type { RunRecord } from '../session/session-state.ts';
import { codeSpan } from '../words/markdown-code.ts';
import { visibleLine } from '../words/visible-text.ts';

/** `endChecks` are the results of the checks after the last step. */
export function planMarkdown(plan: Plan, { steps = {}, endChecks = [] }: Partial<Pick<RunRecord, 'steps' | 'endChecks'>> = {}): string {
  const begun = Object.keys(steps).length > 0;
  const hash = shortHash(plan);
  const head = [`# ${oneLine(plan.goal)}`, '', `Revision ${plan.revision}${hash ? `, ${hash}` : ''}`, '', '## Steps', ''];
  const body = plan.steps.flatMap((step, index) => {
    const state = steps[index + 1];
    const box = begun ? `[${isOver(state) ? 'x' : ' '}] ` : '';
    const facts = [
      ...(step.detail ? [step.detail] : []),
      ...(step.files.length > 0 ? [`May change: ${step.files.map(code).join(', ')}`] : ['Changes nothing']),
      ...(step.agent ? [`Agent: ${code(step.agent)}`] : []),
      ...(step.tools?.length ? [`Tools: ${step.tools.join(', ')}`] : []),
      ...(step.check ? [`Check: ${checkMarkdown(step.check)}`] : []),
      ...(state ? [`State: ${statusText(state)}${state.note ? ` (${oneLine(state.note)})` : ''}`] : []),
      ...(state?.check ? [`The check ${OUTCOME[state.check.outcome]}.`] : []),
    ];
    return [`${index + 1}. ${box}**${oneLine(step.title)}**`, ...facts.map((fact) => `   - ${oneLine(fact)}`)];
  });
  const atEnd = plan.checks?.map((check) => {
    const result = endChecks.find((each) => isSameCheck(each.check, check));
    return `${checkMarkdown(check, 'plan')}${result ? `: ${OUTCOME[result.outcome]}` : ''}`;
  });
  return `${[...head, ...body, ...list('Assumptions', plan.assumptions), ...list('Checks at the end', atEnd), ...estimate(plan)].join('\n')}\n`;
}

function list(title: string, entries: readonly string[] | undefined): string[] {
  return entries?.length ? ['', `## ${title}`, '', ...entries.map((entry) => `- ${oneLine(entry)}`)] : [];
}

function estimate({ estimatedCalls }: Plan): string[] {
  return estimatedCalls ? ['', `About ${estimatedCalls} calls.`] : [];
}

const OUTCOME = { passed: 'passed', failed: 'failed', not_run: 'could not run' } as const;

function checkMarkdown(check: Check, of: 'step' | 'plan' = 'step'): string {
  if (typeof check === 'string' || 'diagnostics' in check) return checkText(check, of);
  if ('command' in check) return `run ${code(check.command)}`;
  const { pattern, glob } = check.search_empty;
  return `nothing matches ${code(pattern)}${glob ? ` in ${code(glob)}` : ''}`;
}

function code(exact: string): string {
  return codeSpan(visibleLine(exact));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

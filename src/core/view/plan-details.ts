/** Formats a plan for the user who confirms it, in all hosts. The model receives `planText` instead. */
import { type Check, checkText, type PlanDraft, type PlanStep } from '../plan/plan.ts';
import { visibleCommand, visibleLine } from '../words/visible-text.ts';

/** `means` explains in words which files a glob covers. */
export type StepFile = { path: string; text: string; means?: string };
export type StepDetails = { title: string; detail?: string; files: StepFile[]; tools?: string; agent?: string; check?: CheckDetails };
/** Kedge runs a `command` unchanged and performs a `search` or `problems` check itself. A `remark` is for the user and is not run. */
export type CheckDetails = { kind: 'command' | 'search' | 'problems' | 'remark'; text: string };

export function stepDetails({ title, detail, files, tools, agent, check }: PlanStep): StepDetails {
  return {
    title: visibleCommand(title),
    ...(detail && { detail: visibleCommand(detail) }),
    files: files.map((path) => {
      const means = scopeMeaning(path);
      return { path, text: visibleLine(path), ...(means && { means }) };
    }),
    ...(tools?.length && { tools: visibleLine(tools.join(', ')) }),
    ...(agent && { agent: visibleLine(agent) }),
    ...(check !== undefined && { check: checkDetails(check) }),
  };
}

export function checkDetails(check: Check, of: 'step' | 'plan' = 'step'): CheckDetails {
  if (typeof check === 'string') return { kind: 'remark', text: visibleCommand(check) };
  if ('command' in check) return { kind: 'command', text: visibleLine(check.command) };
  return { kind: 'diagnostics' in check ? 'problems' : 'search', text: visibleLine(checkText(check, of)) };
}

/** Formats a check after the last step as one line. */
export function endCheckText(check: Check): string {
  const { kind, text } = checkDetails(check, 'plan');
  return kind === 'command' ? `command: ${text}` : text;
}

/** Formats the plan like `planText`. Further lines of a title are indented, so that none of them looks like a step. */
export function planLines(plan: PlanDraft): string {
  const steps = plan.steps
    .map(stepDetails)
    .map(({ title, detail, files, tools, agent, check }, index) =>
      [
        `${index + 1}. ${title.replaceAll('\n', '\n   ')}`,
        ...(detail ? [`   detail: ${detail.replace(/\s+/g, ' ')}`] : []),
        ...(files.length > 0 ? [`   files: ${files.map(({ text, means }) => (means ? `${text} (${means})` : text)).join(', ')}`] : []),
        ...(tools ? [`   tools: ${tools}`] : []),
        ...(agent ? [`   agent: ${agent}`] : []),
        ...(check ? [`   check: ${check.kind === 'command' ? 'command: ' : ''}${check.text.replaceAll('\n', '\n   ')}`] : []),
      ].join('\n'),
    );
  const list = (title: string, entries: readonly string[] | undefined) =>
    entries?.length ? ['', `${title}:`, ...entries.map((entry) => `- ${visibleCommand(entry).replaceAll('\n', '\n  ')}`)] : [];
  const estimate = plan.estimatedCalls ? ['', `Estimated calls: ${plan.estimatedCalls}`] : [];
  const more = [...list('Checks at the end', plan.checks?.map(endCheckText)), ...list('Assumptions', plan.assumptions), ...estimate];
  return [`Goal: ${visibleCommand(plan.goal).replaceAll('\n', '\n   ')}`, '', ...steps, ...more].join('\n');
}

const IS_GLOB = /[*?{]/;

/** Explains which files a glob of a plan matches. Returns undefined for a plain path. A `*` does not match names that begin with a dot. */
export function scopeMeaning(entry: string): string | undefined {
  const glob = entry.replace(/^\.\//, '');
  if (!IS_GLOB.test(glob)) return undefined;
  const [, folder = '', below, extension] = /^([^*?{[]*\/)?(\*\*|\*\*\/\*|\*)(\.[\w.]+)?$/.exec(glob) ?? [];
  if (!below || (below === '**' && extension)) return 'every file that matches this pattern';
  const which = `every ${extension ? `${visibleLine(extension)} ` : ''}file`;
  if (below === '*') return folder ? `${which} directly in ${visibleLine(folder)}` : `${which} at the top of the workspace`;
  if (!folder) return `${which} in the workspace, except hidden files`;
  return below === '**' ? `${visibleLine(folder.slice(0, -1))} and every file below it` : `${which} below ${visibleLine(folder)}`;
}

/** Runs the check of a plan step: a command that must succeed, a search that must find nothing, or files that must have no errors. */

import { type Check, checkText } from '../../core/plan/plan.ts';
import { type ExecuteContext, type PreparedCall, type Tool, ToolError } from '../../core/run/tool.ts';
import type { Decision } from '../../core/session/effects.ts';
import type { CheckOutcome } from '../../core/session/events.ts';
import type { LanguageServices } from '../../workspace/languages.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { countOf } from '../define-tool.ts';
import { groupedLines, shorten } from '../grouped-lines.ts';
import { problemText } from '../languages/get-diagnostics.ts';
import { answerOf } from '../languages/requests.ts';

/** The ports that checks need. A check whose port is missing reports that it could not run. */
export type CheckPorts = {
  languages?: LanguageServices | undefined;
  /**
   * The command tool of the run, and the policy for its calls. Confirming a plan also approves the commands of its checks, except for
   * dangerous ones.
   */
  runCommand?: Tool | undefined;
  judge?(tool: Tool, call: PreparedCall): Promise<Decision>;
};

export type CheckResult = { outcome: CheckOutcome; output: string };

const MAX_HITS = 20;
const MAX_OUTPUT = 4_000;

const notRun = (output: string): CheckResult => ({ outcome: 'not_run', output });

/** Runs a check. `files` are the files that the step changed. Returns undefined for a check in plain words, which only the user can perform. */
export async function runCheck(
  check: Check | undefined,
  files: readonly string[],
  workspace: Workspace,
  ports: CheckPorts,
  context: ExecuteContext,
): Promise<CheckResult | undefined> {
  if (check === undefined || typeof check === 'string') return undefined;
  try {
    if ('command' in check) return await runCommand(check.command, ports, context);
    if ('search_empty' in check) return await runSearch(check.search_empty, workspace, context.signal);
    return await lookForErrors(files, workspace, ports.languages, context.signal);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return notRun(error instanceof Error ? error.message : String(error));
  }
}

async function runCommand(command: string, { runCommand: tool, judge }: CheckPorts, context: ExecuteContext): Promise<CheckResult> {
  if (!tool || !judge) return notRun('This run has no command tool.');
  const call = await tool.prepare({ command }, context.signal);
  const decision = await judge(tool, call);
  if (decision.kind === 'deny') return notRun(`The command is not allowed: ${decision.reason}`);
  if (decision.kind === 'ask') {
    const answer = await context.ask({
      id: `check ${command}`,
      text: 'Run a command to check the step?',
      ...(call.command && { command: call.command }),
      reason: decision.reason,
      options: [{ label: 'Run' }, { label: 'Skip' }],
    });
    if (!('option' in answer) || answer.option !== 'Run') return notRun('The command was not approved.');
  }
  const { content, isError } = await call.execute(context);
  const output = typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { outcome: isError ? 'failed' : 'passed', output: ending(output) };
}

async function runSearch(
  { pattern, glob }: { pattern: string; glob?: string | undefined },
  workspace: Workspace,
  signal: AbortSignal,
): Promise<CheckResult> {
  const where = glob ? workspace.scope(glob) : {};
  const query = { pattern, regex: true, caseSensitive: true, wholeWord: false, limit: MAX_HITS + 1, ...where };
  const rows: { group: string; line: number; text: string }[] = [];
  for await (const { line, text, ...at } of workspace.search(query, signal)) {
    rows.push({ group: workspace.display(at), line, text: shorten(text.trim()) });
    if (rows.length > MAX_HITS) break;
  }
  if (rows.length === 0) return { outcome: 'passed', output: '' };
  const more = rows.length > MAX_HITS ? '\n[more hits]' : '';
  return { outcome: 'failed', output: groupedLines(rows.slice(0, MAX_HITS), Math.min(rows.length, MAX_HITS), 'hits') + more };
}

/** Counts only errors; warnings do not fail a check. */
async function lookForErrors(
  files: readonly string[],
  workspace: Workspace,
  languages: LanguageServices | undefined,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (!languages) return notRun('No language services are available.');
  const lines: string[] = [];
  for (const file of files) {
    const at = parsePath(file, workspace.fs.folders);
    if ((await workspace.stat(at))?.type !== 'file') continue;
    const problems = await answerOf((limited) => languages.problems(at, limited), signal);
    for (const { line, ...problem } of problems) if (problem.severity === 'error') lines.push(`${file}:${line} ${problemText(problem)}`);
  }
  if (lines.length === 0) return { outcome: 'passed', output: '' };
  const more = lines.length > MAX_HITS ? [`[${countOf(lines.length - MAX_HITS, 'more error')}]`] : [];
  return { outcome: 'failed', output: [...lines.slice(0, MAX_HITS), ...more].join('\n') };
}

/** Shortens a long output to its end, which is the most informative part. */
function ending(output: string): string {
  const text = output.trim();
  return text.length > MAX_OUTPUT ? `…${text.slice(-MAX_OUTPUT)}` : text;
}

/** Describes the result of a check, for the model and the plan card. */
export function checkResultText(check: Check, { outcome, output }: CheckResult, of: 'step' | 'plan' = 'step'): string {
  const what = checkText(check, of);
  if (outcome === 'passed') return `Check passed (${what}).`;
  if (outcome === 'not_run') return `Check could not run (${what}): ${output}`;
  return `Check failed (${what})${output ? `:\n${output}` : '.'}`;
}

/** @throws ToolError when the pattern is not a valid regular expression. */
export async function expectCheckable(check: Check | undefined, workspace: Workspace, signal: AbortSignal): Promise<void> {
  if (typeof check !== 'object' || !('search_empty' in check)) return;
  const { pattern } = check.search_empty;
  try {
    for await (const _ of workspace.search({ pattern, regex: true, caseSensitive: true, wholeWord: false, limit: 0 }, signal)) break;
  } catch (error) {
    if (signal.aborted) throw error;
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
    throw new ToolError(`The pattern of search_empty is not a valid regular expression: ${why} Correct it and propose the plan again.`);
  }
}

/** Formats approvals, questions and plans as Markdown for the native Chat. It does not depend on VS Code. */

import type { Plan } from '../../../core/plan/plan.ts';
import type { EventBody, Question } from '../../../core/session/events.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import {
  type ApprovalDetails,
  approvalDetails,
  type DetailRow,
  type FileDetail,
  questionRows,
} from '../../../core/view/approval-details.ts';
import { endCheckText, type StepDetails, stepDetails } from '../../../core/view/plan-details.ts';
import { compactedText } from '../../../core/words/context-text.ts';
import { hookText } from '../../../core/words/hook-text.ts';
import { codeSpan, fence } from '../../../core/words/markdown-code.ts';
import { todoText } from '../../../core/words/todo-text.ts';
import { visibleCommand, visibleText } from '../../../core/words/visible-text.ts';

const DIFF_LINES = 60;

export function approvalMarkdown(request: ApprovalRequest): string[] {
  const { title, reason, rows, files }: ApprovalDetails = approvalDetails(request);
  return [`**${plain(title)}?** ${plain(reason)}\n\n`, ...rows.map(rowMarkdown), ...files.flatMap(fileMarkdown)];
}

export function questionMarkdown(question: Question): string[] {
  const { text, options, reason } = question;
  const details = options.flatMap(({ label, detail }) => (detail ? [`- ${plain(label)}: ${plain(detail)}`] : []));
  const [title = '', ...more] = text.split('\n').filter((line) => line.trim());
  const lines = [...more.map(plain), ...(reason === undefined ? [] : [plain(reason)]), ...details];
  return [`**${plain(title)}**\n\n`, ...questionRows(question).map(rowMarkdown), ...lines.map((line) => `${line}\n\n`)];
}

function rowMarkdown({ label, text, code }: DetailRow): string {
  return code === undefined ? `${label}: ${plain(text)}\n\n` : `${label}:\n\n${fence(text, code)}\n\n`;
}

/** Formats one changed file. A long diff is shortened, because a button opens the complete diff. */
function fileMarkdown({ path, from, kind, added, removed, diff, more }: FileDetail): string[] {
  const counts = added || removed ? ` +${added} −${removed}` : '';
  const head = `\`${kind}\` ${from ? `${plain(from)} → ` : ''}${plain(path)}${counts}\n\n`;
  const lines = diff.split('\n');
  const hidden = Math.max(0, lines.length - DIFF_LINES) + more;
  const rest = hidden > 0 ? [`*${hidden} more lines are not shown here. Open the diff to see them.*\n\n`] : [];
  return diff ? [head, `${fence(lines.slice(0, DIFF_LINES).join('\n'), 'diff')}\n\n`, ...rest] : [head];
}

export function planMarkdown({ goal, steps, checks = [], assumptions = [], estimatedCalls }: Plan): string {
  const list = (title: string, entries: readonly string[]) =>
    entries.length > 0 ? ['', `${title}:`, ...entries.map((entry) => `- ${plainText(entry)}`)] : [];
  const estimate = estimatedCalls ? ['', `About ${estimatedCalls} tool calls.`] : [];
  const body = steps.flatMap((step, index) => stepMarkdown(stepDetails(step), index + 1));
  return [
    `**Plan:** ${plainText(goal)}`,
    '',
    ...body,
    ...list('Checks at the end', checks.map(endCheckText)),
    ...list('Assumptions', assumptions),
    ...estimate,
  ]
    .join('\n')
    .concat('\n\n');
}

function stepMarkdown({ title, detail, files, tools, agent, check }: StepDetails, number: number): string[] {
  const facts = [
    detail && plain(detail),
    files.length > 0 &&
      `may change ${files.map(({ text, means }) => (means ? `${codeSpan(text)} (${plain(means)})` : codeSpan(text))).join(', ')}`,
    tools && `tools: ${plain(tools)}`,
    agent && `agent: ${plain(agent)}`,
    check && (check.kind === 'command' ? `check: runs ${codeSpan(check.text)}` : `check: ${plain(check.text)}`),
  ];
  return [`${number}. ${plain(title)}`, ...facts.flatMap((fact) => (fact ? [`   - ${fact}`] : []))];
}

function plainText(text: string): string {
  return plain(visibleCommand(text));
}

/** Formats a text as one line without Markdown: all punctuation is escaped. */
export function plain(text: string): string {
  return visibleText(text.replace(/\s+/g, ' ')).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

export const GREETING = `I work in three modes:
- \`/ask\` answers questions about your workspace. It cannot change files.
- \`/plan\` proposes a plan, and runs it once you confirm it.
- \`/agent\` works on a task step by step, and asks before it edits files.`;

/** Formats a note from Kedge or the model during a run: the to-do list, a compaction, reduced limits, or a hook. */
export function asideMarkdown(
  event: Extract<EventBody, { type: 'todo_changed' | 'context_compacted' | 'limits_shrunk' | 'hook_ran' }>,
): string {
  if (event.type === 'todo_changed') return `${fence(todoText(event.items), 'text')}\n\n`;
  if (event.type === 'hook_ran') return `*${plain(hookText(event))}*\n\n`;
  return `*${event.type === 'limits_shrunk' ? event.reason : compactedText(event)}*\n\n`;
}

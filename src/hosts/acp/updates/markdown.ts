/** Text for clients, which display Markdown. Foreign text is displayed as code, so that it cannot look like anything else. */
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk';
import type { ChangeSummary } from '../../../core/session/effects.ts';
import type { Question } from '../../../core/session/events.ts';
import { type ApprovalDetails, type DetailRow, type FileDetail, questionRows, withoutCut } from '../../../core/view/approval-details.ts';
import { codeSpan, fence } from '../../../core/words/markdown-code.ts';
import { visibleLine, visibleText } from '../../../core/words/visible-text.ts';

/** The maximum number of characters of a result that are displayed. The session contains all of it. */
const MAX_RESULT = 20_000;

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: textBlock(text) };
}

/** Escapes what Markdown would interpret in a line of prose. */
export function plain(text: string): string {
  return visibleText(text).replace(/[\\`*_[\]<>#|~]/g, '\\$&');
}

export function resultMarkdown(text: string): string {
  const shown = visibleText(text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT).toWellFormed()}\n…` : text);
  return fence(shown);
}

/** Returns everything about an approval except its diffs. */
export function approvalMarkdown({ title, reasons, rows, files }: ApprovalDetails): string {
  const list = files.length > 0 ? [files.map(fileMarkdown).join('\n')] : [];
  return [`**${plain(title)}**`, ...rows.map(rowMarkdown), ...list, ...reasons.map(plain)].join('\n\n');
}

function fileMarkdown({ kind, from, path, added, removed }: FileDetail): string {
  return `- ${kind} ${from === undefined ? '' : `${codeSpan(from)} → `}${codeSpan(path)} +${added} −${removed}`;
}

export function questionMarkdown(question: Question): string {
  const options = question.options.map(({ label, detail }) => `- ${plain(label)}${detail ? `: ${plain(detail)}` : ''}`);
  const reason = question.reason === undefined ? [] : [plain(question.reason)];
  return [
    plain(question.text),
    ...questionRows(question).map(rowMarkdown),
    ...reason,
    ...(options.length > 0 ? [options.join('\n')] : []),
  ].join('\n\n');
}

/** Returns the unified diff of a change. `diff` is as it was logged: the mark of a long one says how many lines are missing. */
export function diffMarkdown({ path, diff }: Pick<ChangeSummary, 'path' | 'diff'>): string {
  const { shown, more } = withoutCut(diff);
  const lines = visibleText(shown);
  return `${codeSpan(visibleLine(path))}\n\n${fence(more > 0 ? `${lines}\n… ${more} more lines` : lines, 'diff')}`;
}

function rowMarkdown({ label, text, code }: DetailRow): string {
  return code === undefined ? `${label}: ${codeSpan(text)}` : `${label}:\n${fence(text, code)}`;
}

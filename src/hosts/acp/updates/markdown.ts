/** Text for clients, which display Markdown. Foreign text is displayed as code, so that it cannot look like anything else. */
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk';
import type { Question } from '../../../core/session/events.ts';
import { type ApprovalDetails, type DetailRow, type FileDetail, questionRows } from '../../../core/view/approval-details.ts';
import { codeSpan, fence } from '../../../core/words/markdown-code.ts';
import { visibleText } from '../../../core/words/visible-text.ts';

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
export function approvalMarkdown({ title, reasons, rows }: ApprovalDetails): string {
  return [`**${plain(title)}**`, ...rows.map(rowMarkdown), ...reasons.map(plain)].join('\n\n');
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

export function diffMarkdown({ path, diff, more }: FileDetail): string {
  return `${codeSpan(path)}\n\n${fence(more > 0 ? `${diff}\n… ${more} more lines` : diff, 'diff')}`;
}

function rowMarkdown({ label, text, code }: DetailRow): string {
  return code === undefined ? `${label}: ${codeSpan(text)}` : `${label}:\n${fence(text, code)}`;
}

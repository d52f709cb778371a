/** Formats approvals and questions for the terminal. */

import type { Question } from '../../../core/session/events.ts';
import { canGrant, type Permission, permissionText } from '../../../core/session/grant-scope.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import { approvalDetails, type DetailRow, questionRows } from '../../../core/view/approval-details.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { diffText } from './diff-text.ts';
import { harmless, type Paint } from './terminal.ts';

/** `narrow` returns what the user types to grant the narrower of two permissions with the given letter. */
export function approvalText(request: ApprovalRequest, paint: Paint, narrow = (letter: string) => `p${letter}`): string {
  const { covers = [], similar = 0 } = request;
  const { title, reason, rows, files } = approvalDetails(request);
  const scopes = (typed: (letter: string) => string, each: Permission) => [
    similar > 0 && `${typed('t')} = for this and ${similar} similar calls`,
    `${typed('r')} = for this run`,
    canGrant(each, 'session') && `${typed('s')} = for this session`,
    canGrant(each, 'workspace') && `${typed('w')} = always in this folder`,
  ];
  const scopeLines = covers.slice(0, 2).map((each, index) => {
    const letters = scopes(index === 0 ? (letter) => letter : narrow, each)
      .filter(Boolean)
      .join(', ');
    return paint.dim(`To allow ${visibleLine(permissionText(each))}: ${letters}`);
  });
  return [paint.bold(title), ...rowLines(rows, paint), diffText(files, paint), harmless(reason), ...scopeLines].filter(Boolean).join('\n');
}

export function questionText(question: Question, paint: Paint): string {
  const reason = question.reason === undefined ? [] : [harmless(question.reason)];
  return [paint.bold(harmless(question.text)), ...rowLines(questionRows(question), paint), ...reason].join('\n');
}

/** Code is printed below its label and indented, so that none of its lines can look like another row. */
function rowLines(rows: readonly DetailRow[], paint: Paint): string[] {
  return rows.map(({ label, text, code }) =>
    code === undefined ? `${label}: ${text}` : `${paint.dim(`${label}:`)}\n  ${text.replaceAll('\n', '\n  ')}`,
  );
}

/** What a question of a run is about, as lines of a terminal. */

import type { Question } from '../../../core/session/events.ts';
import { permissionText } from '../../../core/session/grant-scope.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import { approvalDetails, type DetailRow, questionRows } from '../../../core/view/approval-details.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { diffText, harmless, type Paint } from './terminal.ts';

export function askedText(request: ApprovalRequest, paint: Paint): string {
  const { covers = [], similar = 0 } = request;
  const { title, reason, rows, files } = approvalDetails(request);
  const scopes = (p: string) => [
    similar > 0 && `${p}t = this and ${similar} more now`,
    `${p}r = in this run`,
    `${p}s = in this session`,
    `${p}w = always here`,
  ];
  const longer = covers.slice(0, 2).map((each, index) => {
    const letters = scopes(index === 0 ? '' : 'p')
      .filter(Boolean)
      .join(', ');
    return paint.dim(`For ${visibleLine(permissionText(each))}: ${letters}`);
  });
  return [paint.bold(title), ...rowLines(rows, paint), diffText(files, paint), harmless(reason), ...longer].filter(Boolean).join('\n');
}

export function questionText(question: Question, paint: Paint): string {
  const reason = question.reason === undefined ? [] : [harmless(question.reason)];
  return [paint.bold(harmless(question.text)), ...rowLines(questionRows(question), paint), ...reason].join('\n');
}

/** What is executed stands below its label, indented, so that no line of it looks like another row. */
function rowLines(rows: readonly DetailRow[], paint: Paint): string[] {
  return rows.map(({ label, text, code }) =>
    code === undefined ? `${label}: ${text}` : `${paint.dim(`${label}:`)}\n  ${text.replaceAll('\n', '\n  ')}`,
  );
}

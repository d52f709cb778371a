/** Shows diffs in the terminal. */
import type { ChangeSummary } from '../../../core/session/effects.ts';
import { type FileDetail, withoutCut } from '../../../core/view/approval-details.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import { changeCounts, harmless, type Paint } from './terminal.ts';

type Diffs = readonly (Pick<ChangeSummary, 'path' | 'kind' | 'from' | 'added' | 'removed' | 'diff'> & Partial<FileDetail>)[];

export function diffText(changes: Diffs, paint: Paint): string {
  return changes
    .map(({ path, kind, from, diff, more = withoutCut(diff).more, ...counts }) => {
      const name = from ? `${from} → ${path}` : path;
      const head = paint.bold(visibleLine(`${kind} ${name}`));
      const lines = harmless(withoutCut(diff).shown)
        .split('\n')
        .map((line) => {
          if (line.startsWith('@@')) return paint.cyan(line);
          return line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line;
        });
      const cutNote = more > 0 ? [paint.bold(`… ${more} more lines of this diff are not shown here.`)] : [];
      return [`${head}  ${changeCounts(counts)}`, ...(diff ? lines : []), ...cutNote].join('\n');
    })
    .join('\n');
}

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { splitHunks } from '../../../src/core/run/hunk-revision.ts';
import { withoutCut } from '../../../src/core/view/approval-details.ts';
import { visibleText } from '../../../src/core/words/visible-text.ts';
import { type DiffLine, diffLines } from '../../diff-lines.ts';
import { memo } from '../../memo-component.ts';

const SHOWN_LINES = 200;
const SIGN = { add: '+', remove: '−', same: ' ', gap: ' ' } as const;

type DiffProps = {
  diff: string;
  label: string;
  /** Opens the complete diff in an editor if it is too long for the panel. */
  onMore: () => void;
  /** Renders a bar above each hunk. With bars, all hunks can be shown in the panel. */
  bar?: (index: number, total: number) => ComponentChildren;
  isDimmed?: (index: number) => boolean;
};

export const Diff = memo(({ diff: loggedDiff, label, onMore, bar, isDimmed }: DiffProps) => {
  const { shown: diff, more } = withoutCut(loggedDiff);
  const [limit, setLimit] = useState(SHOWN_LINES);
  const hasBars = bar !== undefined;
  const hunks = useMemo(() => (hasBars ? splitHunks(diff).map(hunkLines) : [diffLines(diff)]), [diff, hasBars]);
  const total = hunks.reduce((sum, lines) => sum + lines.length, 0);
  if (total === 0) return <p class="dim diff-empty">No text changes.</p>;
  let room = limit;
  const hiddenLines = Math.max(0, total - limit);
  // If the user can choose hunks, the panel can show all lines of the logged diff.
  const canShowMore = hasBars && hiddenLines > 0;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard */}
      <section class="diff" aria-label={label} tabIndex={0}>
        <div class="diff-lines">
          {hunks.map((lines, index) => {
            const visibleLines = lines.slice(0, Math.max(0, room));
            room -= lines.length;
            return visibleLines.length === 0 ? null : (
              <div key={index} class={isDimmed?.(index) ? 'hunk refused' : 'hunk'}>
                {bar?.(index, hunks.length)}
                {visibleLines.map((line, at) => (
                  <Line key={at} line={line} />
                ))}
              </div>
            );
          })}
        </div>
      </section>
      {hiddenLines + more > 0 && (
        <button type="button" class="button link" onClick={canShowMore ? () => setLimit(limit + 5 * SHOWN_LINES) : onMore}>
          {canShowMore ? `Show ${hiddenLines} more lines` : `Open the diff to see ${hiddenLines + more} more lines`}
        </button>
      )}
    </>
  );
});

/** Returns the lines of a hunk without the leading gap, because the bar replaces it. */
function hunkLines(hunk: string): DiffLine[] {
  const lines = diffLines(hunk);
  return lines[0]?.kind === 'gap' ? lines.slice(1) : lines;
}

function Line({ line: { kind, text, ...line } }: { line: DiffLine }) {
  return (
    <div class={`diff-line ${kind}`}>
      <span class="number">{kind === 'gap' ? '⋯' : (line.new ?? line.old)}</span>
      <span class="sign">{SIGN[kind]}</span>
      <span class="text">{visibleText(text)}</span>
    </div>
  );
}

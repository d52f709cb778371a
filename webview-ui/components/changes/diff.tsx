import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { splitHunks } from '../../../src/core/run/hunk-revision.ts';
import { withoutCut } from '../../../src/core/view/approval-details.ts';
import { visibleText } from '../../../src/core/words/visible-text.ts';
import { type DiffLine, diffLines } from '../../diff-lines.ts';
import { memo } from '../../memo.ts';

const SHOWN_LINES = 200;
const SIGN = { add: '+', remove: '−', same: ' ', gap: ' ' } as const;

type DiffProps = {
  diff: string;
  label: string;
  /** Shows the whole of it elsewhere, where it is too long for the panel. */
  onMore: () => void;
  /** What stands above each hunk; then all hunks can be reached here. */
  bar?: (index: number, total: number) => ComponentChildren;
  dimmed?: (index: number) => boolean;
};

export const Diff = memo(({ diff: logged, label, onMore, bar, dimmed }: DiffProps) => {
  const { shown: diff, more } = withoutCut(logged);
  const [limit, setLimit] = useState(SHOWN_LINES);
  const hasBars = bar !== undefined;
  const hunks = useMemo(() => (hasBars ? splitHunks(diff).map(hunkLines) : [diffLines(diff)]), [diff, hasBars]);
  const total = hunks.reduce((sum, lines) => sum + lines.length, 0);
  if (total === 0) return <p class="dim diff-empty">No text changes.</p>;
  let room = limit;
  const left = Math.max(0, total - limit);
  // With hunks to choose from, all that the log has of them can be reached here.
  const growsHere = hasBars && left > 0;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="diff" aria-label={label} tabIndex={0}>
        <div class="diff-lines">
          {hunks.map((lines, index) => {
            const shown = lines.slice(0, Math.max(0, room));
            room -= lines.length;
            return shown.length === 0 ? null : (
              <div key={index} class={dimmed?.(index) ? 'hunk refused' : 'hunk'}>
                {bar?.(index, hunks.length)}
                {shown.map((line, at) => (
                  <Line key={at} line={line} />
                ))}
              </div>
            );
          })}
        </div>
      </section>
      {left + more > 0 && (
        <button type="button" class="button link" onClick={growsHere ? () => setLimit(limit + 5 * SHOWN_LINES) : onMore}>
          {growsHere ? `${left} more lines` : `${left + more} more lines: open diff`}
        </button>
      )}
    </>
  );
});

/** Without the gap before it, in whose place there is the bar. */
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

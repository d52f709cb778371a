import { useMemo } from 'preact/hooks';
import { type DiffLine, diffLines } from '../diff-lines.ts';
import { memo } from '../memo.ts';

const SHOWN_LINES = 200;
const SIGN = { add: '+', remove: '−', same: ' ', gap: ' ' } as const;

/** `more` is shown where the diff is too long for the panel. */
export const Diff = memo(({ diff, label, onMore }: { diff: string; label: string; onMore: () => void }) => {
  const lines = useMemo(() => diffLines(diff), [diff]);
  if (lines.length === 0) return <p class="dim diff-empty">No text changes.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="diff" aria-label={label} tabIndex={0}>
        <div class="diff-lines">
          {lines.slice(0, SHOWN_LINES).map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </div>
      </section>
      {lines.length > SHOWN_LINES && (
        <button type="button" class="button link" onClick={onMore}>
          {lines.length - SHOWN_LINES} more lines: open diff
        </button>
      )}
    </>
  );
});

function Line({ line: { kind, text, ...line } }: { line: DiffLine }) {
  return (
    <div class={`diff-line ${kind}`}>
      <span class="number">{kind === 'gap' ? '⋯' : (line.new ?? line.old)}</span>
      <span class="sign">{SIGN[kind]}</span>
      <span class="text">{text}</span>
    </div>
  );
}

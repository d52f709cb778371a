import type { DetailRow } from '../../../src/core/view/approval-details.ts';

/** Shows the complete texts that an approval executes. A long text scrolls. */
export function DetailRows({ rows }: { rows: readonly DetailRow[] }) {
  return rows.map(({ label, text, code }) =>
    code === undefined ? (
      <p key={label} class="detail-row">
        <span class="dim">{label}:</span> {text}
      </p>
    ) : (
      <section key={label} class="output exact" aria-label={label}>
        <h5>{label}</h5>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>{text}</pre>
      </section>
    ),
  );
}

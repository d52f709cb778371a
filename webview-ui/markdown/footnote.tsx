import type { ComponentChild } from 'preact';

/** Moves the focus to the note, or from the note back to its reference in the same text. */
function jump(from: HTMLElement, selector: string): void {
  const target = from.closest('.markdown')?.querySelector<HTMLElement>(selector);
  target?.focus();
}

export function FootnoteRef({ id }: { id: string }) {
  return (
    <sup>
      <button
        type="button"
        class="footnote-ref"
        data-footnote-ref={id}
        aria-label={`Footnote ${id}`}
        onClick={(event) => jump(event.currentTarget, `[data-footnote="${CSS.escape(id)}"]`)}
      >
        {id}
      </button>
    </sup>
  );
}

export function Footnote({ id, children }: { id: string; children: ComponentChild }) {
  return (
    <p class="footnote" data-footnote={id} tabIndex={-1}>
      <span class="dim">{id}.</span> {children}{' '}
      <button
        type="button"
        class="footnote-ref"
        aria-label={`Back to the text of footnote ${id}`}
        onClick={(event) => jump(event.currentTarget, `[data-footnote-ref="${CSS.escape(id)}"]`)}
      >
        ↩
      </button>
    </p>
  );
}

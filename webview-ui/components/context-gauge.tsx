import { useId, useState } from 'preact/hooks';
import type { ContextUse } from '../../src/core/context/window.ts';
import { tokens } from '../../src/core/words/amounts.ts';
import { contextParts, contextShare, contextText, contextTotal } from '../../src/core/words/context-text.ts';
import { memo } from '../memo-component.ts';
import { dispatch } from '../store.ts';
import { Button } from './button.tsx';

/** Shows the content of the context window: a bar by kind, and the numbers when it is expanded. */
export const ContextGauge = memo(({ use }: { use: ContextUse }) => {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const parts = contextParts(use);
  const total = contextTotal(use);
  const whole = Math.max(total, use.window ?? 0, 1);
  const text = contextText(use);
  const isFull = use.limit !== undefined && total > 0.9 * use.limit;
  return (
    <div class="context-gauge">
      <button
        type="button"
        class={isFull ? 'full' : ''}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        title={[text, ...parts.map(({ label, tokens: count }) => `${label}: ${tokens(count)}`)].join('\n')}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !isOpen) return;
          // Escape closes the details here. It must not reach the panel, where it would stop the run.
          event.preventDefault();
          setOpen(false);
        }}
      >
        {/* If the window is unknown, so is the used part of it. */}
        {use.window !== undefined && (
          <span class="bar" aria-hidden="true">
            {parts.map(({ kind, tokens: count }) => (
              <span key={kind} class={`part ${kind}`} style={{ width: `${(100 * count) / whole}%` }} />
            ))}
          </span>
        )}
        <span class="sr-only">{text}</span>
        <span class="share" aria-hidden="true">
          {contextShare(use)}
          {use.window === undefined && ' tokens'}
        </span>
      </button>
      {isOpen && (
        <div id={id}>
          <dl>
            {parts.map(({ kind, label, tokens: count }) => (
              <div key={kind}>
                <dt>
                  <span class={`swatch ${kind}`} aria-hidden="true" />
                  {label}
                </dt>
                <dd>{tokens(count)}</dd>
              </div>
            ))}
            {use.window !== undefined && (
              <div>
                <dt>
                  <span class="swatch free" aria-hidden="true" />
                  Free, with space for the answer
                </dt>
                <dd>{tokens(Math.max(0, use.window - total))}</dd>
              </div>
            )}
          </dl>
          <Button kind="link" onClick={() => dispatch({ type: 'show_page', name: 'memory' })}>
            Manage memory
          </Button>
        </div>
      )}
    </div>
  );
});

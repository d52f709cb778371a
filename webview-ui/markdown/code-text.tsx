import { useEffect, useState } from 'preact/hooks';
import type { Span } from '../lazy/highlight.ts';
import { memo } from '../memo-component.ts';
import { LongText } from './long-text.tsx';

type Highlighter = typeof import('../lazy/highlight.ts');
/** The highlighter. It is undefined until it is loaded with the first code block. */
let highlighter: Highlighter | undefined;

/**
 * Longer code is not colored, because coloring it would block the browser for too long. While code is being received, the limit is lower.
 */
const MAX = 60_000;
const MAX_OPEN = 10_000;
const PLAIN = /^(?:|te?xt|plain(?:text)?|output|console|log|none)$/;

type Colored = { code: string; spans: readonly Span[] | undefined };
type CodeTextProps = { text: string; language: string; isOpen: boolean };

/** Renders code with syntax highlighting. Code that has not been highlighted yet is shown as plain text. */
export function CodeText({ text, language, isOpen }: CodeTextProps) {
  const code = isOpen ? completeLines(text) : text;
  const isColored = !PLAIN.test(language) && code !== '' && text.length <= (isOpen ? MAX_OPEN : MAX);
  const paint = ({ highlight }: Highlighter): Colored => ({ code, spans: highlight(code, language) });
  const [colored, setColored] = useState(() => (isColored && highlighter ? paint(highlighter) : undefined));
  useEffect(() => {
    if (!isColored || colored?.code === code) return;
    let isCurrent = true;
    void import('../lazy/highlight.ts').then((loaded) => {
      highlighter = loaded;
      if (isCurrent) setColored(paint(loaded));
    });
    return () => {
      isCurrent = false;
    };
  }, [code, language, isColored]);
  if (!colored?.spans || !text.startsWith(colored.code)) return <LongText text={text} />;
  return (
    <>
      <Spans spans={colored.spans} />
      {text.slice(colored.code.length)}
    </>
  );
}

const Spans = memo(({ spans }: { spans: readonly Span[] }) => (
  <>
    {spans.map(({ text, kind }, index) =>
      kind ? (
        <span key={index} class={`code-${kind}`}>
          {text}
        </span>
      ) : (
        text
      ),
    )}
  </>
));

/**
 * Returns the complete lines of a growing text. The longer the text is, the less often the result changes, so the code is colored only a
 * few times.
 */
function completeLines(text: string): string {
  const lines = text.split('\n').length - 1;
  const shown = lines < 10 ? lines : lines - (lines % Math.ceil(lines / 10));
  let end = 0;
  for (let line = 0; line < shown; line++) end = text.indexOf('\n', end) + 1;
  return text.slice(0, end);
}

import { useState } from 'preact/hooks';

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 2000;
const LIVE_LINES = 6;

/** Text as a tool wrote it, capped until the user wants all. */
export function Output({ text, label }: { text: string; label: string }) {
  const [all, setAll] = useState(false);
  const short = text.split('\n', SHOWN_LINES).join('\n').slice(0, SHOWN_CHARACTERS);
  const isCut = short.length < text.length;
  return (
    <section class="output">
      <h5>{label}</h5>
      <pre>{all ? text : short}</pre>
      {isCut && (
        <button type="button" class="button link" onClick={() => setAll(!all)}>
          {all ? 'Show less' : `Show all (${text.split('\n').length} lines)`}
        </button>
      )}
    </section>
  );
}

/** The end of what a call that runs has written so far. */
export function LiveOutput({ text }: { text: string }) {
  return <pre class="live-output">{text.trimEnd().split('\n').slice(-LIVE_LINES).join('\n')}</pre>;
}

import { useState } from 'preact/hooks';

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 2000;
const LIVE_LINES = 6;

/** The output of a tool. A long output is shortened until the user expands it. */
export function Output({ text, label }: { text: string; label: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const short = text.split('\n', SHOWN_LINES).join('\n').slice(0, SHOWN_CHARACTERS);
  const isCut = short.length < text.length;
  return (
    <section class="output">
      <h5>{label}</h5>
      <pre>{showsAll ? text : short}</pre>
      {isCut && (
        <button type="button" class="button link" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show less' : `Show all (${text.split('\n').length} lines)`}
        </button>
      )}
    </section>
  );
}

/** The last lines of output of a running tool call. */
export function LiveOutput({ text }: { text: string }) {
  return <pre class="live-output">{text.trimEnd().split('\n').slice(-LIVE_LINES).join('\n')}</pre>;
}

import { useState } from 'preact/hooks';

const LONG = 600;
const MANY_LINES = 12;

/** A user message. A long message is shortened until the user expands it. */
export function Folded({ text }: { text: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const short = text.split('\n', MANY_LINES).join('\n').slice(0, LONG);
  const isLong = short.length < text.length;
  return (
    <>
      <p>{isLong && !showsAll ? `${short} …` : text}</p>
      {isLong && (
        <button type="button" class="button link" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  );
}

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { post } from '../host.ts';
import type { RunView } from '../run-view.ts';
import type { PanelModel } from '../state.ts';
import { Icon } from './icon.tsx';
import { Run } from './run.tsx';

const NEAR_PX = 32;

/** The session's runs. It follows the newest line as long as the user looks at it. */
export function Transcript({ model, live }: { model: PanelModel; live: RunView | undefined }) {
  const box = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const [isAway, setAway] = useState(false);
  const { runs, sessionId, earlierRuns, title } = model;
  const newest = runs.at(-1)?.id;
  const shown = useRef({ sessionId, newest });

  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };

  useLayoutEffect(() => {
    // A new prompt, or another session, is always looked at.
    if (shown.current.newest !== newest || shown.current.sessionId !== sessionId) follows.current = true;
    shown.current = { sessionId, newest };
    if (follows.current) toEnd();
  }, [runs, sessionId, newest]);

  const onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current as HTMLElement;
    follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    setAway(!follows.current);
  };

  return (
    <div class="transcript-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <main class="transcript" ref={box} onScroll={onScroll} tabIndex={0}>
        <h2 class="session-title">{title || 'New session'}</h2>
        {earlierRuns > 0 && (
          <button type="button" class="button link earlier" onClick={() => post({ type: 'show_earlier' })}>
            <Icon name="fold-up" />
            <span>Show {earlierRuns} earlier</span>
          </button>
        )}
        {/* The announcer speaks; read aloud word by word, a stream of text would be of no use. */}
        <div role="log" aria-live="off" aria-label="Conversation">
          {runs.map((run) => (
            <Run
              key={run.id}
              run={run}
              live={run === live}
              last={run.id === newest}
              editing={run.proposal !== undefined && run.proposal.plan.id === model.editing}
            />
          ))}
        </div>
      </main>
      {isAway && (
        <button type="button" class="jump" onClick={toEnd} aria-label="Jump to the latest" title="Jump to the latest">
          <Icon name="arrow-down" />
        </button>
      )}
    </div>
  );
}

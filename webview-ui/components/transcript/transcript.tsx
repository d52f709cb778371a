import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../../src/core/view/run-view.ts';
import { post } from '../../host.ts';
import { intoSight } from '../../into-sight.ts';
import type { PanelModel } from '../../state.ts';
import { Restored } from '../changes/restore.tsx';
import { Icon } from '../icon.tsx';
import { Run } from './run.tsx';

const NEAR_PX = 32;
const SETTLED_MS = 100;

function onResize(element: Element | null, listener: () => void): () => void {
  const observer = new ResizeObserver(listener);
  if (element) observer.observe(element);
  return () => observer.disconnect();
}

/** The session's runs. It follows the newest line as long as the user looks at it. */
export function Transcript({ model, live }: { model: PanelModel; live: RunView | undefined }) {
  const box = useRef<HTMLElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  /** Where it was scrolled to, and how much there was, when that was last set or seen. */
  const before = useRef({ scrollTop: 0, scrollHeight: 0 });
  const [isAway, setAway] = useState(false);
  const { runs, sessionId, earlierRuns, title } = model;
  const newest = runs.at(-1)?.id;
  const lastChanged = runs.findLastIndex(({ changes }) => changes.length > 0);
  const shown = useRef({ sessionId, newest });

  const toEnd = () => {
    if (!box.current) return;
    box.current.scrollTop = box.current.scrollHeight;
    before.current = { scrollTop: box.current.scrollTop, scrollHeight: box.current.scrollHeight };
    follows.current = true;
    setAway(false);
  };

  useLayoutEffect(() => {
    // A new prompt, or another session, is always looked at.
    if (shown.current.newest !== newest || shown.current.sessionId !== sessionId) follows.current = true;
    shown.current = { sessionId, newest };
    if (!follows.current) return;
    toEnd();
    // What is long is measured only when it comes into sight. Later on the user may open something in the log, and looks at that.
    const stop = onResize(log.current, () => follows.current && toEnd());
    const timer = setTimeout(stop, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [runs, sessionId, newest]);

  // What appears around it, as a notice, takes from its height.
  useEffect(() => onResize(box.current, () => follows.current && toEnd()), []);

  // The event comes late: text may have come in between. Only who scrolls up leaves the end, not who has less to scroll.
  const onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current as HTMLElement;
    const left = scrollHeight - scrollTop - clientHeight;
    const isUp = scrollTop < before.current.scrollTop && scrollHeight >= before.current.scrollHeight;
    if (isUp) follows.current = left < 2;
    else if (left < NEAR_PX) follows.current = true;
    before.current = { scrollTop, scrollHeight };
    setAway(!follows.current);
  };

  useEffect(() => {
    const cards = model.shown && box.current?.querySelectorAll<HTMLElement>(`[data-plan="${CSS.escape(model.shown.planId)}"]`);
    const card = cards?.[cards.length - 1];
    if (!card) return;
    follows.current = false;
    intoSight(card, 'start');
    card.focus({ preventScroll: true });
  }, [model.shown]);

  useEffect(() => {
    if (model.follow) toEnd();
  }, [model.follow]);

  const jump = () => {
    toEnd();
    box.current?.focus({ preventScroll: true });
  };

  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <main class="transcript" ref={box} onScroll={onScroll} tabIndex={0}>
        {/* It is the first prompt: where that is shown, it need not be read twice. */}
        <h2 class={earlierRuns > 0 ? 'session-title' : 'sr-only'}>{title || 'New session'}</h2>
        {earlierRuns > 0 && (
          <button type="button" class="button link earlier" onClick={() => post({ type: 'show_earlier' })}>
            <Icon name="fold-up" />
            <span>Show {earlierRuns} earlier</span>
          </button>
        )}
        {/* The announcer speaks; read aloud word by word, a stream of text would be of no use. */}
        <div role="log" ref={log} aria-live="off" aria-label="Conversation">
          {runs.map((run, index) => (
            <Run
              key={run.id}
              run={run}
              canRestore={!model.running && !live && index <= lastChanged}
              live={run === live}
              last={run.id === newest}
              editing={[run.proposal?.plan.id, run.plan?.id].includes(model.editing) ? model.editing : undefined}
            />
          ))}
          {model.restored && <Restored restored={model.restored} />}
        </div>
      </main>
      {isAway && (
        <button type="button" class="jump" onClick={jump}>
          <Icon name="arrow-down" />
          <span>Jump to the latest</span>
        </button>
      )}
    </>
  );
}

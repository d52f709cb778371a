import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../../src/core/view/run-view.ts';
import { post } from '../../host.ts';
import type { PanelModel } from '../../model.ts';
import { scrollIntoView } from '../../scroll-into-view.ts';
import { BranchOf } from '../branches/versions.tsx';
import { Restored } from '../changes/restore.tsx';
import { Icon } from '../icon.tsx';
import { Lesson } from '../lesson/lesson.tsx';
import { Run } from './run.tsx';
import { WorktreeBar } from './worktree-bar.tsx';

const NEAR_END_PX = 32;
const LAYOUT_MS = 100;

function onResize(element: Element | null, listener: () => void): () => void {
  const observer = new ResizeObserver(listener);
  if (element) observer.observe(element);
  return () => observer.disconnect();
}

/** The runs of the session. The view follows the newest line until the user scrolls up. */
export function Transcript({ model, live }: { model: PanelModel; live: RunView | undefined }) {
  const box = useRef<HTMLElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  /** The scroll position and height when they were last set or observed. */
  const before = useRef({ scrollTop: 0, scrollHeight: 0 });
  const [isAway, setAway] = useState(false);
  const { runs, sessionId, earlierRuns, title, branches } = model;
  const newest = runs.at(-1)?.id;
  const lastChanged = runs.findLastIndex(({ changes, isImported }) => changes.length > 0 && !isImported);
  const lastShown = useRef({ sessionId, newest });

  const scrollToEnd = () => {
    if (!box.current) return;
    box.current.scrollTop = box.current.scrollHeight;
    before.current = { scrollTop: box.current.scrollTop, scrollHeight: box.current.scrollHeight };
    follows.current = true;
    setAway(false);
  };

  useLayoutEffect(() => {
    // A new prompt or another session is always scrolled into view.
    if (lastShown.current.newest !== newest || lastShown.current.sessionId !== sessionId) follows.current = true;
    lastShown.current = { sessionId, newest };
    if (!follows.current) return;
    scrollToEnd();
    // Long content is laid out only when it becomes visible, so the height may change for a moment. After `LAYOUT_MS`, a change of the
    // height is assumed to be caused by the user, for example by expanding the log.
    const stop = onResize(log.current, () => follows.current && scrollToEnd());
    const timer = setTimeout(stop, LAYOUT_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [runs, sessionId, newest]);

  // A notice that appears makes the transcript smaller, so the end is scrolled into view again.
  useEffect(() => onResize(box.current, () => follows.current && scrollToEnd()), []);

  // The scroll event is delayed, and text may have arrived in between. Following stops only if the user scrolled up, not if the content became shorter.
  const onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current as HTMLElement;
    const distanceToEnd = scrollHeight - scrollTop - clientHeight;
    const isScrolledUp = scrollTop < before.current.scrollTop && scrollHeight >= before.current.scrollHeight;
    if (isScrolledUp) follows.current = distanceToEnd < 2;
    else if (distanceToEnd < NEAR_END_PX) follows.current = true;
    before.current = { scrollTop, scrollHeight };
    setAway(!follows.current);
  };

  useEffect(() => {
    const cards = model.shown && box.current?.querySelectorAll<HTMLElement>(`[data-plan="${CSS.escape(model.shown.planId)}"]`);
    const card = cards?.[cards.length - 1];
    if (!card) return;
    follows.current = false;
    scrollIntoView(card, 'start');
    card.focus({ preventScroll: true });
  }, [model.shown]);

  useEffect(() => {
    if (model.follow) scrollToEnd();
  }, [model.follow]);

  const jump = () => {
    scrollToEnd();
    box.current?.focus({ preventScroll: true });
  };

  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard */}
      <main class="transcript" ref={box} onScroll={onScroll} tabIndex={0}>
        {/* The title is the first prompt. If that prompt is shown below, the title is visually hidden. */}
        <h2 class={earlierRuns > 0 ? 'session-title' : 'sr-only'}>{title || 'New session'}</h2>
        {branches?.parent && <BranchOf parent={branches.parent} />}
        {earlierRuns > 0 && (
          <button type="button" class="button link earlier" onClick={() => post({ type: 'show_earlier' })}>
            <Icon name="fold-up" />
            <span>
              Show {earlierRuns} earlier {earlierRuns === 1 ? 'run' : 'runs'}
            </span>
          </button>
        )}
        {/* The log is not a live region, because a screen reader would read streamed text word by word. The announcer reports what happens. */}
        <div role="log" ref={log} aria-live="off" aria-label="Conversation">
          {runs.map((run, index) => (
            <Run
              // The runs of a branch have the same ids as those of the session that it was forked from.
              key={`${sessionId} ${run.id}`}
              run={run}
              canRestore={!model.running && !live && index <= lastChanged}
              live={run === live}
              isFull={model.host?.steps === 'full'}
              running={model.running || live !== undefined}
              versions={branches?.versions[run.id]}
              last={run.id === newest}
              editing={[run.proposal?.plan.id, run.plan?.id].includes(model.editing) ? model.editing : undefined}
            />
          ))}
          {/* The run that applies the changes of a worktree does not work in it. */}
          {sessionId && (!live || live.worktree) && runs.some(({ worktree }) => worktree === 'open') && (
            <WorktreeBar sessionId={sessionId} isOver={!live} />
          )}
          {model.lesson?.runId === newest && model.lesson && !live && (
            <Lesson lesson={model.lesson} onShown={() => follows.current && scrollToEnd()} />
          )}
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

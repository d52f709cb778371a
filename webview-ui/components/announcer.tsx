import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../src/core/view/run-view.ts';
import { announcementOf } from '../activity.ts';
import { memo } from '../memo.ts';

const PAUSE_MS = 2000;

/** Tells a screen reader what happens, at most every two seconds and always the newest. */
export const Announcer = memo(({ run, live }: { run: RunView | undefined; live: boolean }) => {
  const text = run ? announcementOf(run, live) : '';
  const [said, setSaid] = useState({ text: '', times: 0 });
  const lastAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + PAUSE_MS - performance.now());
    const timer = setTimeout(() => {
      lastAt.current = performance.now();
      setSaid(({ times }) => ({ text, times: times + 1 }));
    }, wait);
    return () => clearTimeout(timer);
  }, [text, run?.id, run?.undone]);
  return (
    <div class="sr-only" role="status" aria-live="polite">
      {/* A new element: the same words may be news again. */}
      <span key={said.times}>{said.text}</span>
    </div>
  );
});

import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../src/core/view/run-view.ts';
import { announcementOf } from '../activity.ts';
import { memo } from '../memo-component.ts';

const PAUSE_MS = 2000;

/** Announces the activity of a run to screen readers, at most every two seconds. */
export const Announcer = memo(({ run, live }: { run: RunView | undefined; live: boolean }) => {
  const text = run ? announcementOf(run, live) : '';
  const [announcement, setAnnouncement] = useState({ text: '', count: 0 });
  const lastAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + PAUSE_MS - performance.now());
    const timer = setTimeout(() => {
      lastAt.current = performance.now();
      setAnnouncement((previous) => ({ text, count: previous.count + 1 }));
    }, wait);
    return () => clearTimeout(timer);
  }, [text, run?.id, run?.undone]);
  return (
    <div class="sr-only" role="status" aria-live="polite">
      {/* Each announcement is a new element, so that the same text is announced again. */}
      <span key={announcement.count}>{announcement.text}</span>
    </div>
  );
});

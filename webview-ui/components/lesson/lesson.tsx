import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { LessonCard, Lesson as Proposed } from './lesson-card.tsx';

/** A proposed lesson. Its card is loaded when it is first shown. */
export function Lesson({ lesson, onShown }: { lesson: Proposed; onShown: () => void }) {
  const [loaded, setLoaded] = useState<{ Card: typeof LessonCard }>();
  useEffect(() => {
    void import('./lesson-card.tsx').then(({ LessonCard: Card }) => setLoaded({ Card }));
  }, []);
  useLayoutEffect(onShown, [loaded]);
  return (
    <>
      <p class="sr-only" role="status">
        {loaded && 'Kedge proposes to remember something.'}
      </p>
      {loaded && <loaded.Card lesson={lesson} />}
    </>
  );
}

import { useEffect, useState } from 'preact/hooks';
import { duration } from '../format.ts';

/** Shows the time since the component was first rendered. It appears after half a second. A new `key` restarts it. */
export function Elapsed() {
  const [start] = useState(() => performance.now());
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setMs(performance.now() - start), 100);
    return () => clearInterval(timer);
  }, [start]);
  return ms < 500 ? null : (
    <span class="elapsed" aria-hidden="true">
      {duration(ms)}
    </span>
  );
}

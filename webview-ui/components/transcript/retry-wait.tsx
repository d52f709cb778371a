import { useEffect, useState } from 'preact/hooks';
import type { ModelWaiting } from '../../../src/core/model/model.ts';
import { waitingText } from '../../../src/core/words/retry-text.ts';
import { post } from '../../host.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

/** Counts down to the next attempt. A new `key` restarts it. It is not a live region, because the announcer announces the wait once. */
export function RetryWait({ wait }: { wait: ModelWaiting }) {
  const [end, setEnd] = useState(() => performance.now() + wait.waitMs);
  const [now, setNow] = useState(() => performance.now());
  const isOver = now >= end;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(performance.now()), 200);
    return () => clearInterval(timer);
  }, [isOver]);

  const skip = () => {
    setEnd(0);
    post({ type: 'retry_now' });
  };
  return (
    <div class="retry-wait">
      <Icon name="watch" tone="warn" />
      <span class="grow">{waitingText(wait, end - now)}</span>
      {!isOver && <Button onClick={skip}>Try now</Button>}
      <Button onClick={() => post({ type: 'stop' })}>Stop</Button>
    </div>
  );
}

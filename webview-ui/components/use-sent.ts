import { useEffect, useState } from 'preact/hooks';

/** Returns true for three seconds after `markSent()`, so that an answer is not sent twice, but can be sent again if the host did not react. */
export function useSent(): [boolean, () => void] {
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    if (!isSent) return;
    const timer = setTimeout(() => setSent(false), 3000);
    return () => clearTimeout(timer);
  }, [isSent]);
  return [isSent, () => setSent(true)];
}

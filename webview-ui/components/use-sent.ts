import { useEffect, useState } from 'preact/hooks';

/**
 * Returns whether an answer was sent in the last three seconds, and a function that records the sending. It prevents sending an answer
 * twice.
 */
export function useSent(): [boolean, () => void] {
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    if (!isSent) return;
    const timer = setTimeout(() => setSent(false), 3000);
    return () => clearTimeout(timer);
  }, [isSent]);
  return [isSent, () => setSent(true)];
}

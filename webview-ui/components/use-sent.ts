import { useEffect, useState } from 'preact/hooks';

/** True for a moment after `mark()`: an answer is not sent twice, and a host that did not take it can be asked again. */
export function useSent(): [boolean, () => void] {
  const [sent, setSent] = useState(false);
  useEffect(() => {
    if (!sent) return;
    const timer = setTimeout(() => setSent(false), 3000);
    return () => clearTimeout(timer);
  }, [sent]);
  return [sent, () => setSent(true)];
}

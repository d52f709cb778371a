import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { scrollIntoView } from '../scroll-into-view.ts';

/** Scrolls a card into view and focuses its first field when editing begins, and focuses the card when editing ends. */
export function useEditing(editing: boolean): RefObject<HTMLElement | null> {
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!editing) return;
    scrollIntoView(card.current, 'start');
    card.current?.querySelector('textarea')?.focus({ preventScroll: true });
    return () => card.current?.focus();
  }, [editing]);
  return card;
}

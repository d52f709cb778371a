import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { intoSight } from '../into-sight.ts';

/** Brings a card into sight when its editing begins, with the focus in it; when that ends, the card gets the focus. */
export function useEditing(editing: boolean): RefObject<HTMLElement | null> {
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!editing) return;
    intoSight(card.current, 'start');
    card.current?.querySelector('textarea')?.focus({ preventScroll: true });
    return () => card.current?.focus();
  }, [editing]);
  return card;
}

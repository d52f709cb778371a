/** Room that is left under what is brought into sight. */
const ROOM_PX = 24;

/** Scrolls the transcript alone: `scrollIntoView` goes on outward, and so moves the whole panel in its frame. */
export function intoSight(element: Element | null, block: 'start' | 'nearest'): void {
  const box = element?.closest('.transcript');
  if (!element || !box) return;
  const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  const above = inner.top - outer.top;
  const below = inner.bottom + ROOM_PX - outer.bottom;
  if (block === 'start' || above < 0) box.scrollTop += above;
  else if (below > 0) box.scrollTop += Math.min(below, above);
}

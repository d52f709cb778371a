/** The space below the element that is scrolled into view with it. */
const MARGIN_PX = 24;

/** Scrolls only the transcript. The DOM's own `scrollIntoView` would also scroll the panel within its frame. */
export function scrollIntoView(element: Element | null, block: 'start' | 'nearest'): void {
  const box = element?.closest('.transcript');
  if (!element || !box) return;
  const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  const above = inner.top - outer.top;
  const below = inner.bottom + MARGIN_PX - outer.bottom;
  if (block === 'start' || above < 0) box.scrollTop += above;
  else if (below > 0) box.scrollTop += Math.min(below, above);
}

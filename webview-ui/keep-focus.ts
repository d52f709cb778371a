/** Keeps the focus in the panel where an action takes away or disables what had it: a keyboard user would have to start again at the top. */

const FOCUSABLE = ['button', 'textarea', 'input', 'select'].map((name) => `${name}:not(:disabled)`).join(', ');

/** Where an element stood: the parent of it or of one around it, and its place there, innermost first. */
type Trail = readonly { parent: Element; index: number }[];

/** Watches as long as `root` is there. */
export function keepFocus(root: Element): void {
  let held: HTMLElement | undefined;
  let trail: Trail = [];
  root.addEventListener('focusin', ({ target }) => {
    held = target as HTMLElement;
    trail = trailOf(held, root);
  });
  // Who clicks beside it means to leave it.
  document.addEventListener('pointerdown', ({ target }) => {
    if (!held?.contains(target as Node)) held = undefined;
  });
  const onChange = () => {
    if (!held || document.activeElement !== document.body || !document.hasFocus()) return;
    if (held.isConnected) {
      // Disabled for a moment, until the host has answered.
      if (!held.matches(':disabled')) held.focus({ preventScroll: true });
      return;
    }
    placeOf(trail)?.focus({ preventScroll: true });
  };
  new MutationObserver(onChange).observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

function trailOf(element: Element, root: Element): Trail {
  const trail: { parent: Element; index: number }[] = [];
  for (let each = element; each !== root && each.parentElement; each = each.parentElement) {
    // Whither the focus goes when a question as a whole is answered, the composer knows.
    if (each.matches('[data-waiting]')) break;
    trail.push({ parent: each.parentElement, index: [...each.parentElement.children].indexOf(each) });
  }
  return trail;
}

/** What can have the focus in the place of what is gone. Beside answers it is their card: no yes comes under the finger. */
function placeOf(trail: Trail): HTMLElement | undefined {
  for (const { parent, index } of trail) {
    if (!parent.isConnected) continue;
    const card = parent.closest<HTMLElement>('[data-waiting]');
    if (card && !parent.closest('form')) return card;
    const place = parent.children[index] ?? parent.lastElementChild;
    const found = place?.matches(FOCUSABLE) ? (place as HTMLElement) : place?.querySelector<HTMLElement>(FOCUSABLE);
    if (found) return found;
  }
  return undefined;
}

/**
 * Keeps the focus in the panel when an action removes or disables the focused element. Otherwise, a keyboard user would have to start again
 * at the top.
 */

const FOCUSABLE = ['button', 'textarea', 'input', 'select'].map((name) => `${name}:not(:disabled)`).join(', ');

/** The position of an element: its index in its parent, and then the index of each ancestor in its own parent. */
type Trail = readonly { parent: Element; index: number }[];

/** Watches `root` for changes, for as long as the panel is open. */
export function keepFocus(root: Element): void {
  let focused: HTMLElement | undefined;
  let trail: Trail = [];
  root.addEventListener('focusin', ({ target }) => {
    focused = target as HTMLElement;
    trail = trailOf(focused, root);
  });
  // A click on another element removes the focus on purpose.
  document.addEventListener('pointerdown', ({ target }) => {
    if (!focused?.contains(target as Node)) focused = undefined;
  });
  const onChange = () => {
    if (!focused || document.activeElement !== document.body || !document.hasFocus()) return;
    if (focused.isConnected) {
      // The element may have been disabled only until the host has answered.
      if (!focused.matches(':disabled')) focused.focus({ preventScroll: true });
      return;
    }
    focusTarget(trail)?.focus({ preventScroll: true });
  };
  new MutationObserver(onChange).observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

function trailOf(element: Element, root: Element): Trail {
  const trail: { parent: Element; index: number }[] = [];
  for (let each = element; each !== root && each.parentElement; each = each.parentElement) {
    // When an approval or question is answered, the composer decides which element gets the focus.
    if (each.matches('[data-waiting]')) break;
    trail.push({ parent: each.parentElement, index: [...each.parentElement.children].indexOf(each) });
  }
  return trail;
}

/**
 * Finds the element to focus in place of a removed element. Inside an approval, the card gets the focus, so that a key press cannot approve
 * by accident.
 */
function focusTarget(trail: Trail): HTMLElement | undefined {
  for (const { parent, index } of trail) {
    if (!parent.isConnected) continue;
    const card = parent.closest<HTMLElement>('[data-waiting]');
    if (card && !parent.closest('form')) return card;
    const place = parent.children[index] ?? parent.lastElementChild;
    const target = place?.matches(FOCUSABLE) ? (place as HTMLElement) : place?.querySelector<HTMLElement>(FOCUSABLE);
    if (target) return target;
  }
  return undefined;
}

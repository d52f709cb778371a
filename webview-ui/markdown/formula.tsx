import { type ComponentChild, createElement } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MathNode } from '../lazy/math.ts';

/** Converted formulas by their source, so that a formula that is rendered again does not flicker. */
const converted = new Map<string, MathNode | undefined>();
const MAX_CONVERTED = 500;

/** A formula, which is drawn by the browser. Its source is shown until then, and if it is not valid. */
export function Formula({ source, isBlock }: { source: string; isBlock: boolean }) {
  const key = `${isBlock} ${source}`;
  const [, setReady] = useState('');
  useEffect(() => {
    if (converted.has(key)) return;
    void import('../lazy/math.ts').then(({ mathNode }) => {
      if (converted.size >= MAX_CONVERTED) converted.clear();
      converted.set(key, mathNode(source, isBlock));
      setReady(key);
    });
  }, [key]);
  const node = converted.get(key);
  const content = node ? elementOf(node) : <code>{source}</code>;
  return isBlock ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard
    <span class="formula block" tabIndex={0}>
      {content}
    </span>
  ) : (
    <span class="formula">{content}</span>
  );
}

function elementOf(node: MathNode): ComponentChild {
  return typeof node === 'string' ? node : createElement(node[0], node[1], ...node[2].map(elementOf));
}

/** Converts TeX to MathML, which the browser draws without additional fonts. The module is loaded with the first formula. */
import katex from 'katex';

/** An element of a formula: its name, its attributes and its content. */
export type MathNode = string | readonly [name: string, attributes: Record<string, string>, content: readonly MathNode[]];

/** Elements and attributes of MathML that a formula may contain. Others, such as links, are left out. */
const ELEMENTS = new Set(
  'math mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mstyle mover munder munderover mtable mtr mtd mlabeledtr mpadded mphantom menclose merror mmultiscripts mprescripts none semantics annotation'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'display mathvariant stretchy fence separator form lspace rspace minsize maxsize symmetric movablelimits accent accentunder linethickness scriptlevel displaystyle mathcolor mathbackground mathsize width height depth voffset columnalign columnspacing rowspacing columnlines rowlines notation encoding largeop'.split(
    ' ',
  ),
);

/** The maximum depth of nested elements. It is limited, because the conversion is recursive. */
const MAX_DEPTH = 100;

/**
 * Links, images and raw HTML in `source` are refused, so a formula cannot load anything. Returns undefined if `source` is not TeX, or is
 * nested too deeply.
 */
export function mathNode(source: string, isBlock: boolean): MathNode | undefined {
  try {
    const options = { output: 'mathml', displayMode: isBlock, trust: false, strict: 'ignore', maxSize: 20, maxExpand: 500 } as const;
    const [mathMl] = /<math[\s\S]*<\/math>/.exec(katex.renderToString(source, options)) ?? [];
    return mathMl && nodeOf(new DOMParser().parseFromString(mathMl, 'application/xml').documentElement);
  } catch {
    return undefined;
  }
}

/** @throws Error if the formula is nested too deeply */
function nodeOf(node: Node, depth = 0): MathNode {
  if (!(node instanceof Element)) return node.textContent ?? '';
  if (depth > MAX_DEPTH) throw new Error('The formula is nested too deeply.');
  const content = [...node.childNodes].map((child) => nodeOf(child, depth + 1));
  if (!ELEMENTS.has(node.localName)) return ['mrow', {}, content];
  const attributes = [...node.attributes].filter(({ name }) => ATTRIBUTES.has(name));
  return [node.localName, Object.fromEntries(attributes.map(({ name, value }) => [name, value])), content];
}

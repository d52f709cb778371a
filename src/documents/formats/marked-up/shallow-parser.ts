/** A parser of HTML whose time and memory grow linearly with the length of the page, however its elements are nested. */
import { Parser } from 'htmlparser2';

/** Receives the elements and the text of a page. */
export type Page = {
  /** The number of elements that are open. */
  readonly depth: number;
  open(tag: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(tag: string): void;
};

/** The maximum depth of nested elements. Deeper elements become siblings of their parent, as in browsers. */
const MAX_DEPTH = 512;

/** Limits the nesting depth, because the time that the parser takes for each tag grows with the depth. */
export class ShallowParser extends Parser {
  readonly #page: Page;
  #isFull = false;

  constructor(page: Page) {
    super(
      {
        onopentag: (tag, attributes) => page.open(tag, attributes),
        ontext: (text) => page.text(text),
        onclosetag: (tag) => page.close(tag),
      },
      { decodeEntities: true },
    );
    this.#page = page;
  }

  override onopentagname(start: number, end: number): void {
    this.#isFull = this.#page.depth >= MAX_DEPTH;
    super.onopentagname(start, end);
  }

  override onclosetag(start: number, end: number): void {
    this.#isFull = false;
    super.onclosetag(start, end);
  }

  protected override isVoidElement(name: string): boolean {
    return this.#isFull || super.isVoidElement(name);
  }
}

/** Returns whether a page hides an element from its readers. */
export function isUnseen({ hidden, style, 'aria-hidden': ariaHidden }: Record<string, string>): boolean {
  return hidden !== undefined || ariaHidden === 'true' || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style ?? '');
}

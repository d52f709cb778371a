/** Finds mentions such as `@src/a.ts:10-20` in a text that a user writes. */

/**
 * A mention in a text. `target` is the text after the `@`, without quotes. `path` and `lines` are its parts if it is read as a path with
 * line numbers. `from` and `to` are its position in the text.
 */
export type MentionToken = { target: string; path: string; lines?: { from: number; to: number }; from: number; to: number };

/** A mention follows the start of the text, a space, an opening bracket or a quote. So `a@b.com` and `\@x` are not mentions. */
const BEFORE = '(?<=^|[\\s([{"\'`,;])';
const MENTIONS = new RegExp(`${BEFORE}@(?:"([^"\\n]+)"((?::|#L)\\d+(?:-L?\\d+)?)?|([^\\s"'\`<>@]+))`, 'gu');
const LINES = /(?::|#L)(\d+)(?:-L?(\d+))?$/;
/** Punctuation that ends a sentence and is not part of a path. The lookbehind keeps the time linear: only the first mark begins a match. */
const END = /(?<![.,;:!?)\]}])[.,;:!?)\]}]+$/;

/** Returns the mentions in a text, in order. It does not check whether the files exist. */
export function mentionsIn(text: string): MentionToken[] {
  return [...text.matchAll(MENTIONS)].flatMap(({ 0: whole, 1: quoted, 2: range = '', 3: bare, index }) => {
    const target = quoted === undefined ? (bare as string).replace(END, '') : quoted + range;
    if (target === '') return [];
    const to = quoted === undefined ? index + 1 + target.length : index + whole.length;
    return [{ target, ...partsOf(target), from: index, to }];
  });
}

function partsOf(target: string): Pick<MentionToken, 'path' | 'lines'> {
  const [range, first, last] = LINES.exec(target) ?? [];
  const from = Number(first);
  if (range === undefined || from < 1) return { path: target };
  return { path: target.slice(0, -range.length), lines: { from, to: Math.max(from, Number(last ?? first)) } };
}

/** Returns true if an unknown mention was probably meant to be a path. */
export function looksLikePath({ path }: MentionToken): boolean {
  return /[\\/]|\.\w{1,8}$/.test(path);
}

/** The mention that the user is typing at the caret. `query` is the text after the `@`. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | undefined {
  const match = new RegExp(`${BEFORE}@("[^"\\n]*|[^\\s"'\`<>@]*)$`, 'u').exec(text.slice(0, caret));
  return match ? { from: match.index, query: (match[1] as string).replace(/^"/, '') } : undefined;
}

/** Returns a mention as it is written in a text. */
export function mentionText(target: string): string {
  return /[\s"'`<>@]/.test(target) ? `@"${target.replaceAll('"', '')}"` : `@${target}`;
}

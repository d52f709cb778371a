/** Exact text inside Markdown, whatever backticks it holds. */

/** `text` is one line. A space that a reader of Markdown takes away is added on both sides where the text needs it. */
export function codeSpan(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  const gap = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${ticks}${gap}${text}${gap}${ticks}`;
}

export function fence(text: string, language = ''): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}${language}\n${text}\n${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
}

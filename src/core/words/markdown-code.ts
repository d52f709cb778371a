/** Formats exact text as code in Markdown, whatever backticks it contains. */

/** Formats one line as inline code. Markdown readers remove a space on both sides of some texts, so one is added there. */
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

/** `head` is the text between two lines `---` at the beginning of a Markdown file. It is undefined if it is missing or not closed. */
export function splitFrontMatter(text: string): { head: string[] | undefined; body: string } {
  const lines = text.split('\n');
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line)) : -1;
  if (end < 0) return { head: undefined, body: text };
  return { head: lines.slice(1, end), body: lines.slice(end + 1).join('\n') };
}

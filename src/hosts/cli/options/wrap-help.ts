/** Fits help texts into a terminal. */

export const HELP_WIDTH = 80;

/**
 * Breaks lines that are too long. The text behind a gap of two spaces is a description, which continues in its column. The lines after a broken
 * line are filled with it if they continue it. A line that ends with a colon introduces a line of its own.
 */
export function wrapHelp(text: string): string {
  const lines = text.split('\n');
  const wrapped: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.length <= HELP_WIDTH) {
      wrapped.push(line);
      continue;
    }
    const [, head = '', first = ''] = /^(\s*(?:\S.*?\s{2,})?)(\S.*)$/.exec(line) ?? [];
    let words = first;
    while (!words.endsWith(':') && continues(lines[at + 1], head.length)) words += ` ${(lines[++at] as string).trim()}`;
    wrapped.push(...filled(head, words));
  }
  return wrapped.join('\n');
}

function continues(line: string | undefined, column: number): boolean {
  return line !== undefined && line.search(/\S/) === column && !/\S\s{2,}/.test(line);
}

function filled(head: string, words: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.split(' ')) {
    if (line && head.length + line.length + 1 + word.length > HELP_WIDTH) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line].map((each, index) => (index === 0 ? head : ' '.repeat(head.length)) + each);
}

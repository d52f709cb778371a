const MAX_TITLE = 80;

/** Returns the title of a session that begins with this prompt: the beginning of its first line. */
export function titleOf(prompt: string): string {
  return prompt.split('\n', 1)[0]?.slice(0, MAX_TITLE) ?? '';
}

/** What a text is as JSON; undefined for what is none. JSON.parse's own error would repeat the text, which may be a secret. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

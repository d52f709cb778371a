/** Parses JSON, or returns undefined when it is not valid. The error of JSON.parse would quote the text, which may be a secret. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The messages that were not accepted and were put back at the beginning of the text box, and the number of their images. */
export type PutBack = { text: string; images: number };

export const NOTHING_BACK: PutBack = { text: '', images: 0 };

/** Returns the messages that were put back earlier, if they are still at the beginning of the text. */
export function stillBack(value: string, earlier: PutBack): PutBack {
  const isThere = earlier.text !== '' && (value === earlier.text || value.startsWith(`${earlier.text}\n\n`));
  return isThere ? earlier : NOTHING_BACK;
}

/**
 * Inserts texts after the texts that were put back `earlier`, and before the text that the user has written since. The result is `back`,
 * followed by the rest.
 */
export function withPutBack(value: string, texts: readonly string[], earlier: PutBack): { back: string; next: string } {
  const join = (...parts: string[]) => parts.filter((each) => each.trim() !== '').join('\n\n');
  const back = join(earlier.text, ...texts);
  return { back, next: join(back, value.slice(earlier.text.length).replace(/^\n\n/, '')) };
}

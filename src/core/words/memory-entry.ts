/** The maximum length of one entry of the memory, in characters. */
export const MAX_MEMORY_ENTRY = 1_000;

/** Returns an entry of the memory as it is stored, in one line. The result is empty if there is nothing to remember. */
export function memoryEntry(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toWellFormed();
}

/** Returns a sentence for the user if an entry is too long to be stored. */
export function tooLongEntry({ length }: string): string | undefined {
  if (length <= MAX_MEMORY_ENTRY) return undefined;
  const [has, most] = [length, MAX_MEMORY_ENTRY].map((count) => count.toLocaleString('en'));
  return `The text was not stored, because it has ${has} characters. An entry can have at most ${most}. Shorten it, or split it into several entries.`;
}

/** The maximum length of one entry of the memory, in characters. */
export const MAX_MEMORY_ENTRY = 1_000;

/** Returns an entry of the memory as it is stored: in one line. Returns an empty text if there is nothing to remember. */
export function memoryEntry(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_MEMORY_ENTRY).toWellFormed();
}

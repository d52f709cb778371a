/** Lists the entries of a memory. */
import { visibleLine } from './visible-text.ts';

/** An entry of the memory for display. `line` counts from 1. */
export type MemoryEntry = { line: number; text: string };

/** The maximum number of characters of an entry that are shown. The user may have written longer lines into the file. */
const MAX_SHOWN = 2_000;

/** Returns the entries of a memory. Each line with text is one entry. */
export function memoryEntries(text: string): MemoryEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const entry = line.trim().replace(/^[-*] +/, '');
    return entry === '' ? [] : [{ line: index + 1, text: visibleLine(entry.slice(0, MAX_SHOWN).toWellFormed()) }];
  });
}

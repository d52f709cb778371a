/** Removes single entries of a memory file and puts them back. */
import { realpathSync, renameSync, writeFileSync } from 'node:fs';
import { type MemoryEntry, memoryEntries } from '../../core/words/memory-list.ts';
import { readRegular } from './files/real-files.ts';

/** Removes an entry, and returns its original line, or undefined if the memory no longer contains it. */
export function removeEntry(path: string, { line, text }: MemoryEntry): { line: number; raw: string } | undefined {
  const whole = readRegular(path).toString('utf8');
  const same = memoryEntries(whole).filter((entry) => entry.text === text);
  // The file may have changed since it was shown.
  const found = same.find((entry) => entry.line === line) ?? same[0];
  if (!found) return undefined;
  const lines = whole.split('\n');
  const [raw = ''] = lines.splice(found.line - 1, 1);
  replace(path, lines.join('\n'));
  return { line: found.line, raw };
}

/** Inserts a line that was removed. */
export function insertLine(path: string, { line, raw }: { line: number; raw: string }): void {
  const lines = readRegular(path).toString('utf8').split('\n');
  lines.splice(Math.min(line - 1, lines.length - 1), 0, raw);
  replace(path, lines.join('\n'));
}

/** Replaces a file atomically, so that a crash leaves either the old or the new text. */
function replace(path: string, text: string): void {
  const real = realpathSync(path);
  const draft = `${real}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, real);
}

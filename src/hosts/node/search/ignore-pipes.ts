/** Finds ignore files that are pipes or devices. Ripgrep would open them and wait forever. */
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const NAMES = ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'];

/** Returns true if the folder, or a directory above it, contains an ignore file that is a pipe or device. */
export function hasPipeAbove(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (hasPipeIn(at)) return true;
    if (dirname(at) === at) return false;
  }
}

/** Returns true if the folder, or a directory in it, contains an ignore file that is a pipe or device. */
export async function hasPipeBelow(folder: string, signal: AbortSignal): Promise<boolean> {
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined && !signal.aborted; at = pending.pop()) {
    if (hasPipeIn(at)) return true;
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory() && entry.name !== '.git') pending.push(join(at, entry.name));
  }
  return false;
}

function hasPipeIn(directory: string): boolean {
  return NAMES.some((name) => {
    try {
      const stats = statSync(join(directory, name), { throwIfNoEntry: false });
      return stats !== undefined && !stats.isFile() && !stats.isDirectory();
    } catch {
      return false;
    }
  });
}

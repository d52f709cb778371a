/** Ignore files that are none: ripgrep opens whatever is called so, and waits at a pipe, or reads a device, without end. */
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const NAMES = ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'];

/** In the folder itself, or in any directory above it. */
export function isWaitedForAbove(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (isWaitedForIn(at)) return true;
    if (dirname(at) === at) return false;
  }
}

/** Anywhere in the folder. */
export async function isWaitedForBelow(folder: string, signal: AbortSignal): Promise<boolean> {
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined && !signal.aborted; at = pending.pop()) {
    if (isWaitedForIn(at)) return true;
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory() && entry.name !== '.git') pending.push(join(at, entry.name));
  }
  return false;
}

function isWaitedForIn(directory: string): boolean {
  return NAMES.some((name) => {
    try {
      const found = statSync(join(directory, name), { throwIfNoEntry: false });
      return found !== undefined && !found.isFile() && !found.isDirectory();
    } catch {
      return false;
    }
  });
}

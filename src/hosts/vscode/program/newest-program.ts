import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the terminal program in the newest version of the extension, or undefined if there is none. VS Code installs each version into a
 * folder such as `kedge.kedge-0.1.0` beside the others.
 */
export function newestProgram(extension: string): string | undefined {
  const [prefix] = /^.+-(?=\d+\.\d+\.\d+)/.exec(basename(extension)) ?? [];
  const versions = prefix
    ? readNames(dirname(extension)).filter((name) => name.startsWith(prefix) && /^\d/.test(name.slice(prefix.length)))
    : [];
  versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return [...versions.map((name) => join(dirname(extension), name)), extension]
    .map((folder) => join(folder, 'dist', 'kedge.js'))
    .find((program) => existsSync(program));
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

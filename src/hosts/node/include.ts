/** What an `include` glob means, the same for ripgrep and for the walk. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';

export type Include = {
  /** Judges a path relative to the folder. The only judge: the rest merely spares work. */
  matches(path: string): boolean;
  /** Names of the directories in which everything that matches lies. */
  below: string[];
  /** A glob that the last component of everything that matches fits. */
  name?: string;
};

const OPTIONS = { dot: true, nonegate: true, noextglob: true };
const EVERYTHING: Include = { matches: () => true, below: [] };

/**
 * A glob without a slash matches at any depth, one with a slash from the folder on, and the plain name of a directory means
 * everything below it.
 */
export async function includeIn(folder: string, glob = ''): Promise<Include> {
  const clean = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  if (clean === '' || clean === '.' || clean === '**') return EVERYTHING;
  if (/[*?{[]/.test(clean)) return globInclude(clean, glob.endsWith('/'));
  const parts = clean.split('/');
  const directory = await stat(join(folder, clean)).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (directory || glob.endsWith('/')) return { matches: (path) => path.startsWith(`${clean}/`), below: parts };
  if (parts.length > 1) return { matches: (path) => path === clean, below: parts.slice(0, -1) };
  return { matches: (path) => path === clean || path.endsWith(`/${clean}`), below: [] };
}

function globInclude(clean: string, everythingBelow: boolean): Include {
  const anchored = clean.includes('/') || everythingBelow ? clean : `**/${clean}`;
  // Parentheses and the like are letters of names here, as in app/(auth)/page.tsx.
  const plain = `${anchored}${everythingBelow ? '/**' : ''}`.replace(/[()+@!|^$\\]/g, '\\$&');
  const patterns = [plain];
  // So may brackets be: app/[id]/page.tsx.
  if (/\[\w[\w.-]*\]/.test(plain)) patterns.push(plain.replace(/[[\]]/g, '\\$&'));
  const parts = anchored.split('/');
  const magic = parts.findIndex((part) => /[*?{[]/.test(part));
  const name = everythingBelow ? '' : (parts.at(-1) ?? '');
  const bracesSpanSlash = parts.some((part) => (part.match(/\{/g) ?? []).length !== (part.match(/\}/g) ?? []).length);
  return {
    matches: picomatch(patterns, OPTIONS),
    below: parts.slice(0, Math.max(0, magic)),
    ...(!bracesSpanSlash && /^[\w.*?{},-]+$/.test(name) && !/^\*+$/.test(name) && { name }),
  };
}

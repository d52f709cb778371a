/** Interprets `include` globs, in the same way for ripgrep and for the search without ripgrep. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { globMatcher } from '../../../policy/glob.ts';

export type Include = {
  /** Decides whether a path relative to the folder matches. The other fields only narrow the search. */
  matches(path: string): boolean;
  /** The directory that contains all matches, as a list of names. */
  below: string[];
  /** A glob that matches the file name of every match. */
  name?: string;
};

const EVERYTHING: Include = { matches: () => true, below: [] };

/** Interprets a glob for a folder on disk. It looks up whether the glob is the name of a directory. */
export function includeIn(folder: string, glob?: string): Promise<Include> {
  const isDirectory = (path: string) =>
    stat(join(folder, path)).then(
      (found) => found.isDirectory(),
      () => false,
    );
  return includeOf(glob, isDirectory);
}

/**
 * A glob without a slash matches at any depth. A glob with a slash is relative to the folder. The plain name of a directory matches
 * everything below it.
 */
export async function includeOf(glob = '', isDirectory: (path: string) => Promise<boolean>): Promise<Include> {
  const clean = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  if (clean === '' || clean === '.' || clean === '**') return EVERYTHING;
  if (/[*?{[]/.test(clean)) return globInclude(clean, glob.endsWith('/'));
  const parts = clean.split('/');
  if (glob.endsWith('/') || (await isDirectory(clean))) return { matches: (path) => path.startsWith(`${clean}/`), below: parts };
  const last = parts.at(-1) ?? '';
  const name = /^[\w.-]+$/.test(last) ? { name: last } : {};
  if (parts.length > 1) return { matches: (path) => path === clean, below: parts.slice(0, -1), ...name };
  return { matches: (path) => path === clean || path.endsWith(`/${clean}`), below: [], ...name };
}

function globInclude(clean: string, everythingBelow: boolean): Include {
  const anchored = clean.includes('/') || everythingBelow ? clean : `**/${clean}`;
  const whole = `${anchored}${everythingBelow ? '/**' : ''}`;
  // Brackets may be a set of characters or a part of a name, as in app/[id]/page.tsx.
  const asSet = globMatcher(whole, { dot: true });
  const asName = whole.includes('[') ? globMatcher(whole, { dot: true, names: true }) : asSet;
  const ending = /^\*\*\/\*(\.[\w.-]+)$/.exec(whole)?.[1];
  const parts = anchored.split('/');
  const magic = parts.findIndex((part) => /[*?{[]/.test(part));
  const name = everythingBelow ? '' : (parts.at(-1) ?? '');
  const bracesSpanSlash = parts.some((part) => (part.match(/\{/g) ?? []).length !== (part.match(/\}/g) ?? []).length);
  return {
    matches: ending ? (path) => path.endsWith(ending) : (path) => asSet(path) || (asName !== asSet && asName(path)),
    below: parts.slice(0, Math.max(0, magic)),
    ...(!bracesSpanSlash && /^[\w.*?{},-]+$/.test(name) && !/^\*+$/.test(name) && { name }),
  };
}

/** Turns the words of `kedge docs add` into sources. */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Source } from '../../../documents/collections.ts';
import { UsageError } from '../options/arguments.ts';
import type { CommandContext, Values } from '../sessions/context.ts';

const MAX_DEPTH = 10;
const MAX_PAGES = 2_000;

/** @throws UsageError if there is nothing at a path, or an address is invalid */
export function sourcesOf(words: readonly string[], { values, kedge }: Pick<CommandContext, 'values' | 'kedge'>): Source[] {
  const code = values.code === true ? { code: true } : {};
  const packages = Array.isArray(values.package) ? (values.package as string[]) : [];
  return [
    ...words.map((word): Source => (/^https?:\/\//i.test(word) ? pageSource(word, values) : { ...fileSource(word), ...code })),
    ...packages.map((name): Source => ({ kind: 'folder', path: packageFolder(name, kedge.folders), ...code })),
  ];
}

function pageSource(word: string, values: Values): Source {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (!url) throw new UsageError(`${JSON.stringify(word)} is not a web address.`);
  if (url.username || url.password) throw new UsageError('The address contains a user name or a password. Remove them.');
  url.hash = '';
  return {
    kind: 'url',
    url: url.href,
    depth: numberOf('--depth', values.depth, 0, MAX_DEPTH),
    pages: Math.max(1, numberOf('--pages', values.pages, 100, MAX_PAGES)),
  };
}

function fileSource(word: string): Source {
  const path = resolve(word);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { kind: 'folder', path };
  if (stats?.isFile()) return { kind: 'file', path };
  if (!/[*?[{]/.test(word)) throw new UsageError(`${word} does not exist. Name a folder, a file, a glob or a web address.`);
  const parts = word.replaceAll('\\', '/').split('/');
  const at = parts.findIndex((part) => /[*?[{]/.test(part));
  const folder = resolve(parts.slice(0, at).join('/') || (word.startsWith('/') ? '/' : '.'));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`The folder of ${word} does not exist.`);
  return { kind: 'glob', path: folder, glob: parts.slice(at).join('/') };
}

/** Finds an installed npm package as Node does: in the folder, and in the folders above it. */
function packageFolder(name: string, folders: readonly string[]): string {
  if (!/^(@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name)) throw new UsageError(`${JSON.stringify(name)} is not the name of an npm package.`);
  for (const folder of folders)
    for (let at = folder; ; at = dirname(at)) {
      const found = join(at, 'node_modules', name);
      if (statSync(found, { throwIfNoEntry: false })?.isDirectory()) return found;
      if (dirname(at) === at) break;
    }
  throw new UsageError(`The package ${name} is not installed here. Install it, or name its folder.`);
}

function numberOf(option: string, value: Values[string], usual: number, most: number): number {
  if (value === undefined) return usual;
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= most) return number;
  throw new UsageError(`${option} must be a whole number from 0 to ${most.toLocaleString('en')}, not ${JSON.stringify(value)}.`);
}

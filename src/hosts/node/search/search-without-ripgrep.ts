/** Finds and searches files without ripgrep. This is slower, but the results are the same. */
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { decodeText } from '../../../workspace/content.ts';
import { isCostlyPattern } from '../../../workspace/ignore-patterns.ts';
import { readRealUpTo, readRegular } from '../files/real-files.ts';
import { includeIn } from './include-glob.ts';
import { matcherOf, matchingLinesOfAll } from './matching-lines.ts';
import type { FilesOptions, Hit, SearchOptions } from './query.ts';
import { repositoryOf } from './repository.ts';

const MAX_FILES = 200_000;
const MAX_BYTES = 20_000_000;
const PAUSE_MS = 20;
const PIECE_FILES = 200;
const PIECE_CHARS = 1_000_000;

/**
 * The ignore rules of one directory. `at` is its path with a slash at the end, or '' for the folder. For a directory above the folder,
 * `lead` is the path from that directory to the folder.
 */
type Rules = { at: string; lead: string; rules: Ignore };

export async function filesByWalking({ cwd, query, signal }: Omit<FilesOptions, 'rg'>): Promise<string[]> {
  const include = await includeIn(cwd, query.include);
  const paths: string[] = [];
  for await (const path of walk(cwd, include.below, signal)) {
    if (include.matches(path) && !query.hides?.(path)) paths.push(path);
  }
  return paths.sort().slice(0, query.limit);
}

export async function* searchByWalking({ cwd, query, signal }: Omit<SearchOptions, 'rg'>): AsyncGenerator<Hit> {
  const matches = matcherOf(query);
  const include = await includeIn(cwd, query.include);
  let left = query.limit;
  if (left <= 0) return;
  for await (const texts of textBatches(cwd, include, { query, signal })) {
    for (const hit of matchingLinesOfAll(texts, matches, query)) {
      signal.throwIfAborted();
      yield hit;
      if (--left <= 0) return;
    }
  }
}

type Text = { path: string; text: string };

/** Yields the texts to search, in batches so small that each blocks the process for only a few milliseconds. */
async function* textBatches(
  cwd: string,
  { matches, below }: Awaited<ReturnType<typeof includeIn>>,
  { query, signal }: Omit<SearchOptions, 'rg' | 'cwd'>,
): AsyncGenerator<Text[]> {
  let texts: Text[] = [];
  let size = 0;
  for await (const path of walk(cwd, below, signal)) {
    if (!matches(path) || query.hides?.(path)) continue;
    const text = await textIn(join(cwd, path));
    if (!text) continue;
    texts.push({ path, text });
    size += text.length;
    if (texts.length < PIECE_FILES && size < PIECE_CHARS) continue;
    yield texts;
    texts = [];
    size = 0;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  if (texts.length > 0) yield texts;
}

/** Returns undefined for binary, empty and very long files. */
async function textIn(file: string): Promise<string | undefined> {
  try {
    const bytes = await readRealUpTo(file, MAX_BYTES);
    return bytes && decodeText(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Yields every file that is not ignored, without symbolic links, in an order that depends on names only. It yields to the event loop every
 * few milliseconds.
 */
async function* walk(root: string, below: readonly string[], signal: AbortSignal): AsyncGenerator<string> {
  const pending: { at: string; above: readonly Rules[] }[] = [{ at: '', above: await rulesAbove(root) }];
  let seen = 0;
  let pause = performance.now() + PAUSE_MS;
  for (let next = pending.pop(); next; next = pending.pop()) {
    signal.throwIfAborted();
    const { at, above } = next;
    const entries = await readdir(join(root, at), { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const rules = await rulesOf(root, at, above, new Set(entries.map(({ name }) => name)));
    for (const entry of entries) {
      const path = at + entry.name;
      if (entry.isDirectory()) {
        if (VERSION_CONTROL.has(entry.name) || !leadsInto(path, below) || isIgnored(`${path}/`, rules)) continue;
        pending.push({ at: `${path}/`, above: rules });
      } else if (entry.isFile() && !VERSION_CONTROL.has(entry.name) && !isIgnored(path, rules)) {
        if (++seen > MAX_FILES) return;
        yield path;
      }
    }
    if (performance.now() > pause) {
      await new Promise((resolve) => setImmediate(resolve));
      pause = performance.now() + PAUSE_MS;
    }
  }
}

const VERSION_CONTROL = new Set(['.git', '.hg', '.svn']);

function leadsInto(path: string, below: readonly string[]): boolean {
  const parts = path.split('/');
  return below.every((name, index) => index >= parts.length || parts[index] === name);
}

async function rulesOf(root: string, at: string, above: readonly Rules[], names: ReadonlySet<string>): Promise<readonly Rules[]> {
  // A nested repository does not inherit the rules of the outer repository.
  const inherited = names.has('.git') ? [] : above;
  const rules = await rulesIn(join(root, at), names);
  return rules ? [...inherited, { at, lead: '', rules }] : inherited;
}

async function rulesAbove(root: string): Promise<readonly Rules[]> {
  const top = await repositoryOf(root);
  const parts = top === undefined ? [] : relative(top, root).split(sep).filter(Boolean);
  const all = parts.map(async (_, index): Promise<Rules[]> => {
    const directory = join(top ?? root, ...parts.slice(0, index));
    const rules = await rulesIn(directory, new Set(await readdir(directory)));
    const lead = `${parts.slice(index).join('/')}/`;
    // A user who opens an ignored folder wants to see its files.
    return rules ? [{ at: '', lead: rules.test(lead).ignored ? '' : lead, rules }] : [];
  });
  return (await Promise.all(all)).flat();
}

async function rulesIn(directory: string, names: ReadonlySet<string>): Promise<Ignore | undefined> {
  const files = ['.git', '.gitignore', '.ignore', '.rgignore'].filter((name) => names.has(name));
  if (files.length === 0) return undefined;
  const inside = files.map((name) => join(directory, name === '.git' ? '.git/info/exclude' : name));
  const lines = inside.flatMap((file) => ignoreText(file).split('\n'));
  return ignore().add(lines.filter((line) => !isCostlyPattern(line)).join('\n'));
}

/** Returns the text of an ignore file. A missing or special file counts as empty. */
function ignoreText(file: string): string {
  try {
    return readRegular(file).toString('utf8');
  } catch {
    return '';
  }
}

/** Returns true if a path is ignored. The deepest directory with a matching rule decides. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { at, lead, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(lead + path.slice(at.length));
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

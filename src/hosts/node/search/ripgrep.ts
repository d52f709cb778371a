/** Finds and searches files with ripgrep. Arguments are passed as a list without a shell, and model input never becomes an option. */

import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { IGNORE_FILE } from '../../../workspace/ignore.ts';
import type { SearchQuery } from '../../../workspace/types.ts';
import { hasPipeAbove, hasPipeBelow } from './ignore-pipes.ts';
import { type Include, includeIn } from './include-glob.ts';
import { expectOneLine, type FilesOptions, type Hit, type InFolder, MAX_LINE, type SearchOptions } from './query.ts';
import { repositoryOf } from './repository.ts';

/** Hits are sorted in this process up to this multiple of the limit. With more hits, ripgrep runs again and sorts, which is slower. */
const POOL = 5;
/** When ripgrep was silent for this long, the folder is searched for an ignore file that blocks it. */
const SILENT_MS = 2_000;
/** Returns the first executable candidate, or else the `rg` on PATH. Returns undefined if ripgrep is not installed. */
export async function findRipgrep(candidates: readonly string[] = [], path = process.env.PATH ?? ''): Promise<string | undefined> {
  const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const onPath = path.split(delimiter).map((folder) => join(folder, binary));
  // A relative entry of PATH would run a program from the repository.
  for (const candidate of [...candidates, ...onPath].filter(isAbsolute)) {
    const runs = await access(candidate, constants.X_OK).then(
      () => stat(candidate).then((found) => found.isFile()),
      () => false,
    );
    if (runs) return candidate;
  }
  return undefined;
}

/** Returns the first `limit` files by name, without ignored files. */
export async function filesWithRipgrep(options: FilesOptions): Promise<string[]> {
  const files = await unlessBlocked(options.cwd, () => collectFiles(options));
  return files ?? (await import('./search-without-ripgrep.ts')).filesByWalking(options);
}

/** Yields the first `limit` matching lines, grouped by file. */
export async function* searchWithRipgrep(options: SearchOptions): AsyncGenerator<Hit> {
  const hits = await unlessBlocked(options.cwd, () => firstHits(options));
  if (!hits) return yield* (await import('./search-without-ripgrep.ts')).searchByWalking(options);
  for (const hit of hits) {
    options.signal.throwIfAborted();
    yield hit;
  }
}

/** Returns undefined when ripgrep is blocked by an ignore file that is a pipe. */
async function unlessBlocked<T>(cwd: string, work: () => Promise<T>): Promise<T | undefined> {
  if (hasPipeAbove(cwd)) return undefined;
  try {
    return await work();
  } catch (error) {
    if (error instanceof BlockedByPipe) return undefined;
    throw error;
  }
}

class BlockedByPipe extends Error {}

async function collectFiles({ rg, cwd, query, without = [], signal }: FilesOptions): Promise<string[]> {
  const { limit, hides } = query;
  const include = await includeIn(cwd, query.include);
  const args = [...(await walkArguments(cwd, include)), ...without, '--files', '--null', '--', './'];
  let paths: string[] = [];
  /** The greatest path that was kept when `paths` was last shortened. A greater path cannot be among the first `limit` paths. */
  let last: string | undefined;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of outputOf(rg, args, cwd, signal)) {
    const names = (rest + decoder.decode(chunk, { stream: true })).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) {
      const path = name.slice(2);
      if ((last === undefined || path <= last) && include.matches(path) && !hides?.(path)) paths.push(path);
    }
    // Ripgrep's output is not sorted, so all paths are examined, but only paths that can be among the first `limit` are kept.
    if (paths.length > 2_000 + 2 * limit) {
      paths = paths.sort().slice(0, limit);
      last = paths.at(-1);
    }
  }
  return paths.sort().slice(0, limit);
}

async function firstHits({ rg, cwd, query, without = [], signal }: SearchOptions): Promise<Hit[]> {
  const { pattern, limit, hides } = query;
  expectOneLine(pattern);
  const include = await includeIn(cwd, query.include);
  const args = [...(await walkArguments(cwd, include)), ...without, ...searchArguments(query)];
  const included = new Map<string, boolean>();
  const collectHits = async (most: number, ...more: string[]): Promise<Hit[]> => {
    const hits: Hit[] = [];
    // With an empty input instead of the folder, ripgrep only compiles the pattern.
    const output = outputOf(rg, [...args, ...more, '-e', pattern, '--', limit > 0 ? './' : '-'], cwd, signal);
    for await (const hit of hitsOf(output)) {
      const isIncluded = included.get(hit.path) ?? (include.matches(hit.path) && !hides?.(hit.path));
      included.set(hit.path, isIncluded);
      if (isIncluded && hits.push(hit) >= most) break;
    }
    return hits;
  };
  // Ripgrep reads files in parallel, so the order of hits depends on timing and on the content of excluded files. The first hits are
  // therefore chosen by path.
  const pool = await collectHits(POOL * limit + 1);
  return pool.length > POOL * limit ? collectHits(limit, '--sort=path') : pool.sort(byPlace).slice(0, limit);
}

function byPlace(a: Hit, b: Hit): number {
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

/** Returns the argument with which ripgrep skips files that are excluded by `.kedgeignore`, to save time. */
export function ignoreFileIn(folder: string): string[] {
  const file = join(folder, IGNORE_FILE);
  return existsSync(file) && statSync(file).isFile() ? [`--ignore-file=${file}`] : [];
}

function searchArguments({ regex, caseSensitive, wholeWord, limit }: InFolder<SearchQuery>): string[] {
  return [
    ...['--line-number', '--with-filename', '--no-heading', '--null', '--crlf', '--no-messages', `--max-count=${Math.max(1, limit)}`],
    ...(regex ? ['--engine=auto'] : ['--fixed-strings']),
    caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(wholeWord ? ['--word-regexp'] : []),
  ];
}

async function walkArguments(cwd: string, include: Include): Promise<string[]> {
  return [
    ...['--no-config', '--color=never', '--path-separator=/', '--hidden', '--glob=!.git', '--glob=!.hg', '--glob=!.svn'],
    '--no-ignore-global',
    // In a repository, ignore files apply from its root down; elsewhere, from the folder down.
    ...((await repositoryOf(cwd)) ? [] : ['--no-require-git', '--no-ignore-parent']),
    ...onlyBelow(include.below),
    ...(include.name ? [`--type-add=included:${include.name}`, '--type=included'] : []),
  ];
}

/**
 * Returns globs that keep ripgrep out of all other directories. A positive glob or a starting directory would make ripgrep skip the ignore
 * files. Therefore, the globs for `src` exclude names that do not begin with s, sr and src, and names that are longer than src.
 */
function onlyBelow(directories: readonly string[]): string[] {
  const globs: string[] = [];
  let parent = '';
  for (const name of directories) {
    if (!/^[\w.-]+$/.test(name)) break;
    for (let length = 0; length < name.length; length++) {
      const begin = name.slice(0, length);
      if (begin) globs.push(`--glob=!${parent}/${begin}`);
      globs.push(`--glob=!${parent}/${begin}[!${name[length]}]*`);
    }
    globs.push(`--glob=!${parent}/${name}?*`);
    parent += `/${name}`;
  }
  return globs;
}

/** Yields the output of ripgrep. The process is killed when the consumer stops reading or the signal aborts. */
async function* outputOf(rg: string, args: readonly string[], cwd: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const child = spawn(rg, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < 10_000) complaint += text;
  });
  const closed = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  closed.catch(() => undefined);
  let silent = true;
  const watch = new AbortController();
  let looking: Promise<boolean> | undefined;
  const timer = setTimeout(() => {
    looking ??= hasPipeBelow(cwd, watch.signal).then((waits) => waits && kill());
  }, SILENT_MS);
  try {
    for await (const chunk of child.stdout) {
      signal.throwIfAborted();
      silent = false;
      timer.refresh();
      yield chunk;
    }
    watch.abort();
    if (await looking) throw new BlockedByPipe();
    const code = await closed;
    signal.throwIfAborted();
    // Ripgrep also fails if it could not read some of the files. If there is output, such errors are ignored.
    if (code !== 0 && code !== 1 && silent && complaint.trim()) throw new Error(sentenceOf(complaint));
  } finally {
    clearTimeout(timer);
    watch.abort();
    signal.removeEventListener('abort', kill);
    kill();
  }
}

function sentenceOf(complaint: string): string {
  const reason = /^error: (.*)$/m.exec(complaint)?.[1];
  if (reason) return `The regular expression is not valid: ${reason}. Correct it.`;
  return `The search failed: ${complaint.trim().split('\n')[0]?.replace(/^rg: /, '')}. Try another pattern.`;
}

const NUL = 0;
const NEWLINE = 10;
const STOPPED = /^.*: WARNING: stopped searching binary file after match \([^\n]*\)\n/s;

/** Each hit has the format `path NUL number:line`. Only the beginning of a very long line is held in memory. */
async function* hitsOf(output: AsyncIterable<Buffer>): AsyncGenerator<Hit> {
  let rest: Buffer = Buffer.alloc(0);
  let skipping = false;
  for await (const chunk of output) {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    if (skipping) {
      const end = data.indexOf(NEWLINE);
      data = end < 0 ? Buffer.alloc(0) : data.subarray(end + 1);
      skipping = end < 0;
    }
    let start = 0;
    for (;;) {
      const afterPath = data.indexOf(NUL, start);
      if (afterPath < 0) break;
      let end = data.indexOf(NEWLINE, afterPath);
      const tooLong = end < 0 && data.length - afterPath > 4 * MAX_LINE + 20;
      if (end < 0 && !tooLong) break;
      if (tooLong) end = data.length;
      const hit = hitOf(
        data.toString('utf8', start, afterPath),
        data.toString('utf8', afterPath + 1, Math.min(end, afterPath + 4 * MAX_LINE + 20)),
      );
      if (hit) yield hit;
      start = end + 1;
      skipping = tooLong;
      if (tooLong) break;
    }
    rest = data.subarray(start);
  }
}

function hitOf(path: string, numbered: string): Hit | undefined {
  const colon = numbered.indexOf(':');
  const line = Number(numbered.slice(0, colon));
  if (colon < 1 || !Number.isInteger(line)) return undefined;
  const text = numbered
    .slice(colon + 1)
    .replace(/\r$/, '')
    .slice(0, MAX_LINE);
  return { path: path.replace(STOPPED, '').slice(2), line, text };
}

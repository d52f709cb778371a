/** Functions for reading and searching that all skills share. */
import { type FileText, type Listing, merge, parseDirectory, parseListing, parseRead, parseSearch, type SearchResult } from '../results.ts';
import { baseName, hasGlob, type Scope } from '../scope.ts';
import { ask, askOne, type Call, type Skill } from '../script.ts';

export type File = FileText & { path: string };
/** The content of a file, or a sentence that explains why it could not be read. */
export type Lookup = { file: File } | { problem: string };

const call = (name: string, input: Call['input']): Call => ({ name, input });
export const readCall = (path: string, lines: { from_line?: number; to_line?: number } = {}): Call => call('read_file', { path, ...lines });
export const findCall = (glob: string): Call => call('find_files', { glob });
const listCall = (path: string): Call => call('list_directory', { depth: 1, ...(path !== '' && { path }) });

export type Query = { pattern: string; regex?: boolean; case_sensitive?: boolean; whole_word?: boolean };

/** Creates one search call for each glob and each named file. */
export function searchCalls(query: Query, { globs, paths }: Scope): Call[] {
  const where = [...globs, ...paths];
  return where.length === 0 ? [call('search_text', query)] : where.map((glob) => call('search_text', { ...query, glob }));
}

/** @returns the matches, or an error message if the search failed */
export function* search(say: string, query: Query, scope: Scope): Skill<SearchResult | { problem: string }> {
  const replies = yield* ask(say, searchCalls(query, scope));
  const failed = replies.find((reply) => reply.isError);
  if (failed) return { problem: failed.text };
  return merge(replies.map((reply) => (/^No matches\b/.test(reply.text) ? { files: [] } : parseSearch(reply.text))));
}

export function* list(say: string, path: string): Skill<Listing | { problem: string }> {
  const reply = yield* askOne(say, listCall(path));
  return reply.isError ? { problem: reply.text } : parseDirectory(reply.text);
}

export function* find(say: string, glob: string): Skill<Listing | { problem: string }> {
  const reply = yield* askOne(say, findCall(glob));
  return reply.isError ? { problem: reply.text } : parseListing(reply.text);
}

/** Reads the files completely, in several calls if necessary. */
export function* readAll(say: string, paths: readonly string[]): Skill<Map<string, Lookup>> {
  const lookups = new Map<string, Lookup>();
  let open = paths.map((path) => ({ path, from: 1 }));
  for (let first = true; open.length > 0; first = false) {
    const replies = yield* ask(
      first ? say : '',
      open.map(({ path, from }) => readCall(path, from > 1 ? { from_line: from } : {})),
    );
    const next: typeof open = [];
    for (const [index, { path, from }] of open.entries()) {
      const lookup = readReply(path, replies[index]);
      const before = lookups.get(path);
      if ('problem' in lookup || from === 1) lookups.set(path, lookup);
      else if (before && 'file' in before) append(before.file, lookup.file);
      if ('file' in lookup && lookup.file.next !== undefined && lookup.file.next > from) next.push({ path, from: lookup.file.next });
    }
    open = next;
  }
  return lookups;
}

function append(file: File, rest: File): void {
  for (const index of rest.cut) file.cut.add(file.lines.length + index);
  file.lines.push(...rest.lines);
}

function readReply(path: string, reply: { text: string; isError: boolean } | undefined): Lookup {
  if (!reply || reply.isError) return { problem: reply?.text ?? `${path} was not read.` };
  const file = parseRead(reply.text);
  return file ? { file: { path, ...file } } : { problem: reply.text };
}

/** Opens a file, or the only file with that name in another directory. `lines` limits what is read. */
export function* openFile(say: string, path: string, lines?: { from_line: number; to_line?: number }): Skill<Lookup> {
  const first = lines
    ? readReply(path, yield* askOne(say, readCall(path, lines)))
    : ((yield* readAll(say, [path])).get(path) ?? { problem: `${path} was not read.` });
  if ('file' in first) return first;
  const others = yield* namesakes(path);
  const [only] = others;
  if (others.includes(path) || only === undefined) return { problem: first.problem };
  if (others.length > 1) return { problem: severalFiles(path, others) };
  const second = lines ? readReply(only, yield* askOne('', readCall(only, lines))) : (yield* readAll('', [only])).get(only);
  return second ?? first;
}

/** Finds the path of a file, even if it is not a text file. */
export function* locate(say: string, path: string): Skill<{ path: string } | { problem: string }> {
  const candidates = yield* namesakes(path, say);
  if (candidates.includes(path)) return { path };
  if (candidates.length > 0)
    return candidates.length === 1 ? { path: candidates[0] as string } : { problem: severalFiles(path, candidates) };
  // Ignored files are not listed but can be read.
  const reply = yield* askOne('', readCall(path, { from_line: 1, to_line: 1 }));
  return reply.isError ? { problem: reply.text } : { path };
}

function* namesakes(path: string, say = ''): Skill<string[]> {
  if (hasGlob(path) || /[[\]]/.test(path)) return [];
  const listing = yield* find(say, `**/${path}`);
  if ('problem' in listing) return [];
  return listing.entries.filter((entry) => entry === path || entry.endsWith(`/${path}`));
}

function severalFiles(path: string, candidates: readonly string[]): string {
  const candidateList = candidates.slice(0, 8).join(', ');
  return `${candidates.length} files are called ${baseName(path)}: ${candidateList}${candidates.length > 8 ? ', …' : ''}. Send the request again with the file’s directory.`;
}

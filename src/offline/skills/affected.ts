/** Finds the lines that a rename or replacement would change. */
import { renamer } from '../edits.ts';
import { quote } from '../quotes.ts';
import type { Substitution } from '../request.ts';
import { type FileHits, merge, parseSearch } from '../results.ts';
import { isEverywhere, type Scope } from '../scope.ts';
import { ask, type Reply, type Skill } from '../script.ts';
import { type Lookup, locate, type Query, readAll, searchCalls } from './lookup.ts';

export type Affected = {
  files: FileHits[];
  more?: string;
  /** The content of files that were named explicitly. Other files were only searched. */
  read: Map<string, Lookup>;
  /** Places where the new name is already in use, so the rename would merge two names. */
  clash: FileHits[];
};

/** Returns a function that applies the change to a line. */
export function changer(request: Substitution): (line: string, path: string) => string {
  const { kind, from, to } = request;
  const change = kind === 'rename' ? renamer(from, to) : (line: string) => line.replaceAll(from, () => to);
  return (line, path) => (line.includes(from) ? change(line, path) : line);
}

/** Describes the searched text. */
export function targetText({ kind, from }: Substitution): string {
  return kind === 'rename' ? `whole-word ${from}` : quote(from);
}

/** Describes the change in a sentence that the grammar understands. */
export function sentence({ kind, from, to }: Substitution, where = ''): string {
  return kind === 'rename' ? `Rename ${from} to ${to}${where}` : `Replace ${quote(from)} with ${quote(to)}${where}`;
}

/** Returns true if the new text contains the old one, so a search would still find it after the change. */
export function keepsOld(request: Substitution): boolean {
  return changer(request)(request.to, '') !== request.to;
}

function queryOf(kind: Substitution['kind'], name: string): Query {
  return kind === 'rename' && /^\w+$/.test(name)
    ? { pattern: name, case_sensitive: true, whole_word: true }
    : { pattern: name, case_sensitive: true };
}

/** Finds affected lines. Explicitly named files are read instead of searched, because a file name may contain glob characters. */
export function* affected(request: Substitution, scope: Scope, say: string, clashIn?: Scope): Skill<Affected | { problem: string }> {
  const isSearch = isEverywhere(scope) || scope.globs.length > 0;
  const searches = isSearch ? searchCalls(queryOf(request.kind, request.from), { globs: scope.globs, paths: [] }) : [];
  const canClash = clashIn && request.kind === 'rename';
  const isClashSearch = canClash && (isEverywhere(clashIn) || clashIn.globs.length > 0);
  const clashes = isClashSearch ? searchCalls(queryOf('rename', request.to), { globs: clashIn.globs, paths: [] }) : [];
  const replies = yield* ask(say, [...searches, ...clashes]);
  const failed = replies.find((reply) => reply.isError);
  if (failed) return { problem: `The search failed: ${failed.text}` };
  const read = yield* readAll(isSearch ? '' : say, scope.paths);
  const matches = merge([
    ...replies.slice(0, searches.length).map(foundIn),
    { files: [...read].map(([path, lookup]) => ({ path, hits: linesOf(lookup) })) },
  ]);
  const isCut = (text: string) => text.endsWith('…');
  const change = changer(request);
  const real = ({ path, hits }: FileHits) => ({
    path,
    hits: hits.filter(({ text }) => isCut(text) || change(text, path) !== text),
  });
  const files = matches.files.map(real).filter(({ hits }) => hits.length > 0);
  const isTaken = changer({ ...request, from: request.to, to: `${request.to}_` });
  const inRead = [...read].filter(([path]) => canClash && clashIn.paths.includes(path));
  const clash = merge([
    ...replies.slice(searches.length).map(foundIn),
    {
      files: inRead.map(([path, lookup]) => ({ path, hits: linesOf(lookup).filter(({ text }) => isTaken(text, path) !== text) })),
    },
  ]).files.filter(({ hits }) => hits.length > 0);
  return { files, read, clash, ...(matches.more !== undefined && { more: matches.more }) };
}

function foundIn(reply: Reply) {
  return /^No matches\b/.test(reply.text) ? { files: [] } : parseSearch(reply.text);
}

function linesOf(lookup: Lookup): FileHits['hits'] {
  return 'file' in lookup ? lookup.file.lines.map((text, index) => ({ line: index + 1, text })) : [];
}

/** Resolves named files to their workspace paths. */
export function* exactScope(scope: Scope): Skill<Scope | { problem: string }> {
  const paths: string[] = [];
  for (const path of scope.paths) {
    const located = yield* locate(`Looking for ${path}.`, path);
    if ('problem' in located) return located;
    paths.push(located.path);
  }
  return { ...scope, paths };
}

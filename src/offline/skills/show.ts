/** Lists files, shows outlines and lines, and counts files, lines and occurrences. */
import { fence } from '../../core/words/markdown-code.ts';
import { bullets, count, inlineCode, paragraphs, place, placeList } from '../markdown.ts';
import { leadOf, outlineOf } from '../outline.ts';
import type { Question } from '../request.ts';
import { hitCount, parseRead } from '../results.ts';
import { isEverywhere, isFilePath, type Scope, scopeText } from '../scope.ts';
import { ask, type Outcome, type Skill } from '../script.ts';
import { locateName, note, quoteFor } from './find.ts';
import { type File, find, list, openFile, readCall, search } from './lookup.ts';

type Asked<K extends Question['kind']> = Extract<Question, { kind: K }>;

const MAX_LINES = 80;
const MAX_ENTRIES = 50;

export function* files({ glob }: Asked<'files'>): Skill<Outcome> {
  const listing = yield* find(`Looking for ${glob}.`, glob);
  if ('problem' in listing) return { text: `The search for files failed: ${listing.problem}`, failed: listing.problem };
  if (listing.entries.length === 0) return { text: `No files match ${inlineCode(glob)}.` };
  const intro = `${count(listing.entries.length, 'file')} ${listing.entries.length === 1 ? 'matches' : 'match'} ${inlineCode(glob)}:`;
  return { text: paragraphs(intro, bullets(listing.entries, 60), listing.more && `The list is incomplete (${listing.more}).`) };
}

export function* listing({ path }: Asked<'list'>): Skill<Outcome> {
  const listing = yield* list(`Listing ${path || 'the workspace'}.`, path);
  if ('problem' in listing) {
    const elsewhere = path.includes('/') || path === '' ? undefined : yield* find('', `**/${path}/**`);
    if (!elsewhere || 'problem' in elsewhere || elsewhere.entries.length === 0) return { text: listing.problem, failed: listing.problem };
    return {
      text: paragraphs(
        `There is no top-level directory ${path}, but these files are in a directory with this name:`,
        bullets(elsewhere.entries, 40),
      ),
    };
  }
  return { text: listingText(path, listing) };
}

function listingText(path: string, { entries, more }: { entries: string[]; more?: string }): string {
  const directories = entries.filter((entry) => entry.endsWith('/'));
  const plain = entries.filter((entry) => !entry.endsWith('/'));
  const sizes = `${count(directories.length, 'directory', 'directories')} and ${count(plain.length, 'file')}`;
  const intro = `${path || 'The workspace'} has ${sizes}:`;
  const displayedPaths = path ? [...directories, ...plain].map((entry) => `${path}/${entry}`) : [...directories, ...plain];
  return entries.length === 0
    ? `${path || 'The workspace'} is empty.`
    : paragraphs(intro, bullets(displayedPaths, 60), more && `The list is incomplete (${more}).`);
}

/** Explains a file, directory or name. */
export function* explain({ what, from, to }: Asked<'explain'>): Skill<Outcome> {
  const isFile = isFilePath(what);
  if (!isFile && from === undefined) {
    const directory = yield* list(`Listing ${what}.`, what);
    if (!('problem' in directory)) return { text: listingText(what.replace(/\/$/, ''), directory) };
    if (!what.includes('/')) return yield* explainName(what);
  }
  const lines = from === undefined ? undefined : { from_line: from, ...(to !== undefined && { to_line: to }) };
  const lookup = yield* openFile(`Reading ${what}.`, what, lines);
  if ('problem' in lookup) return { text: lookup.problem, failed: lookup.problem };
  return { text: from === undefined ? outlineText(lookup.file) : passageText(lookup.file) };
}

function outlineText({ path, lines, total }: File): string {
  const all = outlineOf(path, lines);
  const entries = all.length > MAX_ENTRIES ? all.filter(({ depth }) => depth === 0) : all;
  const lead = leadOf(path, lines);
  const outlineItems = entries.slice(0, MAX_ENTRIES).map(({ line, text, depth }) => `${'  '.repeat(depth)}- ${place(path, line, text)}`);
  if (entries.length > outlineItems.length) outlineItems.push(`- … and ${entries.length - outlineItems.length} more`);
  if (total === 0) return `${path} is empty.`;
  return paragraphs(
    `${path} has ${count(total, 'line')}${entries.length > 0 ? `; its outline has ${count(entries.length, 'entry', 'entries')}` : ''}.`,
    lead && `It begins: “${lead}”`,
    outlineItems.join('\n'),
    entries.length === 0 ? fence(lines.slice(0, 12).join('\n')) : '',
  );
}

function passageText(file: File): string {
  const { path, lines, from } = file;
  const entries = outlineOf(path, lines, from);
  return paragraphs(
    `Lines ${from}-${from + lines.length - 1} of ${path}:`,
    entries.length > 0 ? bullets(entries.map(({ line, text }) => place(path, line, text))) : 'No declaration begins in these lines.',
    codeText(file),
  );
}

function* explainName(name: string): Skill<Outcome> {
  const located = yield* locateName(name);
  if ('problem' in located) return { text: located.problem, failed: located.problem };
  const defined = located.definitions.length > 0 ? located.definitions : located.weak;
  const [first] = defined;
  const used = hitCount(located.uses);
  if (!first) {
    const places = located.uses.flatMap(({ path, hits }) => hits.map(({ line, text }) => place(path, line, text)));
    return {
      text:
        used === 0
          ? `I found no file, directory or name ${name}.`
          : paragraphs(`I found no definition of ${located.name}, only ${count(used, 'use')}:`, bullets(places, 12)),
    };
  }
  const line = first.hits[0]?.line ?? 1;
  const lookup = yield* openFile('', first.path, { from_line: Math.max(1, line - 6), to_line: line + 14 });
  const others = defined.flatMap(({ path, hits }) => hits.map((hit) => place(path, hit.line, hit.text))).slice(1);
  return {
    text: paragraphs(
      `${located.name} is defined at ${first.path}:${line}; ${count(used, 'other line')} in ${count(located.uses.length, 'file')} mention it.`,
      'file' in lookup ? fence(around(lookup.file, line).join('\n'), languageOf(first.path)) : lookup.problem,
      others.length > 0 ? `Also defined at:\n\n${bullets(others, 5)}` : '',
      note(located.more),
    ),
  };
}

/** Returns the comment above a declaration and the declaration, up to its end or its first 15 lines. */
function around({ lines, from }: File, line: number): string[] {
  const at = line - from;
  let start = at;
  while (start > 0 && /^\s*(?:\/\/|\/\*|\*|#|@|"""|--|;)/.test(lines[start - 1] as string)) start -= 1;
  const indent = (text: string) => /^\s*/.exec(text)?.[0].length ?? 0;
  const end = lines.findIndex((text, index) => index > at && text.trim() !== '' && indent(text) <= indent(lines[at] as string));
  const closes = end > 0 && /^\s*(?:[}\])]|end\b)/.test(lines[end] as string);
  return lines.slice(start, end < 0 ? undefined : end + (closes ? 1 : 0));
}

export function* read({ path, from, to }: Asked<'read'>): Skill<Outcome> {
  const lines = { from_line: from ?? 1, to_line: to ?? (from ?? 1) + MAX_LINES - 1 };
  const lookup = yield* openFile(`Reading ${path}.`, path, lines);
  if ('problem' in lookup) return { text: lookup.problem, failed: lookup.problem };
  const { file } = lookup;
  if (file.lines.length === 0) return { text: `${file.path} is empty.` };
  const last = file.from + file.lines.length - 1;
  const upTo = Math.min(file.total, last + MAX_LINES);
  const rest =
    to === undefined && file.total > last
      ? `${count(file.total - last, 'more line')}. To continue, send “show lines ${last + 1}-${upTo} of ${file.path}”.`
      : '';
  const end = to !== undefined && to > file.total ? `The file has ${count(file.total, 'line')}.` : '';
  return { text: paragraphs(`${file.path}:${file.from}${last > file.from ? `-${last}` : ''}`, codeText(file), rest, end) };
}

function codeText({ path, lines }: File): string {
  return fence(
    lines
      .slice(0, MAX_LINES * 5)
      .join('\n')
      .trimEnd(),
    languageOf(path),
  );
}

function languageOf(path: string): string {
  return /\.([a-z0-9]{1,6})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

export function* counting({ what, text, scope }: Asked<'count'>): Skill<Outcome> {
  if (what === 'occurrences' || what === 'users' || what === 'importers') return yield* countOccurrences(text, scope, what);
  const place = scopeText(scope);
  if (what === 'lines' && scope.paths.length === 1 && scope.globs.length === 0) {
    const path = scope.paths[0] as string;
    const lookup = yield* openFile(`Reading ${path}.`, path, { from_line: 1, to_line: 1 });
    return 'problem' in lookup
      ? { text: lookup.problem, failed: lookup.problem }
      : { text: `${lookup.file.path} has ${count(lookup.file.total, 'line')}.` };
  }
  const globs = isEverywhere(scope) ? ['**/*'] : [...scope.globs, ...scope.paths];
  const listing = yield* find(`Counting files${place}.`, globs.length === 1 ? (globs[0] as string) : `{${globs.join(',')}}`);
  if ('problem' in listing) return { text: listing.problem, failed: listing.problem };
  const total = listing.entries.length;
  const atLeast = listing.more ? 'at least ' : '';
  if (what === 'files')
    return {
      text: paragraphs(
        `There ${total === 1 ? 'is' : 'are'} ${atLeast}${count(total, 'file')}${place}.`,
        bullets(kinds(listing.entries), 8),
      ),
    };
  const some = listing.entries.slice(0, 64);
  const replies = yield* ask(
    `Counting the lines of the files.`,
    some.map((path) => readCall(path, { from_line: 1, to_line: 1 })),
  );
  const sizes = some.flatMap((path, index) => {
    const reply = replies[index];
    const file = reply && !reply.isError ? parseRead(reply.text) : undefined;
    return file ? [{ path, lines: file.total }] : [];
  });
  const sum = sizes.reduce((all, { lines }) => all + lines, 0);
  const uncounted = total - some.length;
  const longest = [...sizes]
    .sort((a, b) => b.lines - a.lines)
    .slice(0, 8)
    .map(({ path, lines }) => `${path} ${count(lines, 'line')}`);
  const partial = uncounted > 0 || listing.more ? `I counted only the first ${some.length} of ${atLeast}${total} files.` : '';
  return {
    text: paragraphs(`${count(sum, 'line')} in ${count(sizes.length, 'text file')}${place}. The longest:`, bullets(longest), partial),
  };
}

function kinds(entries: readonly string[]): string[] {
  const tally = new Map<string, number>();
  for (const entry of entries) {
    const kind = /[^/.]\.([^./]+)$/.exec(entry)?.[1];
    const key = kind ? `.${kind}` : 'without an extension';
    tally.set(key, (tally.get(key) ?? 0) + 1);
  }
  return [...tally].sort((a, b) => b[1] - a[1]).map(([kind, number]) => `${number} ${kind}`);
}

function* countOccurrences(wanted: string, scope: Scope, what: 'occurrences' | 'users' | 'importers'): Skill<Outcome> {
  const isName = /^[\w$]+$/.test(wanted);
  const result = yield* search(
    `Counting ${wanted}${scopeText(scope)}.`,
    { pattern: wanted, case_sensitive: true, ...(isName && { whole_word: true }) },
    scope,
  );
  if ('problem' in result) return { text: result.problem, failed: result.problem };
  if (what === 'importers') {
    result.files = result.files
      .map(({ path, hits }) => ({ path, hits: hits.filter(({ text }) => /\b(?:import|from|require|include|use|using)\b/.test(text)) }))
      .filter(({ hits }) => hits.length > 0);
  }
  if (what !== 'occurrences' && result.files.length > 0) {
    const [one, many] = what === 'importers' ? ['imports', 'import'] : ['mentions', 'mention'];
    const files = `${result.more ? 'At least ' : ''}${count(result.files.length, 'file')} ${result.files.length === 1 ? one : many}`;
    return { text: paragraphs(`${files} ${quoteFor(wanted)}${scopeText(scope)}:`, placeList(result.files), note(result.more)) };
  }
  const per = result.files.map(({ path, hits }) => ({
    path,
    lines: hits.length,
    first: hits[0]?.line ?? 1,
    times: hits.reduce((sum, hit) => sum + Math.max(1, times(hit.text, wanted, isName)), 0),
  }));
  const total = per.reduce((sum, { times: each }) => sum + each, 0);
  const place = scopeText(scope) || ' in the workspace';
  if (total === 0 && what === 'importers') return { text: `No file${place} imports ${quoteFor(wanted)}.` };
  if (total === 0) return { text: `${quoteFor(wanted)} does not occur${place}${isName ? ' as a whole word' : ''}.` };
  const rows = [...per].sort((a, b) => b.times - a.times).map(({ path, first, times: each }) => `${path}:${first} ${count(each, 'time')}`);
  const size = `${count(total, 'time')} on ${count(hitCount(result.files), 'line')} in ${count(per.length, 'file')}`;
  const how = isName ? ' (as a whole word)' : '';
  const intro = `${quoteFor(wanted)} occurs ${result.more ? 'at least ' : ''}${size}${scopeText(scope)}${how}. First occurrence in each file:`;
  return { text: paragraphs(intro, bullets(rows), note(result.more)) };
}

function times(text: string, wanted: string, isName: boolean): number {
  if (!isName) return text.split(wanted).length - 1;
  return text.split(/[^\p{L}\p{N}_$]+/u).filter((word) => word === wanted).length;
}

/** Parses the text output of tools. */

/** `more` is the tool's note that the list is incomplete. */
export type Listing = { entries: string[]; more?: string };
export type Hit = { line: number; text: string };
export type FileHits = { path: string; hits: Hit[] };
export type SearchResult = { files: FileHits[]; more?: string };
/** `from` is the number of the first line, `next` the line at which to continue reading, `cut` the indexes of lines that are incomplete. */
export type FileText = { lines: string[]; from: number; total: number; next?: number; cut: Set<number> };

const NOTICE = /^\[.*\]$/;
const CUT_LINE = /… \[\d+ more (?:characters|bytes)\]$/;

export function parseListing(text: string): Listing {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (/^No files match/i.test(text)) return { entries: [] };
  const last = lines.at(-1);
  if (last !== undefined && NOTICE.test(last)) {
    return /empty\]$/.test(last) ? { entries: [] } : { entries: lines.slice(0, -1), more: last.slice(1, -1) };
  }
  return { entries: lines };
}

const DIRECTORY_NOTICE = /^\[(\d+ more (?:entries|ignored)|more than \d+ files: .*|all of this is .*|the directory is empty)\]$/;
const REMARK = / \((?:\d+ files?|empty|ignored|link)\)$/;

/** Returns the top-level entries of the tree written by `list_directory`. */
export function parseDirectory(text: string): Listing {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('  '));
  const entries = lines.filter((line) => !DIRECTORY_NOTICE.test(line)).map((line) => line.replace(REMARK, ''));
  const more = lines.find((line) => /^\[\d+ more /.test(line) && DIRECTORY_NOTICE.test(line))?.slice(1, -1);
  return more === undefined ? { entries } : { entries, more };
}

export function parseSearch(text: string): SearchResult {
  const result: SearchResult = { files: [] };
  for (const line of text.split('\n')) {
    const hit = /^ +(\d+): ?(.*)$/.exec(line);
    if (hit) result.files.at(-1)?.hits.push({ line: Number(hit[1]), text: hit[2] ?? '' });
    else if (line.trim() !== '') result.files.push({ path: line, hits: [] });
  }
  const last = result.files.at(-1);
  if (last && last.hits.length === 0 && NOTICE.test(last.path)) result.more = last.path.slice(1, -1);
  result.files = result.files.filter((file) => file.hits.length > 0);
  return result;
}

export function parseRead(text: string): FileText | undefined {
  const file: FileText = { lines: [], from: 1, total: 0, cut: new Set() };
  for (const line of text.split('\n')) {
    const numbered = /^ *(\d+)\t(.*)$/s.exec(line);
    if (numbered) {
      if (file.lines.length === 0) file.from = Number(numbered[1]);
      if (CUT_LINE.test(numbered[2] as string)) file.cut.add(file.lines.length);
      file.lines.push(numbered[2] as string);
      continue;
    }
    const range = /^\[lines \d+-\d+(?: of (\d+)|; the file has \d+ MB)(?:; read on with from_line (\d+))?\]$/.exec(line);
    if (range?.[1]) file.total = Number(range[1]);
    if (range?.[2]) file.next = Number(range[2]);
    if (!range && !NOTICE.test(line) && line !== '') return undefined;
  }
  file.total ||= file.from - 1 + file.lines.length;
  return file;
}

export function merge(all: readonly SearchResult[]): SearchResult {
  const byPath = new Map<string, Map<number, Hit>>();
  for (const file of all.flatMap((result) => result.files)) {
    const hits = byPath.get(file.path) ?? new Map<number, Hit>();
    for (const hit of file.hits) hits.set(hit.line, hit);
    byPath.set(file.path, hits);
  }
  const more = all.find((result) => result.more !== undefined)?.more;
  const files = [...byPath].map(([path, hits]) => ({ path, hits: [...hits.values()].sort((a, b) => a.line - b.line) }));
  return more === undefined ? { files } : { files, more };
}

export function hitCount(files: readonly FileHits[]): number {
  return files.reduce((sum, file) => sum + file.hits.length, 0);
}

/** The ways to find the answer of a question that are compared. */
import { execFile } from 'node:child_process';
import { isFrequent, languageOf } from '../../../src/documents/index/languages.ts';
import type { DocumentStore } from '../../../src/documents/store/store.ts';
import type { Sections } from './sections.ts';

/** `text` is what the model or the user would read. */
export type Result = { document: string; start: number; end: number; text: string; score: number };
export type Ranker = (question: string) => Promise<Result[]>;

const LIMIT = 10;

/** Searches as the tool of the model does: similar words count only if nothing was found, unless they are asked for. */
export function storeRanker(store: DocumentStore, isTolerant = false): Ranker {
  return async (question) => {
    let passages = await store.search(question, { limit: LIMIT, tolerant: isTolerant });
    if (passages.length === 0) passages = await store.search(question, { limit: LIMIT, tolerant: true });
    return passages.map(({ document, start, text, score }) => ({ document, start, end: start + text.length, text, score }));
  };
}

type Hits = { words: Set<string>; count: number };
type FileHits = Hits & { file: string; lines: Map<number, Hits> };

/** Ranks files by the number of different words in them and then by the number of hits, and shows the best section of each. */
export function ripgrepRanker(rg: string, folder: string, sections: Sections): Ranker {
  return async (question) => {
    const language = languageOf(question);
    const all = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.@-]*[\p{L}\p{N}]/gu) ?? [])];
    const words = all.filter((word) => !isFrequent(word, [language]));
    if (words.length === 0) return [];
    const files = hitsIn(await output(rg, words, folder))
      .toSorted(compared)
      .slice(0, LIMIT);
    return Promise.all(
      files.map(async ({ file, lines, words: matched }) => {
        const { text, sections: headings } = await sections.all(file);
        const starts = [{ start: 0, place: { line: 0 } }, ...headings];
        const best = starts
          .map(({ start, place }, index) => {
            const next = starts[index + 1];
            const own: Hits = { words: new Set(), count: 0 };
            for (const [line, hits] of lines)
              if (line >= (place.line ?? 0) && line < (next?.place.line ?? Number.POSITIVE_INFINITY)) add(own, hits);
            return { start, end: next?.start ?? text.length, ...own };
          })
          .toSorted(compared)[0] as { start: number; end: number };
        return { document: file, start: best.start, end: best.end, text: text.slice(best.start, best.end), score: matched.size };
      }),
    );
  };
}

function hitsIn(lines: string): FileHits[] {
  const files = new Map<string, FileHits>();
  for (const line of lines.split('\n')) {
    const [, file, number, match] = /^(.+?)\0(\d+):(.*)$/.exec(line) ?? [];
    if (file === undefined || match === undefined) continue;
    const hits = files.get(file) ?? { file, words: new Set(), count: 0, lines: new Map() };
    files.set(file, hits);
    const own: Hits = { words: new Set([match.toLowerCase()]), count: 1 };
    add(hits, own);
    const there = hits.lines.get(Number(number)) ?? { words: new Set(), count: 0 };
    hits.lines.set(Number(number), there);
    add(there, own);
  }
  return [...files.values()];
}

function add(hits: Hits, more: Hits): void {
  for (const word of more.words) hits.words.add(word);
  hits.count += more.count;
}

function compared(a: Hits & { file?: string }, b: Hits & { file?: string }): number {
  return b.words.size - a.words.size || b.count - a.count || ((a.file ?? '') < (b.file ?? '') ? -1 : 1);
}

function output(rg: string, words: readonly string[], cwd: string): Promise<string> {
  const args = [
    '--no-config',
    '--color=never',
    '-u',
    '-uu',
    '-i',
    '-F',
    '-o',
    '-n',
    '-H',
    '--null',
    ...words.flatMap((word) => ['-e', word]),
  ];
  return new Promise((resolve, reject) => {
    const child = execFile(rg, [...args, '--', '.'], { cwd, maxBuffer: 1 << 29 }, (error, stdout) =>
      // The code 1 means that nothing matched.
      error && error.code !== 1 ? reject(error) : resolve(stdout.replaceAll(/^\.\//gm, '')),
    );
    child.stdin?.end();
  });
}

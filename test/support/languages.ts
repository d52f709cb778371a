/**
 * Language services for an invented language: a name is a word, its first line defines it, and `!error …` or `!warning …` in a line is a
 * problem.
 */
import { decodeText } from '../../src/workspace/content.ts';
import type { LanguageServices, Place, Position, Problem } from '../../src/workspace/languages.ts';
import type { FileSystem, Location } from '../../src/workspace/types.ts';

export type WordServices = LanguageServices & { asked: string[] };

const { signal } = new AbortController();

/** Returns the services. `over` replaces individual methods. */
export function wordServices(fs: FileSystem, over: Partial<LanguageServices> = {}): WordServices {
  const asked: string[] = [];
  const linesOf = async (at: Location) => (decodeText((await fs.read(at)).bytes) ?? '').split('\n');
  const files = async () => (await fs.find({ limit: 1_000 }, signal)).files;

  async function uses(at: Location, { line, column }: Position): Promise<(Place & { at: Location; column: number })[]> {
    const text = (await linesOf(at))[line - 1] ?? '';
    const word = /^\w+/.exec(text.slice(column))?.[0] ?? '';
    const found: (Place & { at: Location; column: number })[] = [];
    for (const file of await files()) {
      for (const [index, each] of (await linesOf(file)).entries())
        for (const { index: place } of each.matchAll(new RegExp(`\\b${word}\\b`, 'g')))
          found.push({ at: file, name: file.path, line: index + 1, column: place });
    }
    return found;
  }

  async function problemsIn(at: Location): Promise<Problem[]> {
    if (!(await fs.stat(at))) return [];
    return (await linesOf(at)).flatMap((text, index) => {
      const [, severity, message] = /!(error|warning) (.*)/.exec(text) ?? [];
      return severity && message ? [{ at, line: index + 1, severity: severity as Problem['severity'], message }] : [];
    });
  }
  const problemsOf = async (places: readonly Location[]) => (await Promise.all(places.map(problemsIn))).flat();

  return {
    asked,
    problems: async (at) => problemsOf(at ? [at] : await files()),
    outline: async (at) => {
      const lines = await linesOf(at);
      return lines.flatMap((text, index) => {
        const [, indent, name] = /^(\s*)def (\w+)/.exec(text) ?? [];
        return name === undefined ? [] : [{ name, kind: 'function', line: index + 1, depth: (indent as string).length / 2 }];
      });
    },
    symbols: async (query) => [
      { at: { folder: 0, path: 'a.word' }, name: '', line: 1, symbol: query, kind: 'class', container: 'Port' },
      { name: 'lib/words.word', line: 3, symbol: `${query}2`, kind: 'function' },
    ],
    definition: async (at, position) => (await uses(at, position)).slice(0, 1),
    references: uses,
    rename: async (at, position, newName) => {
      const edits = new Map<string, Awaited<ReturnType<typeof uses>>>();
      const all = await uses(at, position);
      const [first] = all;
      const length = /^\w+/.exec(((await linesOf(at))[position.line - 1] ?? '').slice(position.column))?.[0].length ?? 0;
      for (const use of all) edits.set(use.at.path, [...(edits.get(use.at.path) ?? []), use]);
      if (!first) return undefined;
      return {
        edits: [...edits.values()].map((own) => ({
          at: (own[0] as (typeof own)[number]).at,
          edits: own.map(({ line, column }) => ({ from: { line, column }, to: { line, column: column + length }, text: newName })),
        })),
        moves: [],
        strange: [],
      };
    },
    prepare: (places) => void asked.push(`prepare ${places.map(({ path }) => path)}`),
    watch: async (places) => ({
      files: places,
      before: await problemsOf(places),
      after: async (now) => {
        asked.push(`after ${now.map(({ path }) => path)}`);
        return problemsOf(now);
      },
      end: () => void asked.push('end'),
    }),
    ...over,
  };
}

/** Reads the documentation comments of source code, each under the declaration that it describes. */
import type { Blocks } from './blocks.ts';
import { splitLines } from './lines.ts';

const MAX_DECLARATION = 160;
/** Line comments that are shorter than this describe a detail, and are not documentation. */
const MIN_LINES = 3;

type Comment = { text: string; start: number; end: number; isDoc: boolean };

export function readComments(text: string, extension: string, blocks: Blocks): void {
  const lines = splitLines(text, blocks);
  const comments = /^(py|pyi)$/.test(extension) ? pythonComments(lines) : commentsOf(lines, lineMarksOf(extension));
  for (const { text, start, end, isDoc } of comments) {
    const declaration = extension.startsWith('py') ? declarationBefore(lines, start) : declarationAfter(lines, end);
    if (!isDoc && end - start + 1 < MIN_LINES) continue;
    if (declaration !== undefined && isDoc) blocks.heading(2, declaration, { line: start + 1, endLine: end + 1 });
    blocks.add({ kind: 'text', text, place: { line: start + 1, endLine: end + 1 } });
  }
}

/** Returns the marks of line comments. Those that begin documentation come first. */
function lineMarksOf(extension: string): { doc: readonly string[]; plain: string } {
  if (/^(rb|sh)$/.test(extension)) return { doc: [], plain: '#' };
  if (extension === 'lua') return { doc: ['---'], plain: '--' };
  // Comments of Go and Zig are documentation by their place alone.
  if (extension === 'go') return { doc: ['//'], plain: '//' };
  return { doc: ['///', '//!'], plain: '//' };
}

function* commentsOf(lines: readonly string[], { doc, plain }: { doc: readonly string[]; plain: string }): Generator<Comment> {
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] as string).trim();
    const start = at;
    if (line.startsWith('/**') || (line.startsWith('/*') && start === 0)) {
      while (at < lines.length - 1 && !(lines[at] as string).includes('*/', at === start ? 2 : 0)) at++;
      const content = lines.slice(start, at + 1).map((each) => withoutStars(each));
      yield { text: content.join('\n'), start, end: at, isDoc: line.startsWith('/**') };
      continue;
    }
    const mark = [...doc, plain].find((each) => line.startsWith(each));
    if (mark === undefined || line.startsWith('#!')) continue;
    while (at + 1 < lines.length && (lines[at + 1] as string).trimStart().startsWith(mark)) at++;
    const content = lines.slice(start, at + 1).map((each) => each.trimStart().slice(mark.length).replace(/^ /, ''));
    yield { text: content.join('\n'), start, end: at, isDoc: doc.includes(mark) };
  }
}

/** Yields the docstrings of modules, classes and functions. */
function* pythonComments(lines: readonly string[]): Generator<Comment> {
  for (let at = 0; at < lines.length; at++) {
    const [, quotes] = /^\s*[rRuU]?("""|''')/.exec(lines[at] as string) ?? [];
    if (quotes === undefined || !isDocstring(lines, at)) continue;
    const start = at;
    const from = (lines[at] as string).indexOf(quotes) + 3;
    if (!(lines[at] as string).includes(quotes, from)) for (at++; at < lines.length - 1 && !(lines[at] as string).includes(quotes); at++);
    const content = lines
      .slice(start, at + 1)
      .join('\n')
      .slice(from);
    yield { text: content.split(quotes, 1)[0] as string, start, end: Math.min(at, lines.length - 1), isDoc: true };
  }
}

/** A docstring is the first statement of a module, or follows the colon of a class or function. */
function isDocstring(lines: readonly string[], at: number): boolean {
  const before = previousCode(lines, at);
  return before === undefined || lines[before]?.trimEnd().endsWith(':') === true;
}

function declarationBefore(lines: readonly string[], at: number): string | undefined {
  let line = previousCode(lines, at);
  // The parameters of a function may take several lines.
  for (let tries = 0; line !== undefined && tries < 20; tries++, line--)
    if (/^\s*(async\s+def|def|class)\s/.test(lines[line] ?? ''))
      return (lines[line] as string).trim().replace(/:$/, '').slice(0, MAX_DECLARATION);
  return undefined;
}

function declarationAfter(lines: readonly string[], at: number): string | undefined {
  const next = lines.slice(at + 1, at + 12).find((line) => !/^\s*(@|#\[|\[\w+.*\]$)/.test(line) || line.trim() === '');
  const text = next?.trim().replace(/\s*[{=(]?$/, '') ?? '';
  return /[\p{L}_]/u.test(text) && !/^(import|\/\/|\/\*|\*|package\b)/.test(text) ? text.slice(0, MAX_DECLARATION) : undefined;
}

/** Returns the index of the last line before `at` that is neither blank nor a comment. Only a few lines are examined. */
function previousCode(lines: readonly string[], at: number): number | undefined {
  for (let index = at - 1; index >= 0; index--) {
    if (index < at - 60) return index;
    if (/^\s*[^\s#]/.test(lines[index] as string)) return index;
  }
  return undefined;
}

function withoutStars(line: string): string {
  return line
    .trim()
    .replace(/^\/\*+!?/, '')
    .replace(/\*+\/.*$/, '')
    .replace(/^\*(?!\/) ?/, '');
}

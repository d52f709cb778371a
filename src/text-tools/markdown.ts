/** The parts of Markdown in which nothing is a call. */
import { attempt, type Reading, type Source } from './source.ts';

/** A span of code, which ends with as many backticks as it began, or with its paragraph. */
export function* readCodeSpan(src: Source): Reading<void> {
  const opener = yield* src.run(/`+/y);
  for (;;) {
    yield* src.run(/[^`\n]+/y);
    const char = yield* src.char();
    if (char === '') return;
    if (char === '`' && (yield* src.run(/`+/y)) === opener) return;
    if (char !== '\n') continue;
    src.at += 1;
    const start = src.at;
    yield* src.run(/[ \t\r]+/y);
    if ((yield* src.char()) !== '\n') continue;
    src.at = start - 1;
    return;
  }
}

/** To the end of a fence's closing line, or of the text. Wherever it remembers nothing it calls `rest`. */
export function* readFence(src: Source, fence: string, rest: () => void): Reading<void> {
  for (;;) {
    rest();
    src.skip(/[^\n]+/y);
    const char = yield* src.char();
    if (char === '') return;
    if (char !== '\n') continue;
    src.at += 1;
    yield* src.run(/[ \t]+/y);
    const run = yield* src.run(fence[0] === '`' ? /`+/y : /~+/y);
    if (run.length < fence.length) continue;
    yield* src.run(/[ \t\r]+/y);
    if (/^\n?$/.test(yield* src.char())) return;
  }
}

/** A region in tags, which goes to the end where it is not closed. */
export function* readRegion(src: Source, closer: string): Reading<void> {
  if (!(yield* attempt(src, src.until([closer])))) src.at = src.text.length;
}

/** Whether a line is code by its indentation: four or more behind a blank line, as in Markdown. */
export function isIndentedCode(before: string, indent: string): boolean {
  if (indent.length < 4 || !before.endsWith('\n')) return false;
  const previous = before.lastIndexOf('\n', before.length - 2);
  const line = before.slice(previous + 1, -1);
  if (line.trim() !== '') return previous >= 0 && line.startsWith('    ');
  return previous > 0 && before.slice(before.lastIndexOf('\n', previous - 1) + 1, previous).trim() !== '';
}

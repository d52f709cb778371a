/** Skips the parts of Markdown that contain no calls. */
import { attempt, type Reading, type Source } from './source.ts';

/** Skips a code span, which ends with the same number of backticks or at the end of the paragraph. */
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

/** Skips to the end of the fence's closing line, or of the text. `rest` is called at positions where earlier text is no longer needed. */
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

/** Skips a region in tags, or the remaining text if it is not closed. */
export function* readRegion(src: Source, closer: string): Reading<void> {
  if (!(yield* attempt(src, src.until([closer])))) src.at = src.text.length;
}

/** Returns true if a line is an indented code block: at least four spaces, preceded by a blank line. */
export function isIndentedCode(before: string, indent: string): boolean {
  if (indent.length < 4 || !before.endsWith('\n')) return false;
  const previous = before.lastIndexOf('\n', before.length - 2);
  const line = before.slice(previous + 1, -1);
  if (line.trim() !== '') return previous >= 0 && line.startsWith('    ');
  return previous > 0 && before.slice(before.lastIndexOf('\n', previous - 1) + 1, previous).trim() !== '';
}

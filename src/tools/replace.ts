/** Replacing exact passages of a text, several as one; pure. */
import { ToolError } from '../core/tool.ts';

export type Edit = { old_text: string; new_text: string; all?: boolean | undefined };
type Span = { start: number; end: number; text: string; edit: number };

/**
 * Applies all edits to the same original. @throws ToolError, naming lines, when a passage is not there, is there twice
 * without `all`, overlaps another edit's, or when nothing would change.
 */
export function replaceAll(original: string, edits: readonly Edit[], path: string): { text: string; replaced: number } {
  const spans = edits.flatMap((edit, index) => find(original, edit, index, path)).sort((a, b) => a.start - b.start);
  for (const [index, span] of spans.entries()) {
    const previous = spans[index - 1];
    if (previous && span.start < previous.end) {
      throw new ToolError(
        `Edits ${previous.edit + 1} and ${span.edit + 1} overlap at line ${lineAt(original, span.start)} of ${path}. Join them.`,
      );
    }
  }
  let text = '';
  let at = 0;
  for (const { start, end, text: replacement } of spans) {
    text += original.slice(at, start) + replacement;
    at = end;
  }
  text += original.slice(at);
  if (text === original) throw new ToolError(`The edits would leave ${path} as it is.`);
  return { text, replaced: spans.length };
}

function find(original: string, { old_text, new_text, all }: Edit, edit: number, path: string): Span[] {
  if (old_text === '') {
    if (original === '') return [{ start: 0, end: 0, text: new_text, edit }];
    throw new ToolError(`old_text of edit ${edit + 1} is empty. Give the passage to replace.`);
  }
  // Models write \n; a file with \r\n is searched, and keeps being written, in its own way.
  const crlf = original.includes('\r\n') && (!/(?<!\r)\n/.test(original) || !original.includes(old_text));
  const [old, now] = crlf ? [withCrlf(old_text), withCrlf(new_text)] : [old_text, new_text];
  const starts: number[] = [];
  // Where one is meant, two that overlap are two: either could be it.
  for (let at = original.indexOf(old); at >= 0; at = original.indexOf(old, at + (all ? old.length : 1))) starts.push(at);
  if (starts.length === 0) throw new ToolError(notFound(original, old_text, edit, path));
  if (starts.length > 1 && !all) {
    const lines = starts.slice(0, 5).map((start) => lineAt(original, start));
    throw new ToolError(
      `old_text of edit ${edit + 1} occurs ${starts.length} times in ${path}, at lines ${lines.join(', ')}${starts.length > 5 ? ', …' : ''}. Give more lines around it, or set all.`,
    );
  }
  return starts.map((start) => ({ start, end: start + old.length, text: now, edit }));
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Shows where the passage's most telling line does stand, so that the next try can copy it. */
function notFound(original: string, old: string, edit: number, path: string): string {
  const what = `old_text of edit ${edit + 1} is not in ${path}.`;
  const telling = old
    .split('\n')
    .map((line) => line.trim())
    .sort((a, b) => b.length - a.length)[0];
  const lines = original.split(/\r?\n/);
  const near = telling ? lines.findIndex((line) => line.trim() === telling || line.includes(telling)) : -1;
  if (near < 0) return `${what} Read the file again.`;
  const from = Math.max(0, near - 2);
  const passage = lines.slice(from, near + 3).map((line, index) => `${from + index + 1}\t${line}`);
  return `${what} The nearest passage:\n${passage.join('\n')}`;
}

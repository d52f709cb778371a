/** Reads Markdown and plain text. Other formats are reported as unsupported. */
import { type Block, DocumentError, type ReadDocument } from '../../src/documents/document.ts';
import { formatOfName } from '../../src/documents/names.ts';
import { decodeText } from '../../src/workspace/content.ts';

export const readPlainDocument: ReadDocument = async (path, bytes) => {
  const format = formatOfName(path) ?? 'text';
  if (format !== 'markdown' && format !== 'text')
    throw new DocumentError('unsupported', `Documents of the format ${format} cannot be read yet. Convert it to Markdown or text.`);
  const text = decodeText(bytes);
  if (text === undefined) throw new DocumentError('damaged', 'The file is not text.');
  return { blocks: [...blocksOf(text.replaceAll('\r\n', '\n').split('\n'), format === 'markdown')], notes: [] };
};

function* blocksOf(lines: readonly string[], isMarkdown: boolean): Generator<Block> {
  for (let at = 0; at < lines.length; ) {
    const from = at;
    const line = lines[at] as string;
    const heading = isMarkdown ? /^(#{1,6}) (.*)$/.exec(line) : null;
    const fence = isMarkdown ? /^(```+|~~~+)\s*(\S*)/.exec(line) : null;
    if (line.trim() === '') at++;
    else if (heading) {
      at++;
      const level = (heading[1] as string).length as 1;
      yield { kind: 'heading', level, text: (heading[2] as string).replace(/ #+ *$/, ''), place: { line: at } };
    } else if (fence) {
      for (at++; at < lines.length && !lines[at]?.startsWith(fence[1] as string); at++);
      const text = lines.slice(from + 1, at).join('\n');
      at++;
      yield { kind: 'code', text, language: fence[2] ?? '', place: { line: from + 1, endLine: Math.min(at, lines.length) } };
    } else {
      const ends = (next: string) => next.trim() === '' || (isMarkdown && /^(#{1,6} |```|~~~)/.test(next));
      for (at++; at < lines.length && !ends(lines[at] as string); at++);
      yield { kind: 'text', text: lines.slice(from, at).join('\n'), place: { line: from + 1, endLine: at } };
    }
  }
}

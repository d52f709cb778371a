/** Limits the content of a mention. */
import { MAX_MENTION_CHARS } from '../../core/model/mentions.ts';

/** Where a part of a file that does not fit is cut off, so that its outline fits, too. */
const MAX_HEAD = 8_000;
const OUTLINE = 'Outline of the file, with line numbers:';

/** What is kept of a text that is too long. Of a `file`, the model can read the rest. Of the output of a command, the end says most. */
export type Kept = 'file' | 'head' | 'tail';

/** Whether a text is too long, or was already cut off by `read_file`. */
export function isCutOff(text: string, max: number): boolean {
  return text.length > max || /read on with from_line \d+\]$/.test(text);
}

type Limit = { outline?: string | undefined; max?: number; kept?: Kept };

/** Limits a text to about `max` characters. Of a file, `text` is what `read_file` prints, and `outline` that of all of the file. */
export function limited(text: string, { outline, max = MAX_MENTION_CHARS, kept = 'file' }: Limit = {}): string {
  const most = outline === undefined ? max : Math.min(MAX_HEAD, Math.ceil(max / 2));
  const part = text.length <= most ? text : partOf(text, most, kept);
  if (outline === undefined) return part;
  const room = Math.max(0, max - part.length - OUTLINE.length - 3);
  return `${part}\n\n${OUTLINE}\n${outline.length > room ? cut(outline, room) : outline}`;
}

function partOf(text: string, max: number, kept: Kept): string {
  if (kept === 'tail') {
    const from = text.indexOf('\n', text.length - max);
    return `[cut off; only the end follows]\n${text.slice(from >= 0 && from < text.length - 1 ? from + 1 : text.length - max)}`;
  }
  const head = cut(text, max);
  if (kept === 'head') return `${head}\n[cut off here]`;
  const last = /(?:^|\n)(\d+)\t[^\n]*$/.exec(head)?.[1];
  return `${head}\n[cut off here; read the rest with read_file${last ? `, from_line ${Number(last) + 1}` : ''}]`;
}

/** Cuts at the end of a line, if there is one. */
function cut(text: string, max: number): string {
  const line = text.lastIndexOf('\n', max);
  return text.slice(0, line > 0 ? line : max);
}

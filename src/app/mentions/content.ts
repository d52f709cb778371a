/** Limits the length of a mention's content. */
import { MAX_MENTION_CHARS } from '../../core/model/mentions.ts';

/** The maximum number of characters of the beginning of a long file, so that the outline of the file fits, too. */
const MAX_HEAD = 8_000;
const OUTLINE = 'Outline of the file, with line numbers:';

/**
 * Specifies which part of a long text is kept. The model can read the rest of a `file` itself. For the output of a command, the end is
 * kept, because it usually contains the result.
 */
export type Kept = 'file' | 'head' | 'tail';

/** Returns true if a text is too long, or was already cut off by `read_file`. */
export function isCutOff(text: string, max: number): boolean {
  return text.length > max || /read on with from_line \d+\]$/.test(text);
}

type Limit = { outline?: string | undefined; max?: number; kept?: Kept };

/**
 * Limits a text to about `max` characters. For a file, `text` is the output of `read_file`, and `outline` is the outline of the whole file.
 */
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

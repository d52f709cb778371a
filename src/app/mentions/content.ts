/** Limits the content of a mention. What does not fit can be read with `read_file`. */
import { MAX_MENTION_CHARS } from '../../core/model/mentions.ts';

/** Where a part of a file that does not fit is cut off, so that its outline fits, too. */
const MAX_HEAD = 8_000;

/** Whether a text is too long, or was already cut off by `read_file`. */
export function isCutOff(text: string, max: number): boolean {
  return text.length > max || /read on with from_line \d+\]$/.test(text);
}

/** `text` consists of lines as `read_file` prints them. `outline` is that of the file, if the text is all of the file. */
export function limited(text: string, outline?: string, max = MAX_MENTION_CHARS): string {
  const most = outline === undefined ? max : Math.min(MAX_HEAD, max);
  const head = text.length <= most ? text : headOf(text, most);
  if (outline === undefined) return head;
  const room = Math.max(0, max - head.length);
  return `${head}\n\nOutline of the file, with line numbers:\n${outline.length > room ? cut(outline, room) : outline}`;
}

function headOf(text: string, max: number): string {
  const head = cut(text, max);
  const last = /(?:^|\n)(\d+)\t[^\n]*$/.exec(head)?.[1];
  return `${head}\n[cut off here; read the rest with read_file${last ? `, from_line ${Number(last) + 1}` : ''}]`;
}

/** Cuts at the end of a line, if there is one. */
function cut(text: string, max: number): string {
  const line = text.lastIndexOf('\n', max);
  return text.slice(0, line > 0 ? line : max);
}

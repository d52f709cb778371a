/** A terminal pastes the path of a file that is dragged into it, in quotes, with backslashes or as an address. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mentionText } from '../../../../core/words/mention-text.ts';

const MAX_PATH = 4_096;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/** Returns a mention of the image whose path was pasted; undefined if the text is anything else. */
export function droppedImage(pasted: string, isWindows = process.platform === 'win32'): string | undefined {
  const text = pasted.trim();
  if (text.length > MAX_PATH || /\p{C}/u.test(text)) return undefined;
  const path = pathIn(text, isWindows);
  if (path === undefined || !IMAGE.test(path) || !isAbsolute(path) || path.includes('"')) return undefined;
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? `${mentionText(path)} ` : undefined;
  } catch {
    return undefined;
  }
}

function pathIn(text: string, isWindows: boolean): string | undefined {
  if (text.startsWith('file:')) {
    try {
      return fileURLToPath(text);
    } catch {
      return undefined;
    }
  }
  const [, quote, inner = text] = /^(['"])(.*)\1$/.exec(text) ?? [];
  if (isWindows) return inner;
  // A shell would read a single quote between two quoted parts.
  if (quote === "'") return inner.replaceAll("'\\''", "'");
  return quote || !/(?<!\\)\s/.test(inner) ? inner.replace(/\\(.)/g, '$1') : inner;
}

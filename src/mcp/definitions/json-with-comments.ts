/** Parses JSON with comments and trailing commas, as VS Code writes its configuration files. */
import { jsonIn } from '../../core/json.ts';

/** Strings, comments and commas. A part that does not end is matched to the end of the text, so the time is linear. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|\*?$)|,/gs;

/** Returns undefined if the text is not valid. */
export function jsonWithComments(text: string): unknown {
  const parts: string[] = [];
  /** The index of a comma that only spaces and comments have followed so far. */
  let comma: number | undefined;
  const add = (part: string) => {
    if (comma !== undefined && /\S/.test(part)) {
      // A comma before a closing bracket is left out.
      if (/^\s*[\]}]/.test(part)) parts[comma] = ' ';
      comma = undefined;
    }
    parts.push(part);
  };
  let end = text.startsWith('\uFEFF') ? 1 : 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    add(text.slice(end, index));
    end = index + token.length;
    if (token.startsWith('/')) continue;
    add(token);
    if (token === ',') comma = parts.length - 1;
  }
  add(text.slice(end));
  return jsonIn(parts.join(' '));
}

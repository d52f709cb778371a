/** Decodes a response as text. It uses the declared type and character set, or examines the content if they are not declared. */

const TEXT_TYPES =
  /^(text\/|application\/(.*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|x-sh|sql|graphql|rtf)\b|image\/svg\+xml)/i;
const HTML_TYPES = /^(text\/html|application\/xhtml\+xml)\b/i;

export function isText(type: string, bytes: Uint8Array): boolean {
  const declared = type.trim();
  if (declared !== '' && !/^application\/octet-stream\b/i.test(declared)) return TEXT_TYPES.test(declared) && !hasNul(bytes, type);
  return !hasNul(bytes, type);
}

export function isHtml(type: string, text: string): boolean {
  return HTML_TYPES.test(type) || (type.trim() === '' && /^\s*<(!doctype html|html)\b/i.test(text.slice(0, 500)));
}

export function decodedText(type: string, bytes: Uint8Array): string {
  const label = markOf(bytes) ?? parameterOf(type) ?? (HTML_TYPES.test(type) ? charsetIn(bytes) : undefined) ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** UTF-16 contains zero bytes although it is text. */
function hasNul(bytes: Uint8Array, type: string): boolean {
  return !/utf-?16/i.test(markOf(bytes) ?? parameterOf(type) ?? '') && bytes.subarray(0, 4_096).includes(0);
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function parameterOf(type: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1];
}

function charsetIn(bytes: Uint8Array): string | undefined {
  return /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 2_048)))?.[1];
}

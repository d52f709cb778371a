import { createHash } from 'node:crypto';

/** Returns the SHA-256 digest in hexadecimal. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  // `crypto.subtle` uses another thread, which takes longer than the work itself.
  return createHash('sha256').update(bytes).digest('hex');
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Returns the text when the bytes are UTF-8, or UTF-16 with a byte order mark, and contain no NUL. `encodeLike` then restores the same
 * bytes; the byte order mark stays in the text as U+FEFF. Other encodings are not guessed: the result is undefined.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const utf16 = utf16Of(bytes);
  try {
    if (!utf16) return bytes.includes(0) ? undefined : strict.decode(bytes);
    const text = new TextDecoder(utf16, { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Encodes the text in the encoding of `bytes`. */
export function encodeLike(text: string, bytes: Uint8Array): Uint8Array {
  const utf16 = utf16Of(bytes);
  if (!utf16) return encoder.encode(text);
  const encoded = new Uint8Array(text.length * 2);
  const view = new DataView(encoded.buffer);
  const whole = text.toWellFormed();
  for (let index = 0; index < whole.length; index++) view.setUint16(index * 2, whole.charCodeAt(index), utf16 === 'utf-16le');
  return encoded;
}

function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (!a || !b) return a === b;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** Decodes the bytes of text files. */

/**
 * Decodes text by its byte order mark. Without one, it is UTF-16 if every other byte is zero, the named encoding if there is one, UTF-8 if
 * it is valid, and Windows-1252 otherwise.
 * @param named the encoding that the document itself states
 */
export function decodeText(bytes: Uint8Array, named?: string): string {
  const encoding = encodingOf(bytes) ?? (named && known(named));
  if (encoding) return decode(bytes, encoding);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // A file of UTF-8 with a few damaged bytes is still UTF-8. Text in Windows-1252 contains hardly any valid pairs.
    return decode(bytes, isMostlyUtf8(bytes) ? 'utf-8' : 'windows-1252');
  }
}

/** Returns the encoding that a byte order mark or the zeros of UTF-16 show. */
export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, 2_000);
  let [even, odd] = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) index % 2 === 0 ? even++ : odd++;
  if (odd > sample.length / 5 && even < odd / 10) return 'utf-16le';
  if (even > sample.length / 5 && odd < even / 10) return 'utf-16be';
  return undefined;
}

/** Returns the encoding that an HTML page states in its first 2,048 bytes. */
export function charsetOf(bytes: Uint8Array): string | undefined {
  const start = decode(bytes.subarray(0, 2_048), 'windows-1252');
  return /<meta\b[^>]{0,500}?charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i.exec(start)?.[1];
}

function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}

function known(name: string): string | undefined {
  try {
    // A page that states UTF-16 in ASCII cannot be UTF-16.
    const { encoding } = new TextDecoder(name.trim());
    return encoding.startsWith('utf-') ? undefined : encoding;
  } catch {
    return undefined;
  }
}

function isMostlyUtf8(bytes: Uint8Array): boolean {
  let [valid, invalid] = [0, 0];
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte < 0x80) continue;
    const following = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    let seen = 0;
    while (seen < following && ((bytes[index + seen + 1] ?? 0) & 0xc0) === 0x80) seen++;
    if (following > 0 && seen === following) valid++;
    else invalid++;
    index += seen;
  }
  return valid > 4 * invalid;
}

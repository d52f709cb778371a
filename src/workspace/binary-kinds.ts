/** Identifies the kind of a binary file by its first bytes. */

const SIGNATURES: readonly [kind: string, at: number, begins: string][] = [
  ['PDF', 0, '%PDF-'],
  ['zip archive', 0, 'PK\x03\x04'],
  ['gzip archive', 0, '\x1f\x8b'],
  ['bzip2 archive', 0, 'BZh'],
  ['xz archive', 0, '\xfd7zXZ\0'],
  ['7z archive', 0, "7z\xbc\xaf'\x1c"],
  ['zstd archive', 0, '\x28\xb5\x2f\xfd'],
  ['tar archive', 257, 'ustar'],
  ['ELF program', 0, '\x7fELF'],
  ['Windows program', 0, 'MZ'],
  ['Mach-O program', 0, '\xcf\xfa\xed\xfe'],
  ['Java class', 0, '\xca\xfe\xba\xbe'],
  ['WebAssembly', 0, '\0asm'],
  ['SQLite database', 0, 'SQLite format 3\0'],
  ['font', 0, 'wOF'],
  ['font', 0, '\0\x01\0\0\0'],
  ['font', 0, 'OTTO'],
  ['video', 4, 'ftyp'],
  ['audio', 0, 'ID3'],
  ['audio', 0, 'OggS'],
  ['audio', 8, 'WAVE'],
  ['icon', 0, '\0\0\x01\0'],
];

/** Returns a readable name such as `PDF`, or undefined for an unknown kind. */
export function binaryKindOf(bytes: Uint8Array): string | undefined {
  const begin = Array.from(bytes.subarray(0, 300), (byte) => String.fromCharCode(byte)).join('');
  return SIGNATURES.find(([, at, begins]) => begin.startsWith(begins, at))?.[0];
}

/** Writes zip archives for tests. */
import { crc32, deflateRawSync } from 'node:zlib';

export type ZipOptions = {
  /** Stores the entries without compressing them. */
  isStored?: boolean;
  /** Marks the entries as encrypted. */
  isEncrypted?: boolean;
};

/** An entry is text, bytes, or bytes that are already deflated. */
export type Entry = string | Uint8Array | { deflated: Uint8Array; size: number };

export function zip(entries: Readonly<Record<string, Entry>>, { isStored = false, isEncrypted = false }: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, entry] of Object.entries(entries)) {
    const { packed, size, crc, method } = packedEntry(entry, isStored);
    const path = Buffer.from(name);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE((isEncrypted ? 1 : 0) | 0x800, 2);
    header.writeUInt16LE(method, 4);
    header.writeUInt32LE(crc, 10);
    header.writeUInt32LE(packed.length, 14);
    // The true size of a zip bomb does not fit into the field.
    header.writeUInt32LE(Math.min(size, 0xffffffff), 18);
    header.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), header, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), header, rest, path]));
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06'), end]);
}

function packedEntry(entry: Entry, isStored: boolean): { packed: Buffer; size: number; crc: number; method: number } {
  if (typeof entry === 'object' && 'deflated' in entry) return { packed: Buffer.from(entry.deflated), size: entry.size, crc: 0, method: 8 };
  const bytes = Buffer.from(entry);
  return { packed: isStored ? bytes : deflateRawSync(bytes), size: bytes.length, crc: crc32(bytes), method: isStored ? 0 : 8 };
}

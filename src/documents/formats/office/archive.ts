/**
 * Reads the entries of a zip archive. Names of entries are only compared, and are never used as paths of files. An entry is unpacked when
 * it is read, by Node's own zlib and within the limits.
 */
import { inflateRawSync } from 'node:zlib';
import { DocumentError } from '../../document.ts';
import { MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_RATIO, MAX_UNPACKED_BYTES, RATIO_FROM } from '../limits.ts';

type Entry = { method: number; packed: number; offset: number; isEncrypted: boolean };

const END = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
/** The end of the directory is followed by a comment of at most 65,535 bytes. */
const MAX_COMMENT = 65_535;

export class Archive {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();
  #unpacked = 0;

  /** @throws DocumentError if the bytes are not a complete archive, or if it has too many entries */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#readDirectory();
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Unpacks an entry. Returns undefined if there is no entry of this name. @throws DocumentError */
  read(name: string): Buffer | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (entry.isEncrypted)
      throw new DocumentError('encrypted', 'The document is protected by a password. Save a copy without a password and add the copy.');
    const start = this.#start(entry);
    const packed = this.#bytes.subarray(start, start + entry.packed);
    if (packed.length < entry.packed) throw damaged();
    const content = entry.method === 0 ? packed : this.#inflate(packed, entry.method);
    this.#unpacked += content.length;
    if (this.#unpacked > MAX_UNPACKED_BYTES) throw tooLarge();
    return content;
  }

  #inflate(packed: Buffer, method: number): Buffer {
    if (method !== 8) throw damaged();
    const byRatio = Math.max(RATIO_FROM, packed.length * MAX_RATIO);
    const maxOutputLength = Math.min(MAX_ENTRY_BYTES, MAX_UNPACKED_BYTES - this.#unpacked, byRatio);
    if (maxOutputLength <= 0) throw tooLarge();
    try {
      return inflateRawSync(packed, { maxOutputLength });
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : damaged();
    }
  }

  /** Finds where the bytes of an entry begin, after its local header. */
  #start({ offset }: Entry): number {
    const bytes = this.#bytes;
    if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== LOCAL_ENTRY) throw damaged();
    return offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  }

  #readDirectory(): void {
    const bytes = this.#bytes;
    const end = this.#findEnd();
    const count = bytes.readUInt16LE(end + 10);
    let at = bytes.readUInt32LE(end + 16);
    // An archive of the extension zip64 has more than 4 GB or 65,535 entries.
    if (count > MAX_ENTRIES || at === 0xffffffff) throw tooLarge();
    for (let index = 0; index < count; index++) {
      if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damaged();
      const nameLength = bytes.readUInt16LE(at + 28);
      const name = bytes
        .toString('utf8', at + 46, at + 46 + nameLength)
        .replaceAll('\\', '/')
        .replace(/^\//, '');
      this.#entries.set(name, {
        isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        method: bytes.readUInt16LE(at + 10),
        packed: bytes.readUInt32LE(at + 20),
        offset: bytes.readUInt32LE(at + 42),
      });
      at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }

  #findEnd(): number {
    const bytes = this.#bytes;
    for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - MAX_COMMENT); at--)
      if (bytes.readUInt32LE(at) === END) return at;
    throw damaged();
  }
}

function damaged(): DocumentError {
  return new DocumentError('damaged', 'The file is cut off or damaged. Open it in its program and save it again, or fetch it again.');
}

function tooLarge(): DocumentError {
  return new DocumentError('too-large', 'The content of the file is too large when it is unpacked. Split it into smaller documents.');
}

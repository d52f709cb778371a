/** Reads single lines of a log by their offsets. Adjacent lines are read together. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const NEWLINE = 0x0a;
const PIECE = 64 * 1024;

export class LogReader {
  readonly #file: string;
  #handle: number | undefined;
  /** The bytes that were read last, and where they begin in the file. */
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Returns the line that begins at a byte. The file stays open until `close`.
   * @param inode identifies the file that has this line
   * @throws Error if the file cannot be read, or was replaced
   */
  line(offset: number, inode: number | undefined): string {
    this.#handle ??= this.#open(inode);
    const at = offset - this.#start;
    if (at >= 0 && at < this.#bytes.length) {
      const end = this.#bytes.indexOf(NEWLINE, at);
      if (end >= 0) return this.#bytes.toString('utf8', at, end);
    }
    for (let size = PIECE; ; size *= 4) {
      const bytes = Buffer.allocUnsafe(size);
      this.#bytes = bytes.subarray(0, readSync(this.#handle, bytes, 0, size, offset));
      this.#start = offset;
      const end = this.#bytes.indexOf(NEWLINE);
      // The last line can be complete without a newline.
      if (end >= 0 || this.#bytes.length < size) return this.#bytes.toString('utf8', 0, end < 0 ? undefined : end);
    }
  }

  #open(inode: number | undefined): number {
    const handle = openSync(this.#file, 'r');
    try {
      if (inode === undefined || fstatSync(handle).ino === inode) return handle;
      throw new Error('The log was repaired by another program. Try again.');
    } catch (error) {
      closeSync(handle);
      throw error;
    }
  }

  /** Closes the file, and discards the bytes that were read last. */
  close(): void {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#bytes = Buffer.alloc(0);
    if (handle !== undefined) closeSync(handle);
  }
}

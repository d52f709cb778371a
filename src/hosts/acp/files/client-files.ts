/**
 * The files of a session when the client can read them: the unsaved text of an open document takes precedence over the disk. Everything
 * else comes from the disk, because the protocol cannot list, search or describe files.
 */
import { decodeText, encodeLike } from '../../../workspace/content.ts';
import type { FileBytes, FileStat, FileSystem, FindQuery, Folder, Location, SearchHit, SearchQuery } from '../../../workspace/types.ts';
import type { NodeFileSystem } from '../../node/files/file-system.ts';

/** Larger files are read directly from the disk. */
export const MAX_DOCUMENT_BYTES = 4_000_000;

/** The client as the files use it. `read` returns undefined if the client does not have the file. */
export type Documents = { read(path: string): Promise<string | undefined> };

export class ClientFileSystem implements FileSystem {
  readonly folders: readonly Folder[];
  readonly #disk: NodeFileSystem;
  readonly #documents: Documents;

  constructor(disk: NodeFileSystem, documents: Documents) {
    this.folders = disk.folders;
    this.#disk = disk;
    this.#documents = documents;
  }

  canonical(at: Location): Promise<Location | undefined> {
    return this.#disk.canonical(at);
  }

  stat(at: Location): Promise<FileStat | undefined> {
    return this.#disk.stat(at);
  }

  async read(at: Location): Promise<FileBytes> {
    const saved = await this.#disk.read(at);
    const text = saved.bytes.length > MAX_DOCUMENT_BYTES ? undefined : decodeText(saved.bytes);
    if (text === undefined) return saved;
    const open = await this.#documents.read(this.#disk.absolute(at));
    if (open === undefined || isSameText(open, text)) return saved;
    return { bytes: encodeLike(inFormOf(text, open), saved.bytes), unsaved: true };
  }

  /** Only a file that is too large for the client can be read in parts. */
  async readRange(at: Location, from: number, length: number): Promise<Uint8Array | undefined> {
    const { size = 0 } = (await this.#disk.stat(at)) ?? {};
    return size > MAX_DOCUMENT_BYTES ? this.#disk.readRange(at, from, length) : undefined;
  }

  list(at: Location): ReturnType<NodeFileSystem['list']> {
    return this.#disk.list(at);
  }

  find(query: FindQuery, signal: AbortSignal): Promise<{ files: Location[]; truncated: boolean }> {
    return this.#disk.find(query, signal);
  }

  search(query: SearchQuery, signal: AbortSignal): AsyncIterable<SearchHit> {
    return this.#disk.search(query, signal);
  }
}

/** Editors keep line endings and the byte order mark apart from the text, and some leave out the last line break. */
function isSameText(open: string, saved: string): boolean {
  return plain(open) === plain(saved);
}

function plain(text: string): string {
  return withoutMark(text).replaceAll('\r\n', '\n').replace(/\n$/, '');
}

/** Gives the text of a document the line endings and the byte order mark of the saved file. */
function inFormOf(saved: string, open: string): string {
  const usesCrlf = saved.includes('\r\n') && !/(?<!\r)\n/.test(saved) && !open.includes('\r');
  const text = usesCrlf ? open.replaceAll('\n', '\r\n') : open;
  return withoutMark(saved) === saved ? text : `\uFEFF${withoutMark(text)}`;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

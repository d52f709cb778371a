/** Writes through the client, so that open documents show a change and unsaved text is not lost. */
import { decodeText, encodeText, sameBytes } from '../../../workspace/content.ts';
import { type FileChange, type FileSystem, NothingWritten, type Writer } from '../../../workspace/types.ts';
import type { NodeFileSystem } from '../../node/files/file-system.ts';
import { MAX_DOCUMENT_BYTES } from './client-files.ts';

type Editor = { write(path: string, text: string): Promise<void> };
type Edit = FileChange & { before: Uint8Array; after: Uint8Array };

/**
 * The client edits existing text files. New, deleted, moved and binary files are written on disk, because the protocol cannot create a file
 * without overwriting, and cannot delete or move one.
 */
export class ClientWriter implements Writer {
  readonly #fs: FileSystem;
  readonly #disk: NodeFileSystem;
  readonly #writer: Writer;
  readonly #editor: Editor | undefined;

  /** Without an `editor`, everything is written on disk. */
  constructor(fs: FileSystem, disk: NodeFileSystem, writer: Writer, editor: Editor | undefined) {
    this.#fs = fs;
    this.#disk = disk;
    this.#writer = writer;
    this.#editor = editor;
  }

  async recover(): Promise<void> {
    await this.#writer.recover?.();
  }

  async commit(changes: readonly FileChange[]): Promise<void> {
    const editor = this.#editor;
    const edits = editor ? changes.filter(isTextEdit) : [];
    const others = changes.filter((change) => !edits.includes(change as Edit));
    for (const edit of editor ? edits : changes) await this.#expectCurrent(edit, editor !== undefined);
    if (others.length > 0) await this.#writer.commit(others);
    for (const edit of edits) {
      await editor?.write(this.#disk.absolute(edit.at), decodeText(edit.after) as string);
      await this.#expectWritten(edit);
    }
  }

  /** @throws NothingWritten if the document is not as it was displayed, or if only the client could write it */
  async #expectCurrent({ at, path, before }: FileChange, canWrite: boolean): Promise<void> {
    if (!before || path.endsWith('/')) return;
    const { bytes, unsaved } = await this.#fs.read(at);
    if (canWrite && !sameBytes(bytes, before)) throw new NothingWritten(`${path} was changed just now. Try again.`);
    if (!canWrite && unsaved) throw new NothingWritten(`${path} has unsaved changes in the editor. Save it, and try again.`);
  }

  /** The file must contain exactly what was approved. If the client formatted it when saving, it is written again on disk. */
  async #expectWritten(edit: Edit): Promise<void> {
    const { bytes, unsaved } = await this.#fs.read(edit.at);
    if (sameBytes(bytes, edit.after) || unsaved || sameBytes(bytes, edit.before)) return;
    await this.#writer.commit([{ ...edit, before: bytes }]);
  }
}

/** Returns true if a client can make the change exactly: it writes text as UTF-8 without a byte order mark. */
function isTextEdit(change: FileChange): change is Edit {
  const { path, before, after, movedFrom } = change;
  if (!before || !after || movedFrom !== undefined || path.endsWith('/')) return false;
  return [before, after].every((bytes) => {
    if (bytes.length > MAX_DOCUMENT_BYTES) return false;
    const text = decodeText(bytes);
    return text !== undefined && !text.startsWith('\uFEFF') && sameBytes(encodeText(text), bytes);
  });
}

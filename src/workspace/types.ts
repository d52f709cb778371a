/** An open folder; names are unique. `roots` are the absolute paths that lead to it on this computer, as it was opened and behind links. */
export type Folder = { readonly name: string; readonly roots?: readonly string[] };

/** Where a file is: an index into the open folders, and the path in that folder, `/`-separated, '' for the folder itself. */
export type Location = { folder: number; path: string };

export type FileStat = {
  type: 'file' | 'directory' | 'other';
  size: number;
  /** The last component is itself a symbolic link. */
  link: boolean;
  /** Who may read, write and execute it, where the file system has such a thing. */
  mode?: number;
};

/** `unsaved`: the bytes are those of an open document with unsaved changes, which win over the disk. */
export type FileBytes = { bytes: Uint8Array; unsaved: boolean };

/** `language` is that of a code cell; `outputs` are what it printed, as text. */
export type NotebookCell = { kind: 'code' | 'markdown' | 'raw'; language?: string; source: string; outputs: string[] };

/** `include` is a glob on folder-relative paths; without `folder` all folders are meant. `limit` counts results over all of them. */
export type FindQuery = {
  include?: string;
  folder?: number;
  limit: number;
  /** Files that are left out. Their content changes neither the results nor their order, nor whether the limit is reached. */
  hides?: (at: Location) => boolean;
};
/** A `limit` of 0 only checks the pattern. */
export type SearchQuery = FindQuery & { pattern: string; regex: boolean; caseSensitive: boolean; wholeWord: boolean };
/** `line` counts from 1; `text` is the line without its ending, cut where it is very long. */
export type SearchHit = Location & { line: number; text: string };

/**
 * The file system as a host has it: an editor's, Node's or a test's. It can only read. `read`, `readRange` and `list` take a place that `canonical`
 * returned. They throw a PathError when a link was put on the way to it since.
 */
export interface FileSystem {
  readonly folders: readonly Folder[];
  /**
   * The location after all symbolic links were followed; for what does not exist, its deepest existing ancestor is.
   * undefined where that lies outside all open folders.
   */
  canonical(at: Location): Promise<Location | undefined>;
  stat(at: Location): Promise<FileStat | undefined>;
  /** @throws when there is no such file. */
  read(at: Location): Promise<FileBytes>;
  /** So many bytes from there on, fewer at the end; undefined where a file can only be read whole. */
  readRange?(at: Location, from: number, length: number): Promise<Uint8Array | undefined>;
  /** The cells of a notebook that is open with unsaved changes, which no file holds. */
  notebook?(at: Location): NotebookCell[] | undefined;
  /** `link`: the entry is a symbolic link; its type is that of what it leads to. */
  list(at: Location): Promise<{ name: string; type: FileStat['type']; link?: boolean }[]>;
  /** Whether `.kedgeignore` hides it; the other methods then refuse it or leave it out. */
  hides?(at: Location): boolean;
  /** Files, without what ignore files name, or the editor's excludes where only the editor can look; `truncated` when there are more than `limit`. Sorted by path. */
  find(query: FindQuery, signal: AbortSignal): Promise<{ files: Location[]; truncated: boolean }>;
  /** The first lines that match, by file. @throws Error naming the problem when the pattern is no valid regular expression. */
  search(query: SearchQuery, signal: AbortSignal): AsyncIterable<SearchHit>;
}

/**
 * One file of a change: from `before` to `after`, where undefined means that there is no file. The `path` of a directory ends with
 * a slash; one that exists counts as empty content.
 */
export type FileChange = {
  path: string;
  at: Location;
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
  /** For display: the path that this content came from. */
  movedFrom?: string;
  /** Of a file that is made anew, where it is known. */
  mode?: number | undefined;
};

/** A writer knows that nothing of the change has landed: what a file holds by now was there before, or is somebody else's. */
export class NothingWritten extends Error {
  override name = 'NothingWritten';
}

/** The means to write. Only the write gate is handed one. */
export interface Writer {
  /**
   * Applies all changes as one step that the user can undo where the host has such a thing. @throws NothingWritten, or another error where some
   * may have been applied: the gate rolls back.
   */
  commit(changes: readonly FileChange[]): Promise<void>;
  /** Takes back what a crash left half done. Called before anything is written; may be called again. */
  recover?(): Promise<void>;
}

/** Contents by hash (sha-256, hex), kept outside the workspace. */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>;
  get(hash: string): Promise<Uint8Array | undefined>;
}
